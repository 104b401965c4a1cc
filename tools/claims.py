"""The page docs/evidence/claims.md: each claim of the papers and ours, with what was tested, on what, and the verdict.

    python tools/claims.py          write the page
    python tools/claims.py --show   print it

tools/claims.toml holds the claims, tools/claim_rules.py the rules that judge them by docs/evidence. No verdict can
outlive its evidence: a test compares the page with what the rules say now.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import claim_rules as rules  # noqa: E402
import evidence  # noqa: E402
from claim_rules import Judged  # noqa: E402

EVIDENCE = ROOT / "docs" / "evidence"
PAGE = ROOT / "docs" / "evidence" / "claims.md"
NOT_RUN = "not run"
MARK = {rules.CONFIRMED: "✓ confirmed", rules.REFUTED: "✗ refuted", rules.OPEN: "? cannot tell"}
HEAD = """\
# Claims

{counts}
Each claim stands here in one clause of ours, with its place in the paper, the data it was tested on, the rule that was
fixed beforehand, and an estimate with its interval. Power is the chance that the paper's own effect would have
been shown here. Verdicts come from the tables in `docs/evidence` and from nothing else: `make evidence` rebuilds the
tables, `python tools/claims.py` rebuilds this page, and a test compares the two. A verdict on generated data applies to
data like these. Intervals are 95%.
"""


def table() -> dict[str, Any]:
    """Papers and claims, as tools/claims.toml has them."""
    return tomllib.loads((HERE / "claims.toml").read_text("utf-8"))


def judged(claim: dict[str, Any], part: str) -> Judged:
    """What the rule says of one part, or that the part has not been run."""
    file = EVIDENCE / f"{part}.json"
    if not file.exists():
        return Judged(NOT_RUN, "–")
    rule = getattr(rules, claim["rule"])
    answer: Judged = rule(json.loads(file.read_text("utf-8"))["tables"], claim)
    return answer


def answers(claim: dict[str, Any]) -> list[tuple[str, Judged]]:
    """(part, what the rule says of it); a claim that nothing here can test has one answer without a part."""
    if "part" not in claim:
        return [("", Judged(rules.UNTESTED, "–"))]
    parts = [claim["part"], *claim.get("also", ())]
    return [(part, judged(claim, part)) for part in parts]


def entry(claim: dict[str, Any]) -> list[str]:
    """A claim with its verdicts, and what stands behind them folded."""
    found = answers(claim)
    lines = [f"**{claim['claim']}** {claim['place']}", ""]
    for part, answer in found:
        where = f" ([{part}](#{part}))" if part else ""
        estimate = f" – {answer.estimate}" if answer.estimate != "–" else ""
        lines.append(f"- {MARK.get(answer.verdict, answer.verdict)}{where}{estimate}")
    facts = [("Rule", claim["asked"]), ("Data", claim["data"])]
    if "quote" in claim:
        facts.insert(0, ("In the paper's words", f"“{claim['quote']}”"))
    if "effect" in claim:
        facts.append(("The paper's effect", claim["effect"]))
    if any(answer.power != "–" for _, answer in found):
        facts.append(("Power for it here", ", ".join(answer.power for _, answer in found)))
    lines += ["", '??? note "What was asked, and on what"', ""]
    return [*lines, *(f"    - {name}: {text}" for name, text in facts), ""]


def counted(claims: list[dict[str, Any]]) -> str:
    """How many claims of the papers ended which way, by the first part of each."""
    first = [answers(c)[0][1].verdict for c in claims if c["paper"] != "dissensus"]
    each = [f"{first.count(v)} {v}" for v in (rules.CONFIRMED, rules.REFUTED, rules.OPEN, rules.UNTESTED)]
    return f"Of {len(first)} claims of five papers, {', '.join(each[:-1])} and {each[-1]}."


def command(name: str) -> str:
    """The command that rebuilds a part, and what it took."""
    file = EVIDENCE / f"{name}.json"
    state = NOT_RUN
    if file.exists():
        facts = json.loads(file.read_text("utf-8"))
        state = f"seed {facts['seed']}, {facts['seconds']:,} s"
    return f"### {name}\n\n`{evidence.PARTS[name].shown()}` ({state})\n"


def page() -> str:
    """The page as Markdown."""
    found = table()
    claims = found["claims"]
    lines = [HEAD.format(counts=counted(claims))]
    for paper, title in found["papers"].items():
        lines += [f"## {title}", ""]
        for claim in claims:
            if claim["paper"] == paper:
                lines += entry(claim)
    parts = dict.fromkeys(part for claim in claims for part, _ in answers(claim) if part)
    return "\n".join([*lines, "## The parts", "", *(command(name) for name in parts)])


if __name__ == "__main__":
    if "--show" in sys.argv:
        sys.stdout.write(page())
    else:
        PAGE.write_text(page(), encoding="utf-8")
