"""Tables for pandas, with PyTerrier's names of columns: qid, docno, score, rank, label, measure, value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dissensus.tables.coercion import as_judgments, as_runs

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


def runs_frame(runs: object) -> pd.DataFrame:
    """Runs as PyTerrier's results: name, qid, docno, score, rank (from 0), best first."""
    import pandas as pd

    frame = pd.DataFrame(as_runs(runs).to_frame().to_dict(as_series=False))
    frame.columns = pd.Index(["name", "qid", "docno", "score"])
    frame["rank"] = frame.groupby(["name", "qid"]).cumcount()
    return frame


def judgments_frame(judgments: object) -> pd.DataFrame:
    """Judgments as PyTerrier's qrels, with the assessor as iteration: qid, docno, label, iteration."""
    import pandas as pd

    frame = as_judgments(judgments).to_frame()
    return pd.DataFrame(
        {new: frame[old].to_list() for new, old in
         (("qid", "topic"), ("docno", "doc"), ("label", "grade"), ("iteration", "assessor"))}
    )  # fmt: skip


def scores_frame(scores: xr.Dataset) -> pd.DataFrame:
    """Scores as PyTerrier's perquery.csv: name, qid, measure, value, and the assessor."""
    frame = scores.to_dataframe().reset_index().melt(["assessor", "system", "topic"], var_name="measure")
    return frame.rename(columns={"system": "name", "topic": "qid"}).dropna(subset=["value"])
