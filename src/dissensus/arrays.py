"""What arrays hold, named once: `Floats`, `Ints`, `Bools`, and `Array` where it may be anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Array = NDArray[Any]
Values = dict[str, Any]  # by name, each of the type that its name implies: facts, settings, a row
