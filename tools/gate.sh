#!/usr/bin/env bash
# The step of action.yml: run the gate on what the environment names, write gate.md, gate.xml and the decision.
# dissensus gate answers 0 pass, 1 fail, 3 cannot tell; 2 is a refused input.
set -u
words=("$BASE" "$NEW" --tolerance "$TOLERANCE" -o gate.md -o gate.xml)
while IFS= read -r file; do [ -z "$file" ] || words+=(-j "$file"); done <<<"$JUDGMENTS"
while IFS= read -r name; do [ -z "$name" ] || words+=(-m "$name"); done <<<"$MEASURES"
[ -z "$AUDIT" ] || words+=(--audit "$AUDIT")
[ "$MUST_IMPROVE" != true ] || words+=(--must-improve)
status=0
dissensus gate "${words[@]}" || status=$?
case $status in
  0) decision=pass ;; 1) decision=fail ;; 3) decision="cannot tell" ;; *) exit "$status" ;;
esac
echo "decision=$decision" >>"$GITHUB_OUTPUT"
cat gate.md >>"$GITHUB_STEP_SUMMARY"
if [ "$status" = 3 ] && [ "$CANNOT_TELL" = warn ]; then
  echo "::warning::the gate cannot tell whether the new run is worse"
  exit 0
fi
exit "$status"
