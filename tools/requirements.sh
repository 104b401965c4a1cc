#!/usr/bin/env bash
# Write requirements-ci.txt: the versions of constraints.txt for all systems and Pythons, with hashes and without addresses.
# Needs uv (pip install uv) and a registry that has every file's hash.
set -euo pipefail
cd "$(dirname "$0")/.."
made=$(mktemp)
trap 'rm -f "$made"' EXIT
# 3.11.5: the documentation's packages ask for it, dissensus itself does not
uv pip compile pyproject.toml --extra test -c constraints.txt --universal --python-version 3.11.5 --generate-hashes \
  --no-emit-index-url --no-annotate --no-header --quiet -o "$made"
{
  echo "# Every package that the tests need, with the hashes of its files: what CI installs (make hashed)."
  echo "# Written by: tools/requirements.sh"
  cat "$made"
} >requirements-ci.txt
