"""What an audit in order says, as one value."""

from __future__ import annotations

import json

from followed_sample import played


def test_the_result_goes_to_json():
    data = json.loads(played(20).result().to_json())
    assert (data["schema"], data["labels"], len(data["tables"]["looks"])) == (3, 20, 20)
    assert data["verdict"]["state"] == "open"
