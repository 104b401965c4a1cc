"""Where work runs when a caller does not say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from paths import ROOT
from refusals import warned
from units_of_work import draw, recorded, returns_an_object, slow_square, where_it_runs

from dissensus.errors import DataWarning
from dissensus.work import pools
from dissensus.work.executor import run_units
from dissensus.work.pools import AUTO
from dissensus.work.settings import Settings, cores, settings, working_with
from dissensus.work.workspace import Workspace


def test_settings_belong_to_their_block() -> None:
    with working_with(Settings(executor=2)):
        assert settings().executor == 2
        assert os.getpid() not in run_units(where_it_runs, range(2))
        with working_with(Settings()):
            assert run_units(where_it_runs, range(2)) == [os.getpid()] * 2
        assert settings().executor == 2
    assert settings().executor is None
    assert run_units(where_it_runs, range(2)) == [os.getpid()] * 2


def test_an_executor_of_its_own_wins() -> None:
    with working_with(Settings(executor=2)):
        assert run_units(where_it_runs, range(2), executor=1) == [os.getpid()] * 2


def test_auto_stays_here_while_that_is_enough() -> None:
    assert run_units(where_it_runs, range(5), executor=AUTO) == [os.getpid()] * 5


def test_auto_goes_to_all_cores_when_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "STARTING", 0.1)
    monkeypatch.setattr(pools, "cores", lambda: 2)
    results = run_units(slow_square, range(12), seed=5, executor=AUTO)
    assert results == run_units(slow_square, range(12), seed=5)
    processes = run_units(where_it_runs, range(12), executor=AUTO, shared={"seconds": 0.06})
    assert processes[0] == os.getpid()
    assert processes[-1] != os.getpid()
    assert len(set(processes)) <= 3


def test_auto_keeps_what_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "STARTING", 0.0)
    monkeypatch.setattr(pools, "cores", lambda: 2)
    assert run_units(lambda unit: unit + 1, range(5), executor=AUTO) == [1, 2, 3, 4, 5]


def test_work_without_a_name_is_numbered(tmp_path: Path) -> None:
    base = np.ones(2)
    for _ in range(2):
        with Workspace(tmp_path / "ws") as space, working_with(Settings(workspace=space)):
            for seed in (1, 2):
                run_units(draw, range(3), shared={"base": base}, seed=seed)
    assert recorded(tmp_path / "ws") == {"draw-1": 3, "draw-2": 3}


def test_results_that_cannot_be_recorded_are_said(tmp_path: Path) -> None:
    with (
        Workspace(tmp_path / "ws") as space,
        working_with(Settings(workspace=space)),
        warned(DataWarning, "Shipped"),
    ):
        results = run_units(returns_an_object, range(3))
    assert len(results) == 3


def test_cores_are_counted() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)


SCRIPT = """
import os, sys
import dissensus as ds
from dissensus.errors import WorkError
import polars
def read():
    return len(ds.read_judgments(sys.argv[1]))
if sys.argv[2] == "used":
    read()
    polars.DataFrame({"a": [2, 1]}).sort("a")
if os.fork() == 0:
    try:
        read()
    except WorkError as error:
        sys.stdout.write(str(error))
        sys.stdout.flush()
        os._exit(3)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize(("state", "status"), [("used", 3), ("unused", 0)])
def test_a_fork(state: str, status: int) -> None:
    command = [sys.executable, "-c", SCRIPT, str(ROOT / "examples" / "labels.csv"), state]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status, done.stderr
    assert ('get_context("spawn")' in done.stdout) == (status == 3)
