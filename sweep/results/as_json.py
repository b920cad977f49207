"""Results as JSON that any reader takes: no NaN, flags as words."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def to_json(value: Any) -> str:
    """Write results as one JSON document.

    Parameters
    ----------
    value : mapping, sequence, number, text or None
        NaN and infinities become null; a flag of a ``Point`` becomes its meaning.

    Examples
    --------
    >>> print(to_json({"cycles": float("nan"), "stages": 4}))
    {
      "cycles": null,
      "stages": 4
    }
    """
    plain = _plain(value)
    text = json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False)
    if any("\ud800" <= letter <= "\udfff" for letter in text):  # no Unicode: a file's odd name
        text = json.dumps(plain, indent=2, allow_nan=False)
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "meaning"):
        return str(value.meaning)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
