"""How large the house is: the counts that say whether it got simpler, beside those of 0.2.0.

    python tools/counts.py            all counts (the walks take some seconds)
    python tools/counts.py --names    also the names behind them

Lines of code are lines with a token other than a comment or a docstring.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
MOST = 7  # parameters of a function
# what 0.2.0 had, and what is wanted
BEFORE = {
    "lines of code": (52_140, 44_000),
    "files": (474, None),
    "imports inside functions": (1_047, 250),
    "Any": (1_039, 450),
    "functions with more than seven parameters": (60, 25),
    "class names in several files": (21, 0),
    "walk evaluate": (37, 25),
    "walk correct": (62, 45),
    "walk report": (126, 95),
}
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(text: str) -> int:
    """The lines of code of a file.

    >>> code_lines('\"\"\"A claim.\"\"\"\\n\\n# why\\nx = 1\\n')
    1
    """
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is compiled: decorated with numba's jit or our own name for it."""
    return any("jit" in ast.unparse(d) or "compiled" in ast.unparse(d) for d in function.decorator_list)


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    a = function.args
    return len([x for x in (*a.posonlyargs, *a.args, *a.kwonlyargs) if x.arg not in ("self", "cls")])


def counted(source: Path) -> dict[str, tuple[int, list[str]]]:
    """{count: (its value, the names behind it)} of the files below a folder."""
    texts = {path: path.read_text("utf-8") for path in sorted(source.rglob("*.py"))}
    inside: list[str] = []
    anything: list[str] = []
    many: list[str] = []
    classes: dict[str, list[str]] = defaultdict(list)
    for path, text in texts.items():
        name = str(path.relative_to(source))
        tree = ast.parse(text)
        for f in functions(tree):
            inside += [f"{name}:{n.lineno}" for n in ast.walk(f) if isinstance(n, ast.Import | ast.ImportFrom)]
            command = name.startswith("cli") or f.name == "command"
            if parameters(f) > MOST and not command and not is_kernel(f) and "kernel" not in name:
                many.append(f"{name}:{f.lineno} {f.name}: {parameters(f)}")
        anything += [f"{name}:{n.lineno}" for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "Any"]
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(name)
    several = [f"{c}: {', '.join(files)}" for c, files in classes.items() if len(files) > 1]
    return {
        "lines of code": (sum(map(code_lines, texts.values())), []),
        "files": (len(texts), []),
        "imports inside functions": (len(set(inside)), sorted(set(inside))),
        "Any": (len(anything), anything),
        "functions with more than seven parameters": (len(many), many),
        "class names in several files": (len(several), several),
    }


def main(words: list[str]) -> int:
    from tools.walks import WALKS, walk

    found = counted(ROOT / "src" / "dissensus")
    for name, command in WALKS.items():
        files = walk(command)["executed"]
        found[f"walk {name}"] = (len(files), files)
    sys.stdout.write(f"{'':42} {'0.2.0':>8} {'now':>8} {'goal':>8}\n")
    for name, (value, names) in found.items():
        before, goal = BEFORE[name]
        sys.stdout.write(f"{name:42} {before:>8,} {value:>8,} {'' if goal is None else format(goal, ','):>8}\n")
        if "--names" in words:
            sys.stdout.write("".join(f"    {n}\n" for n in names))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
