"""Boosted trees as plain numbers: taken from LightGBM's text, checked, and turned back into text.

A model file holds these numbers and not LightGBM's text, whose reader trusts it: a changed child or feature number
makes it read beyond its arrays, and the process dies. Here every tree is checked before LightGBM sees it: children
form one tree in which each node appears once, features exist, thresholds and leaves are finite.

    >>> trees = from_text(to_text([{"feature": [0], "threshold": [0.5], "decision": [2], "left": [-1], "right": [-2],
    ...                             "leaf": [0.0, 1.0]}], 1))
    >>> trees[0]["leaf"]
    [0.0, 1.0]
"""

from __future__ import annotations

import numpy as np

from dissensus.learning.rankers.model_file import numbers

Tree = dict[str, list[object]]
# ours → LightGBM's; children below zero are leaves: −1 is leaf 0, −2 leaf 1 …
NAMES = {
    "feature": "split_feature",
    "threshold": "threshold",
    "decision": "decision_type",
    "left": "left_child",
    "right": "right_child",
    "leaf": "leaf_value",
}
WHOLE = {"feature", "decision", "left", "right"}
# LightGBM's bits: 2 is "missing goes left", 4 and 8 the kind of missing value; 1 would be a categorical split
DECISIONS = {0, 2, 4, 6, 8, 10}


def from_text(text: str) -> list[Tree]:
    """The trees in a text that LightGBM wrote in this process."""
    trees = []
    for block in text.partition("end of trees")[0].split("\nTree=")[1:]:
        values = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        tree: Tree = {}
        for ours, theirs in NAMES.items():
            kind = int if ours in WHOLE else float
            tree[ours] = [kind(v) for v in values.get(theirs, "").split()]
        trees.append(tree)
    return trees


def to_text(trees: list[Tree], n_features: int) -> str:
    """Checked trees as LightGBM reads them."""
    head = [
        "tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0",
        f"max_feature_idx={n_features - 1}",
        "feature_names=" + " ".join(f"Column_{f}" for f in range(n_features)),
        "feature_infos=" + " ".join(["none"] * n_features), "", "",
    ]  # fmt: skip
    blocks = []
    for number, tree in enumerate(trees):
        lines = [f"Tree={number}", f"num_leaves={len(tree['leaf'])}", "num_cat=0"]
        lines += [f"{theirs}={' '.join(map(repr, tree[ours]))}" for ours, theirs in NAMES.items()]
        blocks.append("\n".join([*lines, "is_linear=0", "shrinkage=1", "", "", ""]))
    return "\n".join(head) + "".join(blocks) + "end of trees\n"


def checked(trees: object, n_features: int) -> list[Tree]:
    """The trees, if they are trees; a ValueError says what is wrong with which."""
    if not isinstance(trees, list) or not trees:
        raise ValueError("it has no trees")
    return [_checked(tree, f"tree {number}", n_features) for number, tree in enumerate(trees)]


def _checked(tree: object, where: str, n_features: int) -> Tree:
    if not isinstance(tree, dict):
        raise ValueError(f"{where} is not a tree")
    leaves = len(numbers(tree, "leaf"))
    if leaves < 1:
        raise ValueError(f"{where} has no leaf")
    nodes = leaves - 1
    arrays = {name: numbers(tree, name, length=nodes, whole=name in WHOLE) for name in NAMES if name != "leaf"}
    if ((arrays["feature"] < 0) | (arrays["feature"] >= n_features)).any():
        raise ValueError(f"{where} splits by a feature beyond the {n_features} it was trained on")
    if not set(arrays["decision"].tolist()) <= DECISIONS:
        raise ValueError(f"{where} has a kind of split that rankers do not use")
    # each node but the root, and each leaf, is the child of exactly one node, and nodes come after their parents
    children = np.concatenate([arrays["left"], arrays["right"]])
    if sorted(children.tolist()) != [*range(-leaves, 0), *range(1, nodes)] and nodes:
        raise ValueError(f"{where} is not a tree: a node is missing, or appears twice")
    for side in ("left", "right"):
        inner = arrays[side] >= 0
        if (arrays[side][inner] <= np.arange(nodes)[inner]).any():
            raise ValueError(f"{where} is not a tree: a node comes before its parent")
    out: Tree = {name: array.tolist() for name, array in arrays.items()}
    out["leaf"] = numbers(tree, "leaf").tolist()
    return out
