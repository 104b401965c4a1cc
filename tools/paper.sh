#!/usr/bin/env bash
# The paper of paper/ as HTML and, where chromium is, as PDF: tools/paper.sh FOLDER (make paper). Needs pandoc.
# The journal builds its own form from the same two files. Here every citation must be known.
set -euo pipefail
cd "$(dirname "$0")/../paper"
folder=$(mkdir -p "../${1:-build}" && cd "../${1:-build}" && pwd)
command -v pandoc >/dev/null || { echo "pandoc is missing (apt-get install pandoc)"; exit 1; }
pandoc paper.md --from markdown --citeproc --bibliography paper.bib --standalone --fail-if-warnings \
  --metadata link-citations=true --output "$folder/paper.html"
words=$(awk '/^---$/ { n++; next } n > 1' paper.md | wc -w)
echo "$folder/paper.html: $words words"
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null || continue
  "$name" --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf="$folder/paper.pdf" \
    "file://$folder/paper.html" 2>/dev/null
  echo "$folder/paper.pdf"
  break
done
