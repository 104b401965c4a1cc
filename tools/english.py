"""The English linter: rules 4, 5, 13, 16, 18, 19 and 21 of the language guide, and sentences over 30 words.

    python tools/english.py            what is wrong and not excused, file by file
    python tools/english.py --shrink   write smaller counts into english-exceptions.toml

It reads what users read: README and docs, docstrings of modules and of public functions and classes, and the string
literals of errors, notes, help texts and messages. What stood before the rules is excused by a count for each file and
rule in tools/english-exceptions.toml; a count may shrink, never grow.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXCEPTIONS = ROOT / "tools" / "english-exceptions.toml"
LONGEST = 30
PERSON = r"(?:me|us|you|him|her|them|it|people|users?|readers?|everyone|anyone|experts?|[a-z]*body|the \w+|your \w+)"
RULES = {
    "semicolon": re.compile(r"[^\s;&][^;&]*?;(?=\s|$)"),
    "tell": re.compile(rf"(?<!cannot )\b(?:tells?|told|telling)\b(?!\s+(?:{PERSON})\b)(?![^.;:]*\bapart\b)", re.I),
    "how far": re.compile(r"\bhow far\b(?!\s+(?:apart|away|down|below|above|off|from))", re.I),
    "beside": re.compile(r"\bbeside\b(?!s)", re.I),
    "he": re.compile(r"\b(?:he|him|his|himself)\b", re.I),
    "number": re.compile(r"\d\s%|(?<![\d.\w])\.\d+\b(?!\.)|\b[pP]\s*[=<]\s*\d+(?:\.\d+)?e-\d+"),
    "plural": re.compile(r"(?<![\d.,–-])(?<![−+=/·×] )\b1 (?:more |tied |other |new |unjudged )?"
                         r"(?:documents|topics|systems|labels|rows|judges|assessors|pairs|files|columns|grades)\b"),
}  # fmt: skip
WORD = re.compile(r"[^\W_][\w'’.,%@/-]*|[−+]?\d[\d.,]*%?")
SECTION = re.compile(r"Parameters|Returns|Raises|Notes|References|Examples")
COLUMNS = re.compile(r"      \S.*")  # a list of columns goes on
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|et al|vs|cf|al|Fig|Eq|No|St|pp|Tab|Proc|approx)\.$")


@dataclass(frozen=True)
class Finding:
    """A rule that a sentence breaks, and where it stands."""

    file: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text[:160]}"


def sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph.

    >>> list(sentences("One idea, e.g. this. The next one: 0.5 of it."))
    ['One idea, e.g. this.', 'The next one: 0.5 of it.']
    """
    start = 0
    for end in re.finditer(r"[.!?…](?:[\"'”)*]|`(?=\s))*(?=\s+[\"'“(*`]*[A-Z0-9`])|[.!?]$", text):
        if not ABBREVIATION.search(text[start : end.end()]):
            yield text[start : end.end()].strip()
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def broken(paragraph: str) -> Iterator[tuple[str, str]]:
    """(rule, sentence) of every rule that a paragraph breaks.

    >>> [rule for rule, _ in broken("It tells how many; 95 % of them.")]
    ['semicolon', 'tell', 'number']
    """
    text = re.sub(r"\s+", " ", re.sub(r"`[^`]*`|\$[^$]*\$|https?://\S+|\]\([^)]*\)", " X ", paragraph)).strip()
    for sentence in sentences(text):
        for rule, pattern in RULES.items():
            if pattern.search(sentence):
                yield rule, sentence
        if len(WORD.findall(sentence)) > LONGEST:
            yield "long", sentence
    if len(re.findall(r"[^\s:]:(?=\s)", text)) > 1:
        yield "colons", text


# ── what users read ──────────────────────────────────────────────────────────────────────────────────────────────────
def paragraphs(text: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """(line, paragraph) of Markdown: a list's items and a table's cells stand alone, code and formulas are left out."""
    held: list[str] = []
    start, fenced = first, ""
    for number, line in enumerate([*text.split("\n"), ""], first):
        mark = re.match(r"\s*(```+|~~~+|\$\$)", line)
        if fenced or mark:
            if mark and (not fenced or mark[1] == fenced):
                fenced = "" if fenced or line.count("$$") > 1 else mark[1]
            line = ""
        fresh = re.match(r"\s*(?:[-*+]|\d+\.)\s|\s*#|\s*\||\s*>|!!!|\?\?\?|<", line)
        code = line.startswith("    ") and not held
        if not line.strip() or fresh or code:
            if held:
                yield start, " ".join(held)
            held = []
        if code or not line.strip() or re.match(r"\s*(?:>>>|\.\.\. |<)", line):
            continue
        if "|" in line and line.lstrip().startswith("|"):
            yield from ((number, cell.strip()) for cell in line.strip(" |").split("|"))
            continue
        if not held:
            start = number
        held.append(re.sub(r"^\s*(?:[-*+]|\d+\.|#+|>)\s", "", line).strip())


SPOKEN = re.compile(r"(?:Error|Warning|Text|Fix|Note|note|emit|option|Option|Argument|refuse\w*|warn\w*)$")


def public_names(root: Path) -> set[str]:
    """The names that `import dissensus as ds` has, and the function of a command."""
    return {*re.findall(r'^    "(\w+)": "', (root / "src/dissensus/__init__.py").read_text("utf-8"), re.M), "command"}


def strings(tree: ast.Module, public: set[str]) -> Iterator[tuple[int, str]]:
    """Docstrings of the module and of public names, and the texts of calls that speak to users."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if getattr(node, "name", "command") in public and (text := ast.get_docstring(node)):
                text = re.sub(r"^ *(?:>>>|\.\.\.)[^\n]*(?:\n(?! *\n)[^\n]*)*", "", text, flags=re.M)
                yield from paragraphs(sections_apart(text), node.body[0].lineno)
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if SPOKEN.search(name):
                for value in [*node.args, *(k.value for k in node.keywords if k.arg in ("help", "footer", "title"))]:
                    yield from ((value.lineno, text) for text in _literals(value))


def sections_apart(docstring: str) -> str:
    r"""A docstring whose NumPy sections read as paragraphs: one for each parameter, lists of columns left out.

    >>> sections_apart("Do it.\\n\\nParameters\\n----------\\nn\\n    How many.\\nk\\n    Which.").split("\\n")
    ['Do it.', '', '', '', '', 'How many.', '', 'Which.']
    """
    lines, inside = docstring.split("\n"), False
    for i, line in enumerate(lines):
        inside |= i + 1 < len(lines) and bool(SECTION.fullmatch(line)) and set(lines[i + 1]) == {"-"}
        if inside and not line.startswith((">>>", "...")):
            text = line.strip()
            lines[i] = "" if not line.startswith(" ") or text.startswith("- `") or COLUMNS.fullmatch(line) else text
    return "\n".join(lines)


def _literals(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str) and " " in value.value:
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        yield "".join(str(v.value) if isinstance(v, ast.Constant) else "X" for v in value.values)


def findings(root: Path = ROOT) -> Iterator[Finding]:
    """Everything that breaks a rule, excused or not."""
    pages = [root / "README.md", root / "examples" / "README.md", *sorted((root / "docs").rglob("*.md"))]
    public = public_names(root)
    for path in [*pages, *sorted((root / "src").rglob("*.py"))]:
        text = path.read_text("utf-8")
        parts = strings(ast.parse(text), public) if path.suffix == ".py" else paragraphs(text)
        for line, paragraph in parts:
            for rule, sentence in broken(paragraph):
                yield Finding(str(path.relative_to(root)), line, rule, sentence)


# ── what is excused ──────────────────────────────────────────────────────────────────────────────────────────────────
def excused() -> dict[str, dict[str, int]]:
    return tomllib.loads(EXCEPTIONS.read_text("utf-8")) if EXCEPTIONS.exists() else {}


def main(words: list[str]) -> int:
    """1 if a file breaks a rule more often than it is excused."""
    found = list(findings())
    counts = Counter((f.file, f.rule) for f in found)
    allowed = excused()
    grown = {k: n for k, n in counts.items() if n > allowed.get(k[0], {}).get(k[1], 0)}
    for finding in found:
        if (finding.file, finding.rule) in grown:
            sys.stdout.write(f"{finding}\n")
    for (file, rule), n in sorted(grown.items()):
        sys.stdout.write(f"{file}: {n} × {rule}, {allowed.get(file, {}).get(rule, 0)} excused\n")
    by_rule = Counter(rule for _, rule in counts.elements())
    before = Counter({rule: sum(rules.get(rule, 0) for rules in allowed.values()) for rule in by_rule})
    if "--shrink" in words:  # a file may move: what counts is the sum of a rule over all files
        more = [f"{n} × {rule}, {before[rule]} excused" for rule, n in by_rule.items() if allowed and n > before[rule]]
        if more:
            sys.stdout.write("exceptions may only shrink: " + ", ".join(more) + "\n")
            return 1
        lines = [
            "# what stood before the rules, by file and rule: it may only shrink (python tools/english.py --shrink)"
        ]
        for file in sorted({file for file, _ in counts}):
            rules = ", ".join(f'"{rule}" = {n}' for (f, rule), n in sorted(counts.items()) if f == file)
            lines.append(f'"{file}" = {{ {rules} }}')
        EXCEPTIONS.write_text("\n".join(lines) + "\n", "utf-8")
        grown = {}
    sys.stdout.write(", ".join(f"{n} {rule}" for rule, n in by_rule.most_common()) + f": {len(found)} in all\n")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
