"""What arrays hold, named once: `Floats`, `Ints`, `Bools`, and `Array` where it may be anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Array = NDArray[Any]
