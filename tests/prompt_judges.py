"""53 graded LLM judges (LLM × prompt) of the runs of TREC 2021's deep learning track, read once."""

from __future__ import annotations

from functools import cache
from typing import Any

from paths import shared_data

import dissensus as ds


@cache
def dl21_prompt_judges() -> tuple[Any, Any, Any]:
    """(runs, NIST's labels as assessor `nist`, labels of the 53 judges); the test is skipped where they are absent."""
    trec, prompts = shared_data("trec-dl21-passage"), shared_data("prompt-judges-dl21")
    runs = ds.read_runs(str(trec / "runs" / "*.gz"))
    return runs, ds.read_judgments(f"nist={trec / 'qrels.nist.txt'}"), ds.read_judgments(prompts / "graded.csv.gz")
