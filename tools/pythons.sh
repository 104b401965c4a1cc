#!/usr/bin/env bash
# Pythons that this machine lacks, from Debian's next releases: trixie has 3.13, sid has 3.14.
#
#     tools/pythons.sh trixie          make a root for it (one minute) and run `make test` there
#     tools/pythons.sh sid tests/io    only these tests
#
# Needs root and debootstrap (apt-get install debootstrap). The roots stay in $ROOTS (default /var/tmp/dissensus-pythons),
# with the environment inside, so that a second run starts at once. The clone and ../shared are copied in, not mounted.
set -euo pipefail
release=${1:?"say trixie or sid"}; shift
here=$(cd "$(dirname "$0")/.." && pwd)
root=${ROOTS:-/var/tmp/dissensus-pythons}/$release
if [ ! -x "$root/usr/bin/python3" ]; then
  mkdir -p "$root"
  debootstrap --variant=minbase \
    --include=python3,python3-venv,python3-dev,gcc,g++,make,git,ca-certificates,chromium,postgresql "$release" "$root"
fi
mkdir -p "$root/work/clone" "$root/work/shared" "$root/etc"
rm -rf "$root/work/clone/src" "$root/work/clone/tests"
git -C "$here" archive HEAD | tar -x -C "$root/work/clone"
[ ! -d "$here/../shared" ] || cp -r "$here/../shared/." "$root/work/shared/"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
for file in "${PIP_CONFIG_FILE:-}" /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
  [ -z "$file" ] || [ ! -f "$file" ] || cp "$file" "$root/etc/pip.conf"  # the registry that this machine uses
done
for place in proc sys dev; do mountpoint -q "$root/$place" || mount --rbind "/$place" "$root/$place"; done
trap 'umount -l "$root/proc" "$root/sys" "$root/dev"' EXIT
if [ $# = 0 ]; then inside="make test"; else inside="make .venv/.ready-test && .venv/bin/python -m pytest -n 2 $*"; fi
chroot "$root" /usr/bin/env -u PYENV_VERSION HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
  bash -c "cd /work/clone && git init -q 2>/dev/null; python3 --version && $inside"
