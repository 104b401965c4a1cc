"""Rebuild the tables behind the claims of the documentation: `make evidence`.

    python tools/evidence.py                 every part that is not there yet, one after the other
    python tools/evidence.py noise markov    these parts, again if they are there
    python tools/evidence.py --minutes 10    stop each part after ten minutes; the next call goes on where it was
    python tools/evidence.py --workers 1     with one process at a time; without it all cores
    python tools/evidence.py coverage-ndcg --set audits=20   smaller than documented; the file says so
    python tools/evidence.py --list          the parts, their commands, and how long each took
    python tools/evidence.py --pages         write the numbers into the pages that show them (no part is run)

A part is a `dissensus experiment` with a seed. It works in build/evidence/NAME, a workspace: stop it (Ctrl-C, a time
limit, a crash) and the next call goes on. Its tables, its seed, its version and the seconds it took go to
docs/evidence/NAME.json. Pages show tables between `<!-- evidence: NAME / TABLE -->` and `<!-- end -->`; a test compares
them with the files. Real data are looked for beside the repository (../shared/data) and a part without them is skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
TARGET = ROOT / "docs" / "evidence"
WORK = ROOT / "build" / "evidence"
FIGURES = ROOT / "docs" / "evidence" / "figures"
MINUTES = 40.0  # of one part at a time
BLOCK = re.compile(
    r"<!-- evidence: (?P<parts>[\w+-]+) / (?P<table>[^>|]+?)(?: \| (?P<columns>[^>|]*?))?(?: \| (?P<rows>[^>|]*?))? -->"
    r"\n(.*?)<!-- end -->",
    re.DOTALL,
)


@dataclass(frozen=True)
class Part:
    """One experiment: its words, the tables worth keeping, and the data it needs beside the repository."""

    words: tuple[str, ...]
    tables: tuple[str, ...]
    data: str | None = None
    repeats: bool = True  # has work that a workspace can keep
    bench: bool = False  # a module of bench/ instead of an experiment: it has peers beside us
    first: int = 0  # fields of the data's data.csv to keep, as `cut` does: free text with commas comes after them
    so_far: bool = False  # its table says how much of it is done: it is kept when the time is over, too
    plot: str | None = None  # where its figures go: this name in docs/evidence/figures, the chart's before the ending

    def smaller(self, given: list[str]) -> Part:
        """The same with other settings."""
        return replace(self, words=(*self.words, *(word for s in given for word in ("--set", s))))

    def command(self) -> list[str]:
        """The words after `python -m`; DATA is the folder of real data."""
        if self.bench:
            return [f"bench.{self.words[0]}"]
        folder = DATA / (self.data or "")
        kept = str(WORK / f"{self.data}.csv")
        return ["dissensus", "experiment", *(w.replace("DATA", str(folder)).replace("KEPT", kept) for w in self.words)]

    def shown(self) -> str:
        """The command as one would type it."""
        if self.bench:
            return f"python -m bench.{self.words[0]}"
        folder = f"../shared/data/{self.data}"
        words = [w.replace("DATA", folder).replace("KEPT", "kept.csv") for w in self.words]
        text = " ".join(["dissensus experiment", *(f'"{w}"' if "*" in w or " " in w else w for w in words)])
        return f"cut -d, -f1-{self.first} {folder}/data.csv > kept.csv; {text}" if self.first else text

    def prepare(self) -> None:
        """Write the fields to keep."""
        if self.first:
            lines = (DATA / (self.data or "") / "data.csv").read_text("utf-8").splitlines()
            kept = [",".join(line.split(",")[: self.first]) for line in lines]
            (WORK / f"{self.data}.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")


def settings(**given: Any) -> tuple[str, ...]:
    return tuple(word for name, value in given.items() for word in ("--set", f"{name}={value}"))


DL21 = (
    *("--runs", "DATA/runs/*", "--judgments", "DATA/qrels.nist.txt"),
    *("--judgments", "DATA/qrels.umbrela-gpt4.txt.gz", "--judgments", "DATA/qrels.umbrela-gpt4o.txt.gz"),
    *("--judgments", "DATA/qrels.binary-gpt4.txt.gz", "--judgments", "DATA/qrels.binary-gpt4o.txt.gz"),
    *("--judgments", "DATA/qrels.exam-max-gpt4o.txt.gz", "--judgments", "DATA/qrels.binary-llama3.2.txt.gz"),
    *settings(gold="qrels.nist"),
)
TWO_GRADES = (  # merging labels asks for one scale: relevant from 2 on, with EXAM from 4 on
    *("--map", "qrels.nist:0=0,1=0,2=1,3=1"),
    *("--map", "qrels.umbrela-gpt4:0=0,1=0,2=1,3=1", "--map", "qrels.umbrela-gpt4o:0=0,1=0,2=1,3=1"),
    *("--map", "qrels.exam-max-gpt4o:0=0,1=0,2=0,3=0,4=1,5=1"),
)
UMBRELA = "qrels.umbrela-gpt4,qrels.umbrela-gpt4o"
TEN = (  # UMBRELA twice, a binary judge, and the judges of prompt-judges-dl21 nearest to D = 0.04, 0.12 … 0.36, 0.42
    *("--runs", "DATA/runs/*", "--judgments", "NIST=DATA/qrels.nist.txt"),
    *("--judgments", "UMBRELA-GPT4=DATA/qrels.umbrela-gpt4.txt.gz"),
    *("--judgments", "UMBRELA-GPT4o=DATA/qrels.umbrela-gpt4o.txt.gz"),
    *("--judgments", "binary-llama=DATA/qrels.binary-llama3.2.txt.gz"),
    *("--judgments", "DATA/../prompt-judges-dl21/graded.csv.gz"),
    *settings(
        gold="NIST",
        judges="UMBRELA-GPT4,UMBRELA-GPT4o,binary-llama,mistral-g28,llama3.2-g14,llama3.2-g1,llama3.2-g11,llama3.2-g25,"
        "llama3.2-g26,llama3.2-g24",
        audits=100,
    ),
)
PEOPLE = "diku-relevance-credibility"  # ten people, each on the five results they saw
DIKU = ("KEPT", "--columns", "assessor=1,topic=2,doc=4,grade=5", "--scale", "1..4")
PROMPTS = (  # every fifth of the 53 graded judges of prompt-judges-dl21, by name
    *("--runs", "DATA/runs/*", "--judgments", "NIST=DATA/qrels.nist.txt"),
    *("--judgments", "DATA/../prompt-judges-dl21/graded.csv.gz", "--scale", "0..3"),
    *settings(
        gold="NIST",
        judges="llama3.2-g1,llama3.2-g15,llama3.2-g2,llama3.2-g25,llama3.2-g31,mistral-g0,mistral-g14,mistral-g19,"
        "mistral-g24,mistral-g3",
    ),
)
COURT = ("sentences", "verdicts", "loss", "chances", "gate")
NOT_LINEAR = "nDCG@10,ERR@10,RR(rel=2)@10,AP(rel=2)"

PARTS: dict[str, Part] = {
    "axioms": Part(("axioms",), ("axioms",), repeats=False),
    "labelling": Part(("labelling",), ("table",)),
    "balancing": Part(("balancing",), ("indices", "separation")),
    "markov": Part(
        ("markov",), ("correlations", "with AP", "Table 5.2", "pool_tau", "pool_tau_sd", "holding"), repeats=False
    ),
    "markov-dl21": Part(
        ("markov", "--runs", "DATA/runs/*", "--judgments", "DATA/qrels.nist.txt", *settings(rel=2)),
        ("correlations", "with AP", "Table 5.2", "pool_tau", "pool_tau_sd"),
        data="trec-dl21-passage",
        repeats=False,
    ),
    "markov-robust03": Part(
        ("markov", "--runs", "DATA/runs/*", "--judgments", "DATA/qrels.robust03.txt.gz"),
        ("correlations", "with AP", "Table 5.2", "pool_tau", "pool_tau_sd"),
        data="trec-robust03",
        repeats=False,
    ),
    "court": Part(("court", *settings(audits=60, labels="100,300", targets="these_topics,population")), COURT),
    "court-demo": Part(
        (
            *("court", "--runs", "examples/runs/*", "--judgments", "examples/labels.csv"),
            *("--judgments", "examples/truth.csv", *settings(gold="truth", judges="llm", audits=200, labels="100,300")),
        ),
        COURT,
    ),
    "court-dl21": Part(("court", *PROMPTS, *settings(audits=30)), COURT, data="trec-dl21-passage"),
    "court-dl21-topics": Part(
        ("court", *PROMPTS, *settings(audits=10, targets="population")), COURT, data="trec-dl21-passage"
    ),
    "ceiling-dl23": Part(
        (
            "ceiling",
            *("DATA/human_test_qrels.txt", "DATA/submissions/h2oloo-fewself.txt.gz"),
            *("DATA/submissions/Olz-gpt4o.txt.gz", "DATA/submissions/TREMA-4prompts.txt.gz"),
            *("DATA/submissions/willia-umbrela1.txt.gz", "DATA/submissions/RMITIR-llama70B.txt.gz"),
        ),
        ("summary",),
        data="llmjudge-dl23",
        repeats=False,
        plot="ceiling-dl23.png",
    ),
    "ceiling-diku": Part(
        ("ceiling", *DIKU, *settings(min_documents=4)), ("summary",), data=PEOPLE, first=5, repeats=False
    ),
    "disagreement-diku": Part(
        ("disagreement", *DIKU, *settings(mutual="no")), ("Table 3", "weights"), data=PEOPLE, first=5, repeats=False
    ),
    "disagreement": Part(("disagreement", *settings(mutual="no")), ("Table 3", "weights"), repeats=False),
    "disagreement-rf10": Part(
        ("disagreement", "DATA/trec-rf10-data.txt.gz", *settings(repeats="others", mutual="no")),
        ("Table 1", "Table 3", "weights"),
        data="trec-rf10-crowd",
        repeats=False,
    ),
    "preferences-dl21": Part(
        (
            "preferences",
            *("people=DATA/human_preferences.dl21.txt.gz", "GPT-4o=DATA/gpt4o_on_human_preference_pairs.dl21.txt.gz"),
            *("--runs", "DATA/runs/*", "--judgments", "NIST=DATA/qrels.nist.txt"),
        ),
        ("assessors", "agreement", "orders of runs", "rectified"),
        data="trec-dl21-passage",
        plot="preferences-dl21.svg",
    ),
    "preference-audits": Part(
        ("preference_audits", "DATA/people.csv.gz", "DATA/llm.csv.gz"),
        ("win rates", "audits"),
        data="crowdrag25",
    ),
    "multiverse-dl21": Part(
        (
            *("multiverse", "nist=DATA/../trec-dl21-passage/qrels.nist.txt"),
            *(
                "--runs",
                "DATA/../trec-dl21-passage/runs/*",
                "--judgments",
                "DATA/graded.csv.gz",
                *settings(audits=40),
            ),
        ),
        ("conclusions", "winners", "components", "panel", "set aside", "near gold", "audits"),
        data="prompt-judges-dl21",
        plot="multiverse-dl21.svg",
    ),
    "multiverse-dl21-binary": Part(
        (
            *("multiverse", "--runs", "DATA/../trec-dl21-passage/runs/*", "--judgments", "DATA/binary.csv.gz"),
            *settings(measures="nDCG@10,P@10"),
        ),
        ("conclusions", "winners", "components", "panel"),
        data="prompt-judges-dl21",
        plot="multiverse-dl21-binary.svg",
    ),
    "ceiling": Part(("ceiling",), ("summary", "Table 1"), repeats=False),
    "aware": Part(("aware", *settings(tuples=10)), ("approaches", "ANOVA tau_ap", "ANOVA rmse", "top groups")),
    **{
        f"aware-shared{name}": Part(("aware", *settings(tuples=10, shared=share)), ("approaches", "top groups"))
        for name, share in (("-30", 0.3), ("", 0.6), ("-90", 0.9))
    },
    "aware-dl21": Part(
        ("aware", *DL21, *TWO_GRADES, *settings(tuples=10, split=1)),
        ("approaches", "ANOVA tau_ap", "ANOVA rmse", "top groups"),
        data="trec-dl21-passage",
    ),
    "aware-prompts": Part(
        (
            *("aware", "--runs", "DATA/runs/*", "--judgments", "DATA/qrels.nist.txt"),
            *("--judgments", "DATA/../prompt-judges-dl21/graded.csv.gz"),
            *settings(gold="qrels.nist", tuples=5, split=1, sizes="2,4,8,16,32"),
        ),
        ("approaches", "ANOVA tau_ap", "ANOVA rmse", "top groups"),
        data="trec-dl21-passage",
    ),
    "judges": Part(("judges",), ("biases", "replaceability")),
    "merging": Part(("merging_table",), ("accuracy", "against", "warned"), data="snow2008", repeats=False, bench=True),
    "coverage-simulated": Part(
        ("coverage", *settings(audits=100, labels="100,300,1000")),
        ("cells", "summary"),
        plot="coverage-simulated.svg",
    ),
    "coverage-demo": Part(
        (
            *("coverage", "--runs", "examples/runs/*"),
            *("--judgments", "examples/labels.csv", "--judgments", "examples/truth.csv"),
            *settings(gold="truth", judges="llm", systems=0, favoured="llm-rerank,llm-rewrite"),
            *settings(audits=200, labels="100,300", measures="P(rel=2)@10,nDCG@10"),
        ),
        ("cells",),
    ),
    "coverage-imputed": Part(
        (
            *("coverage", *TEN),
            *settings(measures="ERR@10,RR(rel=2)@10", labels="100,200,500,1000", designs="planned,random", audits=10),
        ),
        ("cells", "summary"),
        data="trec-dl21-passage",
    ),
    "coverage-ndcg": Part(
        ("coverage", *TEN, *settings(measures="nDCG@10", census="yes")),
        ("cells", "census"),
        data="trec-dl21-passage",
    ),
    "coverage-ndcg-topics": Part(
        ("coverage", *TEN, *settings(measures="nDCG@10", targets="population")),
        ("cells", "summary"),
        data="trec-dl21-passage",
    ),
    "coverage-ndcg-labels": Part(
        ("coverage", *TEN, *settings(measures="nDCG@10", labels="100,150,500", designs="planned,random", audits=20)),
        ("cells", "summary"),
        data="trec-dl21-passage",
    ),
    "coverage-ap": Part(
        ("coverage", *TEN, *settings(measures="AP(rel=2)", audits=60, census="yes")),
        ("cells", "census"),
        data="trec-dl21-passage",
    ),
    "coverage-linear": Part(
        (
            *("coverage", *TEN),
            *settings(measures="P(rel=2)@10", labels="300", designs="planned,random"),
        ),
        ("cells",),
        data="trec-dl21-passage",
    ),
    **{
        f"coverage-linear-{name}": Part(
            (
                *("coverage", *TEN, *settings(measures="P(rel=2)@10", labels="100,300,1000", designs="planned,random")),
                *settings(audits=audits, systems=systems, targets=target),
            ),
            ("cells", "summary"),
            data="trec-dl21-passage",
            plot="coverage-linear.svg" if name == "labels" else None,
        )
        for name, systems, target, audits in (
            ("labels", 20, "these_topics", 100),
            ("all", 0, "these_topics", 60),
            ("topics", 20, "population", 40),
            ("all-topics", 0, "population", 20),
        )
    },
    "sequential": Part(("sequential", *settings(paths=200)), ("failures",)),
    "correction": Part(
        ("correction", *settings(repetitions=2000)),
        ("coverage", "labels needed", "section 5", "section 6", "Table 2"),
    ),
    "noise": Part(
        ("noise", *settings(documents=6000, repeats=3, folds=5)),
        ("claim", "same grade"),
    ),
    "noise-prank": Part(
        ("noise", *settings(rankers="PRank", documents=3000, repeats=1, folds=3)),
        ("more grades, better balance", "Fig. 3"),
    ),
    "audit-faults": Part(("audit_faults",), ("faults", "damaged files"), bench=True, so_far=True),
    "dynamics": Part(("dynamics", *settings(documents=6000, folds=5, full=600)), ("table", "Table 5.5, differences")),
}


def run(name: str, minutes: float, workers: int | None = None) -> str:
    """Run one part for so many minutes; a line about how it went."""
    part = PARTS[name]
    if part.data is not None and not (DATA / part.data).is_dir():
        return f"{name}: skipped, the data {part.data} are not beside the repository (../shared/data)"
    WORK.mkdir(parents=True, exist_ok=True)
    part.prepare()
    out, spent = WORK / f"{name}.json", WORK / f"{name}.seconds"
    command = [sys.executable, "-m", *part.command(), "--json"]
    if workers is not None:
        command += ["--workers", str(workers)]
    if part.plot is not None:
        command += ["--plot", str(FIGURES / part.plot)]
    if part.repeats:
        command += ["--workspace", str(WORK / name)]
    before = float(spent.read_text()) if spent.exists() else 0.0
    start = time.monotonic()
    with out.open("w") as file:
        process = subprocess.Popen(command, stdout=file, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"})
        try:
            status = process.wait(60 * minutes)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
            status = None
    seconds = before + time.monotonic() - start
    spent.write_text(str(seconds))
    if status is None and part.so_far:
        keep(name, json.loads(subprocess.check_output([*command, "--so-far"], cwd=ROOT)), seconds)
    if status is None:
        return f"{name}: stopped after {minutes:g} minutes, {seconds:,.0f} s so far; call again to go on"
    if status != 0:
        raise SystemExit(f"{name}: `{part.shown()}` failed with status {status}")
    keep(name, json.loads(out.read_text()), seconds)
    spent.unlink()
    return f"{name}: done in {seconds:,.0f} s"


def keep(name: str, document: dict[str, Any], seconds: float) -> None:
    """Write the part's tables to docs/evidence."""
    from dissensus import __version__

    part = PARTS[name]
    missing = [table for table in part.tables if table not in document["tables"]]
    if missing:
        raise SystemExit(f"{name}: there is no table {missing[0]!r}; there are {', '.join(document['tables'])}")
    facts = {
        "schema": 1,
        "command": part.shown(),
        "seed": document.get("seed", 0),
        "version": __version__,
        "seconds": round(seconds),
        "notes": document.get("notes", []),
        "tables": {table: _rounded(document["tables"][table]) for table in part.tables},
    }
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / f"{name}.json").write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()} for row in rows]


def table(names: str, title: str, columns: str | None = None, rows: str | None = None) -> str:
    """A table of a part as Markdown, or of several parts joined by +, which are its first column.

    `columns` are those to show; `rows` such as "approach=mv,emmv" are those to keep, in that order.
    """
    found: list[dict[str, Any]] = []
    for name in names.split("+"):
        here = json.loads((TARGET / f"{name}.json").read_text("utf-8"))["tables"][title]
        if rows:
            column, _, wanted = rows.partition("=")
            by = {str(row[column]): row for row in here}
            here = [by[value.strip()] for value in wanted.split(",")]
        found += [{"part": name, **row} for row in here] if "+" in names else here
    shown = [c.strip() for c in columns.split(",")] if columns else list(found[0])
    lines = ["| " + " | ".join(shown) + " |", "|" + "---|" * len(shown)]
    lines += ["| " + " | ".join(_cell(row.get(c)) for c in shown) + " |" for row in found]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 100 else f"{value:,.0f}"
    return str(value).replace("|", "\\|")


def filled(text: str) -> str:
    """A page with its tables as the files in docs/evidence have them."""

    def block(match: re.Match[str]) -> str:
        head = match[0].partition("\n")[0]
        found = table(match["parts"], match["table"], match["columns"], match["rows"])
        return f"{head}\n\n{found}\n<!-- end -->"

    return BLOCK.sub(block, text)


def pages() -> list[Path]:
    """The pages that show evidence."""
    return [p for p in sorted((ROOT / "docs").rglob("*.md")) if BLOCK.search(p.read_text("utf-8"))]


def listing() -> str:
    """The parts, with what is there."""
    lines = []
    for name, part in PARTS.items():
        file = TARGET / f"{name}.json"
        state = f"{json.loads(file.read_text('utf-8'))['seconds']:,} s" if file.exists() else "not run"
        lines.append(f"{name:18} {state:>9}  {part.shown()}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tools/evidence.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="at most so long for one part (40)")
    parser.add_argument("--workers", type=int, help="processes of one part (all cores)")
    parser.add_argument("--set", action="append", default=[], dest="given", help="another setting than the part's")
    parser.add_argument("--list", action="store_true", help="show the parts and their times")
    parser.add_argument("--pages", action="store_true", help="write the numbers into the pages")
    arguments = parser.parse_args()
    if unknown := [n for n in arguments.names if n not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    if arguments.given and not arguments.names:
        parser.error("--set needs the name of a part")
    for name in arguments.names if arguments.given else ():
        PARTS[name] = PARTS[name].smaller(arguments.given)
    if arguments.list:
        sys.stdout.write(listing() + "\n")
        return
    if not arguments.pages:
        for name in arguments.names or [n for n in PARTS if not (TARGET / f"{n}.json").exists()]:
            sys.stdout.write(run(name, arguments.minutes, arguments.workers) + "\n")
            sys.stdout.flush()
    for page in pages():
        page.write_text(filled(page.read_text("utf-8")), encoding="utf-8")
    subprocess.run([sys.executable, str(Path(__file__).with_name("claims.py"))], check=True)


if __name__ == "__main__":
    main()
