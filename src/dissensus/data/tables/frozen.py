"""Arrays that stay as they are: what holds them hands them out, and no one can write into them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


def freeze_arrays(holder: Any) -> None:
    """Make the arrays of a frozen dataclass read-only; the arrays it was given stay as they were."""
    for field in fields(holder):
        value = getattr(holder, field.name)
        if isinstance(value, np.ndarray):
            view = value.view()
            view.setflags(write=False)
            object.__setattr__(holder, field.name, view)
