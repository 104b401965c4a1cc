#!/usr/bin/env bash
# Pythons that this machine lacks, from Debian's next releases: trixie has 3.13, sid has 3.14.
#
#     tools/pythons.sh trixie                 make a root for it (a few minutes) and run `make test` there
#     tools/pythons.sh sid tests/io -x        only these tests, with these options of pytest
#
# Needs root and debootstrap (apt-get install debootstrap). The roots stay in $ROOTS (default /var/tmp/dissensus-pythons),
# with the environment inside, so that a second run starts at once. The last commit and ../shared are copied in.
set -euo pipefail
release=${1:?"say trixie or sid"}; shift
here=$(cd "$(dirname "$0")/.." && pwd)
root=${ROOTS:-/var/tmp/dissensus-pythons}/$release
inside() { chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@"; }
if [ ! -x "$root/usr/bin/python3" ]; then
  mkdir -p "$root"
  debootstrap --variant=minbase --include=python3,python3-venv,python3-dev,gcc,g++,make,git,ca-certificates "$release" "$root"
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/"
for file in "${PIP_CONFIG_FILE:-}" /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
  [ -z "$file" ] || [ ! -f "$file" ] || cp "$file" "$root/etc/pip.conf"  # the registry that this machine uses
done
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"  # and the certificates that it trusts
for place in proc sys dev; do mountpoint -q "$root/$place" || mount --rbind "/$place" "$root/$place"; done
trap 'umount -l "$root/proc" "$root/sys" "$root/dev"' EXIT
if [ ! -x "$root/usr/bin/chromium" ] || ! ls "$root"/usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
  # not by debootstrap, which cannot choose among packages that provide what others need
  # and from a mirror that may be some weeks behind
  inside apt-get -o Acquire::Check-Valid-Until=false update -qq
  inside apt-get install -y -qq --no-install-recommends chromium postgresql fonts-dejavu-core
fi
clone=$root/work/clone
mkdir -p "$clone" "$root/work/shared"
find "$clone" -mindepth 1 -maxdepth 1 ! -name .venv -exec rm -rf {} +
git -C "$here" archive HEAD | tar -x -C "$clone"
[ ! -d "$here/../shared" ] || cp -r "$here/../shared/." "$root/work/shared/"
run="make test"
[ $# = 0 ] || run="make .venv/.ready-test && .venv/bin/python -m pytest -n 2 --dist worksteal $*"
inside bash -c "cd /work/clone && git init -q && python3 --version && $run"
