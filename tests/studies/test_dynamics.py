"""LambdaMART against nMCG-MART at toy size."""

from __future__ import annotations

import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import InputError, WorkspaceError
from dissensus.measures.user_models import Dynamic, UserModel
from dissensus.studies import dynamics
from dissensus.studies.dynamics import SETTINGS, run
from dissensus.studies.rankers.noise_sets import noise_sets
from dissensus.studies.study import Request, StudyOutcome
from dissensus.tables.folds import digest
from dissensus.work.settings import Settings, working_with
from dissensus.work.workspace import Workspace


def dynamics_study(seed: int = 0, **settings: object) -> StudyOutcome:
    return run(Request(settings=SETTINGS | settings, seed=seed))


def test_table_and_notes(tmp_path):
    user = tmp_path / "user.json"
    user.write_text(UserModel(dynamics={"all": Dynamic(0.5, 0.0, 0.3)}).to_json())
    settings = {"sets": ("MSLR-WEB10K",), "trees": (5,), "full": 8, "leaves": 5, "documents": 1000, "folds": 3}
    study = dynamics_study(**settings, dynamic=str(user))
    assert study.tables["table"].select("trees", "measure").rows() == [
        ("5", "nDCG@10"),
        ("5", "nMCG@10"),
        ("full", "nDCG@10"),
        ("full", "nMCG@10"),
    ]
    for row in study.tables["table"].iter_rows(named=True):
        assert 0 < row["LambdaMART"] <= 1
        assert abs(row["NMCGMART"] - row["LambdaMART"] - row["difference"]) < 1e-12
        assert 0 < row["p_value"] <= 1
        assert (row["stars"] == "") == (row["p_value"] >= 0.05)
    assert phrase("dynamics.user-dynamics", user) in study.notes
    assert study.tables["Table 5.5, differences"]["printed"].round(4).to_list() == [
        0.0014,
        0.0022,
    ]  # "full" trees of Table 5.5
    assert dynamics_study(**settings, dynamic=str(user)).tables["table"].equals(study.tables["table"])


def in_workspace(folder, **settings):
    with Workspace(folder) as workspace, working_with(Settings(workspace=workspace)):
        return dynamics_study(**settings)


def test_stopped_work_goes_on(tmp_path, monkeypatch):
    settings = {"sets": ("MSLR-WEB10K",), "trees": (3,), "full": 4, "leaves": 5, "documents": 1000, "folds": 3}
    whole = dynamics_study(**settings)
    honest, done = dynamics.train_and_score, []

    def tired(unit, **shared):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(unit)
        return honest(unit, **shared)

    folder = str(tmp_path / "w")
    monkeypatch.setattr(dynamics, "train_and_score", tired)
    with pytest.raises(KeyboardInterrupt):
        in_workspace(folder, **settings)
    monkeypatch.setattr(dynamics, "train_and_score", lambda unit, **shared: done.append(unit) or honest(unit, **shared))
    again = in_workspace(folder, **settings)
    assert again.tables["table"].equals(whole.tables["table"])
    assert again.notes == whole.notes
    assert len(done) == len(set(done)) == 6  # 3 folds, 2 rankers, none of them trained twice
    with refused(WorkspaceError, 5, 6, "workspace.sqlite"):
        in_workspace(folder, **{**settings, "leaves": 6})


def test_a_workspace_is_for_one_user_and_one_set_of_data(tmp_path):
    settings = {"sets": ("MSLR-WEB10K",), "trees": (2,), "full": 2, "leaves": 4, "documents": 1000, "folds": 3}
    user = tmp_path / "user.json"
    user.write_text(UserModel(dynamics={"all": Dynamic(0.5, 0.0, 0.3)}).to_json())
    in_workspace(tmp_path / "w", **settings, dynamic=str(user))
    user.write_text(UserModel(dynamics={"all": Dynamic(0.6, 0.0, 0.3)}).to_json())
    with refused(WorkspaceError, "workspace.sqlite"):
        in_workspace(tmp_path / "w", **settings, dynamic=str(user))
    one, same, other = (noise_sets(("OHSUMED",), documents=1500, folds=3, seed=s) for s in (0, 0, 1))
    assert digest(one) == digest(same) != digest(other)


def test_settings_no_ranker_can_use_are_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr("dissensus.studies.dynamics.noise_sets", None)
    with refused(InputError, "trees=0"):
        dynamics_study(trees=(0,))
    (tmp_path / "walk.json").write_text("[[0.5, 0.5], [0.5, 0.5]]")
    with refused(InputError):
        dynamics_study(dynamic=str(tmp_path / "walk.json"))


def test_sets_of_one_shape_are_not_the_same_data() -> None:
    names = ("MSLR-WEB30K", "MSLR-WEB10K")
    made = dynamics_study(sets=names, trees=(2,), full=2, leaves=4, documents=1000, folds=3)
    queries = {name: made.tables["table"].filter(set=name)["queries"][0] for name in names}
    assert queries["MSLR-WEB30K"] > 2 * queries["MSLR-WEB10K"]
