"""The types of arrays, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
Values = Mapping[str, Array]
