"""LambdaMART against nMCG-MART at toy size."""

from __future__ import annotations

from dissensus.experiments.dynamics import dynamics_study
from dissensus.measures.user_models import Dynamic, UserModel


def test_table_and_notes(tmp_path):
    user = tmp_path / "user.json"
    user.write_text(UserModel(dynamics={"all": Dynamic(0.5, 0.0, 0.3)}).to_json())
    settings = {"trees": (5,), "full": 8, "leaves": 5, "documents": 1000, "folds": 3}
    study = dynamics_study(**settings, dynamic=str(user))
    assert study.table.select("trees", "measure").rows() == [
        ("5", "nDCG@10"),
        ("5", "nMCG@10"),
        ("full", "nDCG@10"),
        ("full", "nMCG@10"),
    ]
    for row in study.table.iter_rows(named=True):
        assert 0 < row["LambdaMART"] <= 1
        assert abs(row["NMCGMART"] - row["LambdaMART"] - row["difference"]) < 1e-12
        assert 0 < row["p_value"] <= 1
        assert (row["stars"] == "") == (row["p_value"] >= 0.05)
    assert f"user dynamics from {user}" in study.notes
    assert dynamics_study(**settings, dynamic=str(user)).table.equals(study.table)
