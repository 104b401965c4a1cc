"""Count the files of dissensus on the three walks from command to number: evaluate, correct, report.

    python tools/walks.py

For each command on the example collection: how many files were imported, and in how many a function was executed
(`--files` names them). Each command runs in a separate process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
E = ROOT / "examples"
WALKS = {
    "evaluate": ["evaluate", f"{E}/runs/*", "-j", f"{E}/labels.csv"],
    "correct": [
        "correct", f"{E}/runs/*", "-j", f"{E}/labels.csv", "--assessor", "llm", "--audit", f"{E}/audit.csv",
        "-m", "P(rel=2)@10",
    ],
    "report": ["report", f"{E}/runs/*", "-j", f"{E}/labels.csv", "--output", "OUT/report.html"],
}  # fmt: skip

CHILD = """
import contextlib, inspect, io, json, sys, threading
source = sys.argv[1]
executed = set()
def profile(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(source) and code.co_flags & inspect.CO_OPTIMIZED:
        executed.add(code.co_filename)  # a function: bodies of modules and classes are not optimized
from dissensus.cli import main
threading.setprofile(profile)
sys.setprofile(profile)
with contextlib.redirect_stdout(io.StringIO()):
    status = main(sys.argv[2:])
sys.setprofile(None)
ours = [m for n, m in list(sys.modules.items()) if n.startswith("dissensus")]
imported = {m.__file__ for m in ours if getattr(m, "__file__", None)}
print(json.dumps({"status": status, "imported": sorted(imported), "executed": sorted(executed)}))
"""


def walk(command: list[str]) -> dict[str, list[str]]:
    """The files that a command imports and executes."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word.replace("OUT", folder) for word in command]
        source = str(ROOT / "src" / "dissensus")
        done = subprocess.run(
            [sys.executable, "-c", CHILD, source, *words], capture_output=True, text=True, check=True, cwd=ROOT
        )
    found = json.loads(done.stdout.splitlines()[-1])
    if found.pop("status") != 0:
        raise SystemExit(done.stderr)
    return {kind: [str(Path(f).relative_to(source)) for f in files] for kind, files in found.items()}


def main() -> None:
    for name, command in WALKS.items():
        files = walk(command)
        lines = f"{name:10} {len(files['imported']):4} files imported, {len(files['executed']):4} executed"
        sys.stdout.write(lines + "\n")
        if "--files" in sys.argv:
            sys.stdout.write("".join(f"    {f}\n" for f in files["executed"]))


if __name__ == "__main__":
    main()
