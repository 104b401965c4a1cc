"""From a name to a measure and back: `measure("nDCG@10")`, `str(m)`, and `measure(str(m)) == m`.

The syntax is ir-measures': NAME(parameter=value, …)@cutoff. Names are read whatever their case, and trec_eval's names
are understood too (map, ndcg_cut_10, P_10, recip_rank …), ir-measures' aliases, and what people say. Names of trec_eval
that are not measures of ours are refused by name, with the reason. `rbp` is ours (Moffat & Zobel's); trec_eval 10's,
which differs, is read only where trec_eval's names are asked for (`--trec-eval`). Families are imported when first
named.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import re
from collections.abc import Iterable
from dataclasses import fields
from functools import cache, lru_cache
from typing import TypeVar

from dissensus.arrays import Values
from dissensus.errors import Fix, InputError, MeasureError
from dissensus.measures.condense import JudgedOnly
from dissensus.measures.measure import DEEPEST, Measure

DIGITS = 10  # of the longest cut-off

# name → module that defines the class of that name
_FAMILIES = {
    **dict.fromkeys(("P", "R", "Fallout", "Success", "Judged", "Rprec"), "precision"),
    **dict.fromkeys(("SetP", "SetR", "SetF"), "sets"),
    "IPrec": "precision",
    **dict.fromkeys(("AP", "NCP", "GAP"), "average"),
    "infAP": "inferred",
    **dict.fromkeys(("CG", "NCG", "DCG", "nDCG", "RBP"), "gain"),
    **dict.fromkeys(("RR", "ERR", "ESL"), "cascade"),
    **dict.fromkeys(("SDCG", "INSQ", "INST", "BPM", "NERR8", "NERR9", "NERR10", "NERR11"), "cwl"),
    "Bpref": "preference",
    "Compat": "compatibility",
    "MP": "markov",
    "nMCG": "mcg",
    **dict.fromkeys(
        ("SetAP", "SetRelP", "RelP", "F1", "Accuracy", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonRelRet"), "sets"
    ),
    **dict.fromkeys(("GMAP", "GMBpref", "IPrecAvg", "Utility", "Unjudged"), "trec_measures"),
    **dict.fromkeys(("binG", "G", "RnDCG", "nDCG_rel"), "trec_gains"),
    **dict.fromkeys(("TrecRBP", "TrecRBPResidual"), "trec_rbp"),
    **dict.fromkeys(("AP_avgjg", "P_avgjg", "Rprec_avgjg"), "judgment_groups"),
    **dict.fromkeys(("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"), "novelty"),
    **dict.fromkeys(("AP_IA", "P_IA", "StRecall"), "subtopics"),
    **dict.fromkeys(("TBG", "U"), "time_biased"),
}

_registered: dict[str, type[Measure]] = {}
_Class = TypeVar("_Class", bound=type[Measure])


def register(cls: _Class) -> _Class:
    """Class decorator: make a measure of yours known by its name, here and in every command that takes `-m`.

    Parameters
    ----------
    cls
        A frozen dataclass that inherits from Measure, Linear or a family.

    Returns
    -------
    type
        The class itself.

    Examples
    --------
    >>> import dissensus as ds, numpy as np
    >>> from dataclasses import dataclass
    >>> @ds.register
    ... @dataclass(frozen=True)
    ... class First(ds.Linear):
    ...     def weights(self, n):
    ...         return (np.arange(n) == 0) * 1.0
    ...     def values(self, scale):
    ...         return np.array([float(g > 0) for g in scale.grades])
    >>> str(ds.measure("First"))
    'First'
    """
    if not (isinstance(cls, type) and issubclass(cls, Measure)):
        raise MeasureError(f"register() takes a class derived from Measure or Linear, not {cls!r}.")
    name = cls.name
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        raise MeasureError(f"a measure cannot be called {name!r}: letters, digits, '_' and '-', a letter first.")
    if name.lower() in {n.lower() for n in _FAMILIES}:
        raise MeasureError(f"the name {name} is taken by a measure of the catalog.", "Choose another class name.")
    _registered[name.lower()] = cls
    lower_is_better.cache_clear()
    return cls


def names() -> list[str]:
    """All names in the catalog, registered ones included."""
    return [*_FAMILIES, *(cls.name for cls in _registered.values())]


def measure(name: str | Measure, *, trec_eval: bool = False) -> Measure:
    """The measure of that name.

    Parameters
    ----------
    name
        A name such as "nDCG@10", "P(rel=2)@5" or trec_eval's "ndcg_cut_10"; a Measure is returned as it is.
    trec_eval
        Read names as version 10 of that program does (`rbp`).

    Returns
    -------
    Measure
        A frozen value. Its text is its name, and reads back to it.

    Examples
    --------
    >>> measure("nDCG@10")
    nDCG(cutoff=10, gains=None, dcg='log2', base=2.0)
    >>> str(measure("P_10")), str(measure("ndcg(dcg='exp-log2')@5"))
    ('P@10', "nDCG(dcg='exp-log2')@5")
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        raise MeasureError(f"a measure is given by its name or as a Measure, not as {name!r}.")
    text = ours(name, trec_eval=trec_eval)
    match = re.fullmatch(r"([A-Za-z_][A-Za-z0-9_-]*)\s*(?:\((.*)\))?\s*(?:@\s*([0-9.]+))?", text, re.DOTALL)
    if match is None:
        raise MeasureError(f"{name!r} is not a measure's name.", "Write NAME, NAME@10 or NAME(parameter=value)@10.")
    family, inner, depth = match.groups()
    cls = measure_class(family, name)
    given = _arguments(inner or "", name)
    return _build(cls, given, depth, name)


def measure_list(measures: Iterable[str | Measure] | str | Measure, *, trec_eval: bool = False) -> list[Measure]:
    """Measures from names or objects, each once, in the order given; `trec_eval` reads names as that program does."""
    if isinstance(measures, str | Measure):
        measures = [measures]
    found = list(dict.fromkeys(measure(m, trec_eval=trec_eval) for m in measures))
    if not found:
        raise InputError("no measure was asked for.", 'Name at least one, for example ["AP", "nDCG@10"].')
    return found


@cache  # asked of every pair of systems
def lower_is_better(name: str) -> bool:
    """Is less better (ESL, Fallout)? Names outside the catalog are taken as the usual kind.

    >>> lower_is_better("ESL"), lower_is_better("AP"), lower_is_better("my own score")
    (True, False, False)
    """
    try:
        return not measure(name).higher_is_better
    except MeasureError:
        return False


def measure_class(family: str, written: str = "") -> type[Measure]:
    """The class of a name of the catalog; `written` is what the user wrote, for the error."""
    if family.lower() in _registered:
        return _registered[family.lower()]
    for known, module in _FAMILIES.items():
        if known.lower() == family.lower():
            cls: type[Measure] = getattr(importlib.import_module(f"dissensus.measures.families.{module}"), known)
            return cls

    near = difflib.get_close_matches(family.lower(), [n.lower() for n in names()], 1)
    near_name = next((n for n in names() if near and n.lower() == near[0]), None)
    raise MeasureError(
        f"{written or family!r}: there is no measure {family}.",
        *([f"Did you mean {near_name}?"] if near_name else []),
        f"There are: {', '.join(names())}.",
        Fix("Add your own with ds.register.", reader="python"),
    )


def _arguments(inner: str, written: str) -> dict[str, object]:
    way_out = "Write them as in RBP(p=0.8) or nDCG(dcg='exp-log2')."
    try:
        call = ast.parse(f"f({inner})", mode="eval").body
        given = (
            {k.arg: ast.literal_eval(k.value) for k in call.keywords} if isinstance(call, ast.Call) else {None: None}
        )
        positional = bool(call.args) if isinstance(call, ast.Call) else True
    except (SyntaxError, ValueError, MemoryError, RecursionError) as problem:
        raise MeasureError(f"{written!r}: the parameters ({inner}) cannot be read.", way_out) from problem
    if positional or None in given:
        raise MeasureError(f"{written!r}: parameters are written name=value.", way_out)
    return {str(k): v for k, v in given.items()}


def _build(cls: type[Measure], given: Values, depth: str | None, written: str) -> Measure:
    judged_only = given.pop("judged_only", False)
    if not isinstance(judged_only, bool):
        raise MeasureError(f"{written!r}: judged_only must be True or False.")
    if depth is not None:
        given[cls.written_after] = _depth(cls, depth, written)
    cls = cls.variant(given)
    names = [f.name for f in fields(cls) if f.name != "cutoff"]
    for key in given:
        if key not in (*names, "cutoff"):
            raise MeasureError(
                f"{written!r}: {cls.name} has no parameter {key!r}.",
                f"Its parameters: {', '.join([*names, 'judged_only'])}.",
            )
    if cls.written_after != "cutoff" and cls.written_after not in given:
        raise MeasureError(f"{cls.name} needs a recall level.", f"Write {cls.name}@0.1, for example.")
    try:
        built = cls(**given)
    except TypeError as problem:
        raise MeasureError(f"{written!r}: {problem}.") from problem
    if not judged_only:
        return built

    return JudgedOnly(built)


def _depth(cls: type[Measure], depth: str, written: str) -> int | float:
    """The number after the @: a cut-off, or for IPrec a recall level."""
    if cls.written_after == "cutoff":
        if not depth.isdigit() or len(depth) > DIGITS:
            raise MeasureError(f"{written!r}: a cut-off must be a whole number, at least 1 and at most {DEEPEST:,}.")
        return int(depth)
    try:
        return float(depth)
    except ValueError:
        raise MeasureError(f"{written!r}: {depth} is not a number.") from None


def split_names(text: str) -> list[str]:
    """Names separated by commas; commas inside parentheses or braces belong to a name.

    >>> split_names("nDCG@10, P(rel=2)@5,nDCG(gains={0: 0, 1: 1})")
    ['nDCG@10', 'P(rel=2)@5', 'nDCG(gains={0: 0, 1: 1})']
    """
    names, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "({[") - (letter in ")}]")
        if letter == "," and depth == 0:
            names.append(text[start:i])
            start = i + 1
    return [name.strip() for name in (*names, text[start:]) if name.strip()] or [text]


# ── other people's names ────────────────────────────────────────────────────────────────────────────────────────────
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"

#: trec_eval's names → ours, read here and printed by `evaluate --trec-eval`; {k} is a whole number
TREC_EVAL = {
    "map": "AP",
    "map_cut_{k}": "AP@{k}",
    "gm_map": "GMAP",
    "gm_bpref": "GMBpref",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "P_{k}": "P@{k}",
    "recall_{k}": "R@{k}",
    "relative_P_{k}": "RelP@{k}",
    "success_{k}": "Success@{k}",
    "ndcg": "nDCG",
    "ndcg_cut_{k}": "nDCG@{k}",
    "11pt_avg": "IPrecAvg",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonRelRet",
    "rbp_resid": "TrecRBPResidual",
}
_OTHERS = [
    (rf"iprec_at_recall_{_NUMBER}", r"IPrec@\1"),
    (rf"rprec_mult_{_NUMBER}", r"Rprec(mult=\1)"),
    (r"11pt_avg_([\d.,]+)", r"IPrecAvg(levels=[\1])"),
    (r"utility_(-?[\d.]+),(-?[\d.]+),(-?[\d.]+),(-?[\d.]+)", r"Utility(a=\1, b=\2, c=\3, d=\4)"),
    (r"set_relative_p", "SetRelP"),
    (r"unj_(\d+)", r"Unjudged@\1"),
    (r"map_avgjg", "AP_avgjg"),
    (r"p_avgjg_(\d+)", r"P_avgjg@\1"),
    (rf"rprec_mult_avgjg_{_NUMBER}", r"Rprec_avgjg(mult=\1)"),
    (r"map(\(.*\))?(@\d+)?", r"AP\1\2"),
    (r"mrr(\(.*\))?(@\d+)?", r"RR\1\2"),
    (r"precision(\(.*\))?[_@](\d+)", r"P\1@\2"),
    (r"recall(\(.*\))?@(\d+)", r"R\1@\2"),
    (r"map_ia(\(.*\))?", r"AP_IA\1"),
    (r"hit[ _-]?rate(\(.*\))?(@\d+)?", r"Success\1\2"),
]
_VERSION_10 = [
    (r"rbp", "TrecRBP"),
    (rf"iprec_at_recall_{_NUMBER}", r"IPrec(rounding='v10')@\1"),
    (r"11pt_avg", "IPrecAvg(rounding='v10')"),
    (r"11pt_avg_([\d.,]+)", r"IPrecAvg(levels=[\1], rounding='v10')"),
]
_REFUSED = [
    (r"runid", "it is the name of the run, not a number"),
    (r"relstring(_\d+)?", "it is a text of grades, not a number"),
    (r"prefs_\w+", "it counts preferences; `dissensus.preferences` reads and compares them"),
    (r"yaap", "it is not among the measures that trec_eval prints by default"),
]


@lru_cache(1024)  # sixty patterns a name, and names are asked for again and again
def ours(name: str, *, trec_eval: bool = False) -> str:
    """A name as we write it; `trec_eval` reads it as version 10 of that program does.

    >>> ours("ndcg_cut_10"), ours("MAP(rel=2)"), ours("rbp"), ours("rbp", trec_eval=True)
    ('nDCG@10', 'AP(rel=2)', 'rbp', 'TrecRBP')
    """
    text = name.strip()
    if text[:2].lower() == "α_":
        text = "alpha" + text[1:]
    for pattern, reason in _REFUSED:
        if re.fullmatch(pattern, text, re.IGNORECASE):
            raise MeasureError(f"{name!r} of trec_eval is not computed: {reason}.")
    for pattern, written in (*(_VERSION_10 if trec_eval else ()), *_patterns(), *_OTHERS):
        if re.fullmatch(pattern, text, re.IGNORECASE | re.DOTALL):
            return re.sub(pattern, written, text, count=1, flags=re.IGNORECASE | re.DOTALL)
    return text


@cache
def _patterns() -> list[tuple[str, str]]:
    return [(theirs.replace("{k}", r"(\d+)"), name.replace("{k}", r"\1")) for theirs, name in TREC_EVAL.items()]
