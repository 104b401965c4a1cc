"""Other systems, as far as they can be played here: no call that Windows lacks, and a console of few characters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT

E = ROOT / "examples"
RUNS = [str(E / "runs" / f"{name}.run.gz") for name in ("bm25", "crossenc")]
#: what Windows lacks; os.uname stays, because Python's own `platform` would use another call there
WITHOUT = """
import os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None
for name in ("fork", "forkpty", "getuid", "geteuid", "getgid", "sched_getaffinity", "register_at_fork", "chown",
             "fchmod", "mkfifo", "killpg", "setsid", "getloadavg", "sysconf", "statvfs", "posix_spawn"):
    vars(os).pop(name, None)
for name in ("pthread_sigmask", "pthread_kill", "SIGKILL", "SIGHUP", "SIGUSR1", "SIGALRM", "alarm", "setitimer"):
    vars(signal).pop(name, None)
import json
from dissensus.cli import main
for words in json.loads(sys.argv[1]):
    status = main(words)
    if status:
        sys.exit(f"{words}: {status}")
"""
COMMANDS = [
    ["evaluate", *RUNS, "-j", str(E / "labels.csv"), "-m", "AP", "-o", "x.csv"],
    ["compare", *RUNS, "-j", str(E / "labels.csv"), "--assessor", "llm"],
    ["merge", str(E / "labels.csv"), "-o", "m.csv"],
    ["report", *RUNS, "-j", str(E / "labels.csv"), "-o", "r.html"],
    ["audit", "new", "s.db", *RUNS, "-j", str(E / "labels.csv"), "--assessor", "llm", "-m", "P(rel=2)@10",
     "--without-texts", "--stop", "budget:40"],
    ["audit", "backup", "s.db", "-o", "b.db"],
    ["audit", "restore", "b.db", "-o", "s.db"],
    ["audit", "page", "s.db", "-o", "p.html", "--count", "5"],
    ["audit", "verify", "s.db"],
]  # fmt: skip


def run(code: str, *words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHONUTF8"))}
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, cwd=folder, env={**clean, **environment}, capture_output=True, check=False)


def test_commands_do_without_what_windows_lacks(tmp_path: Path) -> None:
    done = run(WITHOUT, json.dumps(COMMANDS), folder=tmp_path, PYTHONIOENCODING="cp1252")
    assert done.returncode == 0, done.stderr.decode("cp1252")
    assert {"x.csv", "m.csv", "r.html", "s.db", "b.db"} <= {p.name for p in tmp_path.iterdir()}
    assert not list(tmp_path.glob("*-wal"))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437"])
def test_consoles_of_few_characters_get_typed_ones(tmp_path: Path, encoding: str) -> None:
    """FINDINGS G7: rules printed as ???? on cp1252."""
    code = "import sys; from dissensus.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["evaluate", *RUNS, "-j", str(E / "labels.csv"), "-m", "AP"]
    done = run(code, *words, folder=tmp_path, PYTHONIOENCODING=encoding)
    text = done.stdout.decode(encoding)
    assert done.returncode == 0
    assert "?" not in text
    wide = run(code, *words, folder=tmp_path, PYTHONIOENCODING="utf-8").stdout.decode()
    assert len(text.splitlines()) == len(wide.splitlines())
    assert [line.replace("─", "-") for line in wide.splitlines() if set(line) <= {"─", " "}] == [
        line.replace("─", "-") for line in text.splitlines() if set(line) <= {"-", "─", " "}
    ]
