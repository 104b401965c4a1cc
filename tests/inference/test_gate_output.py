"""A gate's result as Markdown and as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import xarray as xr
from wording import phrase

import dissensus as ds
from dissensus.inference.gate_output import junit, markdown


def scores(base, new, measure="AP"):
    values = np.array([[base, new]], float)
    coords = {"assessor": ["j"], "system": ["old", "new"], "topic": [str(t) for t in range(values.shape[2])]}
    return xr.Dataset({measure: (("assessor", "system", "topic"), values)}, coords=coords)


def test_forms_for_other_programs():
    rng = np.random.default_rng(0)
    x = rng.random(30)
    three = scores(x, x, "AP").assign(
        {"P@5": scores(x, x - 0.3 + 0.05 * rng.normal(size=30))["AP"], "RR": scores(x, rng.random(30))["AP"]}
    )
    result = ds.gate("old", "new", None, ["AP", "P@5", "RR"], tolerance=0.01, scores=three)
    suite = ElementTree.fromstring(junit(result))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [case[0].tag for case in suite] == ["system-out", "failure", "error"]
    text = markdown(result)
    assert text.startswith(phrase("gate-output.fail-new-worse-old", "0.01"))
    assert text.count("\n| ") == 4
    assert result.to_frame()["decision"].to_list() == ["pass", "fail", "cannot tell"]


def test_names_from_data_stay_inert_in_every_form():
    x = np.random.default_rng(0).random(5)
    odd = scores(x, x).assign_coords(system=["old|<b>", "new\x1b]"])
    result = ds.gate("old|<b>", "new\x1b]", None, "AP", tolerance=0.1, scores=odd)
    assert "<b>" not in markdown(result)
    assert ElementTree.fromstring(junit(result)).get("name") == "dissensus gate: new\ufffd] against old|<b>"
