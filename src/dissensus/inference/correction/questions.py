"""What `correct` is asked, and what it is given: measures, an audit or matrices. What they cannot answer is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.comparison.decision import check_negligible
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.per_system import check_calibrations
from dissensus.judging.confusion.api import Confusion
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Linear, Measure
from dissensus.measures.policies import Policies
from dissensus.measures.scores import refuse_geometric
from dissensus.measures.worth import on_gains
from dissensus.tables.audit import Audit, as_audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale

Calibrations = Confusion | Mapping[str, Confusion]  # one for all systems, or one for each
MethodName = Literal["auto", "confusion", "rectified"]
Target = Literal["population", "these_topics"]


def check_interval(interval: str) -> None:
    """Refuse an interval that is none."""
    if interval not in ("wald", "bootstrap"):
        raise InputError(Text(Option("interval", interval), " is neither 'wald' nor 'bootstrap'."))


@dataclass(frozen=True)
class CorrectionOptions:
    """How scores are corrected: see `correct`. `assessor` is the judge, or {system: judge}."""

    policies: Policies = field(default_factory=Policies)
    method: MethodName = "auto"
    assessor: str | Mapping[str, str] | None = None
    target: Target = "population"
    level: float = 0.95
    seed: int = 0
    pooled: bool = True
    by: Mapping[str, str] | None = None  # the group of each topic, where conclusions within groups are asked for
    interval: str = "wald"  # of single scores
    negligible: float | None = None  # a loss that does not matter, for the recommendation

    def __post_init__(self) -> None:
        if self.method not in get_args(MethodName):
            raise InputError(Text(Option("method", self.method), " is none of 'auto', 'confusion', 'rectified'."))
        if self.target not in get_args(Target):
            raise InputError(Text(Option("target", self.target), " is neither 'population' nor 'these_topics'."))
        check_interval(self.interval)
        check_negligible(self.negligible)


@dataclass(frozen=True)
class AskedMeasure:
    """A measure that was asked for, by its name; `ratio`: as a ratio of sums."""

    name: str
    measure: Measure
    ratio: bool = False


def knowledge(
    known: Audit | Judgments | Calibrations, runs: Runs, bronze: Judgments
) -> tuple[Audit | None, Calibrations | None]:
    """(the audit, what is known of the judge from elsewhere): one of the two."""
    if isinstance(known, Audit | Judgments):
        return as_audit(known), None
    if isinstance(known, Mapping):
        return None, check_calibrations(known, runs.systems)

    if not isinstance(known, Confusion):
        raise InputError(
            f"expected an Audit, Judgments, a Confusion or a mapping system → Confusion, not {type(known).__name__}."
        )
    _check_grades(known, bronze.scale)
    return None, known


def ordered_by_gains(
    judgments: Judgments, known: Audit | Judgments | Calibrations, measures: list[Measure]
) -> tuple[Judgments, Audit | Judgments | Calibrations]:
    """The labels of the judge and of the audit on one scale, by gains where they have no order."""
    audit = as_audit(known) if isinstance(known, Audit | Judgments) else None
    others = [] if audit is None else [audit.judgments]
    labels, *gold = on_gains(measures, judgments, *others)
    if audit is not None and not labels.scale.ordered:
        return labels, replace(audit, judgments=gold[0])
    if not labels.scale.ordered:
        raise InputError(
            "labels without an order are corrected by an audit, not through a matrix.",
            Fix("Give expert labels of some documents: ", Option("audit"), "."),
        )
    return judgments, known


def check_answerable(design: Design, options: CorrectionOptions) -> None:
    """Refuse what this audit, or these accuracies, cannot answer."""
    method, target = options.method, options.target
    by_matrix = method == "confusion" or not design.audited.any()
    if target == "these_topics" and by_matrix:
        raise InputError(
            Text(
                Option("target", "these_topics"),
                " needs an audit of the scored documents, and to rectify them. Through a matrix, "
                "intervals are for all topics like these.",
            ),
            Fix("Use ", Option("target", "population"), "."),
            Fix("Audit some of the scored documents, and use ", Option("method", "auto"), "."),
        )
    if len(design.joined.topics) < 2 and target == "population":
        raise InputError(
            "there is one topic only: nothing can be said about all topics like it.",
            *(() if by_matrix else (Fix("Ask about this one: ", Option("target", "these_topics"), "."),)),
            "Give runs and judgments of more topics.",
        )
    if method == "rectified" and not design.audited.any():
        raise InputError(
            Text(
                Option("method", "rectified"),
                " needs gold labels of scored documents, and there are only accuracies from elsewhere.",
            ),
            "Audit some of the scored documents: plan says which.",
            Fix("Use ", Option("method", "confusion"), "."),
        )


def _check_grades(confusion: Confusion, scale: Scale) -> None:
    """A matrix has a row and a column for every grade of the labels that it corrects."""
    if len(confusion) != len(scale):
        grades = Option("scale", f"0..{len(confusion) - 1}")
        wider = Fix("Where not every grade occurs in the labels, declare them: ", grades, ".")
        raise InputError(
            f"the confusion matrix has {len(confusion)} grades, the judgments' scale {scale} has {len(scale)}.",
            *(() if scale.declared or len(confusion) < len(scale) else (wider,)),
            "Give the matrix of the judge whose labels these are.",
        )


def asked_for(measures: Iterable[str | Measure] | str | Measure) -> list[AskedMeasure]:
    """Every measure asked for, once."""
    listed = [measures] if isinstance(measures, str | Measure) else list(measures)
    out: dict[str, AskedMeasure] = {}
    for m in listed:
        ratio = _of_sums(m) if isinstance(m, str) else None
        found = ratio or measure_list([m])[0]
        refuse_geometric(found)
        name = str(found).replace("nDCG", "nDCG-ratio", 1) if ratio else str(found)
        out[name] = AskedMeasure(name, found, ratio is not None)
    if not out:
        raise InputError("no measure was asked for.", 'Name at least one, for example ["P@10", "nDCG@10"].')
    return list(out.values())


def _of_sums(name: str) -> Measure | None:
    """The nDCG behind a name like "nDCG-ratio@10"; None for other names."""
    match = re.fullmatch(r"\s*ndcg-ratio(.*)", name, flags=re.IGNORECASE)
    return measure_list(["nDCG" + match[1]])[0] if match else None


def check_apart(known: object, asked: list[AskedMeasure]) -> None:
    """Judges of their own need calibrations of their own, and measures that do without a topic's pool."""
    if not isinstance(known, Mapping):
        raise InputError(
            "each system has an assessor of its own, but they are calibrated together.",
            'Give a calibration for each as {"A": a, "B": b}, or name one assessor.',
        )
    pooled = [one.name for one in asked if one.ratio or not isinstance(one.measure, Linear)]
    if pooled:
        raise InputError(
            f"{', '.join(pooled)} cannot be corrected through a matrix, so nothing compares judges of their own.",
            "Take a linear measure: P@k, DCG@k, RBP …",
        )
