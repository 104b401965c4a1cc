#!/usr/bin/env bash
# The tests where home, source and site-packages are read-only, as in many containers (Linux, needs user namespaces).
#
#   tools/read_only.sh                    the whole suite
#   tools/read_only.sh tests/engine -x    what pytest is told
#
# A copy of HEAD without compiled code lies on a read-only mount, and so do the home and the environment in .venv.
# Only the temporary folder can be written to. Compiled code is kept there, which is said in a warning.
set -eu
cd "$(dirname "$0")/.."
environment=$(realpath .venv)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/tree" "$place/home" "$place/tmp"
git archive HEAD | tar -x -C "$place/tree"
[ ! -d ../shared ] || ln -s "$(realpath ../shared)" "$place/shared"
export place environment
unshare --mount --map-root-user bash -eu -c '
    for folder in "$place/tree" "$place/home" "$environment"; do
        mount --bind "$folder" "$folder"
        mount -o remount,bind,ro "$folder"
        ! touch "$folder/x" 2>/dev/null || { echo "$folder can be written to"; exit 1; }
    done
    cd "$place/tree"
    export HOME="$place/home" TMPDIR="$place/tmp" PYTHONPATH="$place/tree/src" PYTHONDONTWRITEBYTECODE=1
    unset NUMBA_CACHE_DIR XDG_CACHE_HOME MPLCONFIGDIR
    exec "$environment/bin/python" -m pytest -q -p no:cacheprovider "$@"' read_only "$@"
