"""How users disagree about the top grade, and what grades are worth for it.

Figs. 1, 2, 3, 5 and Tables 1–4 of the user disagreement model, from judgments in which documents were judged by several
people (FILES, or --judgments). Given the released crowd labels of TREC 2010 Relevance Feedback (trec-rf10-data.txt), it
keeps documents with six labels or more, as the paper did, and sets Table 1's printed numbers beside ours. --runs add
Table 3 by depth; `groups` names a CSV topic,group; `labels=snippet,page` with `top` gives Table 4; `mutual=no` leaves
out Table 2, which takes longest. Without files a generated collection is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.cli.studies import Outcome, Request

if TYPE_CHECKING:
    from dissensus.data.tables.judgments import Judgments

SETTINGS: dict[str, Any] = {
    "top": None,
    "min_labels": 2,
    "repeats": "separate",
    "depths": (5, 10),
    "groups": None,
    "labels": None,
    "draws": 50,
    "mutual": True,
}


def run(request: Request) -> Outcome:
    from dissensus.data.readers.api import read_runs
    from dissensus.data.tables.topic_groups import read_groups
    from dissensus.studies.disagreement import disagreement_study
    from dissensus.studies.same_user import histogram

    settings = dict(request.settings)
    columns, groups = settings.pop("labels"), settings.pop("groups")
    judgments, printed, notes = _read(request, settings, columns)
    study = disagreement_study(
        judgments,
        runs=read_runs(*request.runs) if request.runs else None,
        groups=read_groups(groups) if groups else None,
        printed=printed,
        seed=request.seed,
        **settings,
    )
    tables = study.tables()
    top = str(study.model.top)
    again = tables.pop("Figs. 2, 3", None)
    if again is not None:
        tables["Figs. 2, 3"] = histogram(again).select("who", "grade", "mean", "sd").unique(maintain_order=True)
    if columns:
        from dissensus.judges.disagreement.combined_labels import read_two_labels
        from dissensus.studies.disagreement import pair_table

        files = [*request.files, *request.judgments]
        both = read_two_labels(files, [c.strip() for c in columns.split(",")], request.scale)
        tables["Table 4"] = pair_table(*both, settings["top"])

    def drawn(name: str, *arguments: Any) -> Any:
        from dissensus.report.charts import disagreement as charts

        return getattr(charts, name)(*arguments)

    pictures = {
        "fig1": lambda: drawn("labels_chart", tables["Fig. 1"], top),
        "fig5": lambda: drawn("users_chart", tables["Fig. 5"]),
        "probability": lambda: drawn("probability_chart", study.model.to_frame(), top),
    }
    if again is not None:
        pictures["figs2-3"] = lambda: drawn("again_chart", histogram(again), top)
    if "Table 2" in tables:
        pictures["table2"] = lambda: drawn("mutual_chart", tables["Table 2"])
    return Outcome(tables=tables, notes=[*notes, *study.notes], facts={"p": study.model.p}, charts=pictures)


def _read(request: Request, settings: dict[str, Any], columns: str | None) -> tuple[Judgments, Any, list[str]]:
    """(judgments, printed numbers of Table 1 if they are known, notes); the paper's own data set their own settings."""
    from dissensus.data.readers.api import read_judgments
    from dissensus.judges.disagreement.combined_labels import read_label_pairs
    from dissensus.studies import rf10

    files = [*request.files, *request.judgments]
    if not files:
        from dissensus.data.samples import generated_collection

        note = "generated collection: name a file of judgments for real ones"
        return generated_collection(request.seed).judgments, None, [note]
    if columns:
        return read_label_pairs(files, [c.strip() for c in columns.split(",")], request.scale), None, []
    if len(files) == 1 and rf10.is_rf10(files[0]):
        settings["min_labels"] = max(settings["min_labels"], rf10.MIN_LABELS)
        note = f"TREC 2010 Relevance Feedback, documents with {settings['min_labels']} labels or more"
        return rf10.read_rf10(files[0]), rf10.TABLE_1, [note]
    return read_judgments(*files, scale=request.scale, repeated="keep"), None, []
