"""The words by which tests know a sentence that users see: `words/phrases.toml` holds them, and no test does.

    assert phrase("agree.looks-random", "w3") in out

A note, verdict or heading that no value tells from others is asserted by its key and its values. Who rewords it in
`src` changes its row there (and the complete texts in `test_wording.py`), and nothing else in the tests.
"""

from __future__ import annotations

import tomllib

from paths import ROOT

PHRASES: dict[str, str] = {
    f"{section}.{name}": words
    for section, rows in tomllib.loads((ROOT / "tests" / "words" / "phrases.toml").read_text(encoding="utf-8")).items()
    for name, words in rows.items()
}


def phrase(key: str, *values: object) -> str:
    """The words of a sentence, with its values in the places of `{}`."""
    return PHRASES[key].format(*values)
