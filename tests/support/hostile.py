"""Values that no parameter should choke on, and what an answer to them may look like."""

from __future__ import annotations

import datetime
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from sweep.errors import InputError


def odd_values() -> Iterator[tuple[str, Any]]:
    """Give values by a short name, anew at each call: some are used up."""
    yield "None", None
    yield "True", True
    yield "nan", float("nan")
    yield "inf", float("inf")
    yield "-5", -5
    yield "2.5", 2.5
    yield "0", 0
    yield "1e-320", 1e-320
    yield "1e308", 1e308
    yield "10**400", 10**400
    yield "-10**5000", -(10**5000)
    yield "Fraction", Fraction(1, 3)
    yield "Decimal NaN", Decimal("NaN")
    yield "1j", 1j
    yield "'x'", "x"
    yield "''", ""
    yield "long text", "x\n\x1b[31m" * 1000
    yield "bytes", b"bf16"
    yield "[]", []
    yield "{}", {}
    yield "()", ()
    yield "set", {1, 2}
    yield "ragged", [[1, 2], [3]]
    yield "list with None", [1, None]
    yield "list of bool", [True, False]
    yield "many", [1, 2, 3]
    yield "huge range", range(10**12)
    yield "endless range", range(10**30)
    yield "object", object()
    yield "type", int
    yield "function", len
    yield "generator", (one for one in (1, 2))
    yield "datetime", datetime.datetime(2026, 1, 1)
    yield "timedelta", datetime.timedelta(seconds=1)
    yield "timedelta64", np.timedelta64(1, "s")
    yield "float16 that overflows", np.array([65504, np.inf], dtype=np.float16)
    yield "two dimensions", np.ones((2, 2))
    yield "complex array", np.ones(2, dtype=complex)
    yield "text array", np.array(["a", "b"])
    yield "object array", np.array([object(), None])
    yield "masked", np.ma.masked_array([1, 2], mask=[True, False])
    yield "Series of text", pd.Series(["a", "b"])
    yield "Series with NA", pd.Series([1, None], dtype="Int64")
    yield "Series", pd.Series([1.0, 2.5])
    yield "Index", pd.Index([3, 4])
    yield "MultiIndex", pd.MultiIndex.from_tuples([(1, 2), (3, 4)])
    yield "DataFrame", pd.DataFrame({"a": [1, 2]})
    yield "dates", pd.Series(pd.date_range("2026-01-01", periods=2))
    yield "Dataset", xr.Dataset({"a": ("b", [1.0])})
    yield "DataArray", xr.DataArray([1.0, -2.0], dims="b")
    yield "DataArray of text", xr.DataArray(["a", "b"], dims="b")
    yield "DataArray in seconds", xr.DataArray([1.0], dims="b", attrs={"units": "fortnight"})


NEVER = (
    *("1j", "Decimal NaN", "object", "type", "function", "datetime", "timedelta", "timedelta64"),
    *("bytes", "set", "ragged", "Dataset", "DataFrame", "MultiIndex", "dates", "Series of text"),
    *("complex array", "object array", "text array", "list with None", "list of bool"),
    *("DataArray of text", "DataArray in seconds", "Series with NA", "nan", "-10**5000"),
    *("-5", "True", "None"),
)
"""Values that no parameter takes, but for negative shifts, and flags and defaults of None."""
_TAKEN = {"True": bool, "None": type(None)}


def complaint(
    function: Callable[..., Any],
    good: Mapping[str, Any],
    parameter: str,
    name: str,
    value: Any,
    also: str = "",
) -> str:
    """Return what is wrong with the answer to one value, "" where nothing is.

    Right is a result (but for what no parameter takes), or an InputError in one line that names
    the parameter, or begins with ``also``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = function(**{**good, parameter: value})
            str(result)
        except InputError as error:
            return _message_complaint(str(error), parameter, also)
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:150]}"
    allowed = name not in NEVER or parameter == "shift" or _is_default(function, parameter, name)
    allowed = allowed or (parameter, name) == ("swizzle", "None")
    return "" if allowed else f"taken, and gives {str(result)[:100]}"


def _is_default(function: Callable[..., Any], parameter: str, name: str) -> bool:
    """Whether a parameter's default says that True or None is meant."""
    default = inspect.signature(function).parameters.get(parameter)
    return name in _TAKEN and default is not None and type(default.default) is _TAKEN[name]


def _message_complaint(message: str, parameter: str, also: str) -> str:
    if not message.isprintable():
        return f"control characters in {message[:150]!r}"
    if len(message) > 600:
        return f"{len(message)} characters: {message[:150]}"
    named = message.replace("GPU", "gpu").replace("unknown table", "name")
    if also and message.startswith(also):
        return ""
    return "" if parameter in named else f"does not name {parameter}: {message[:150]}"


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names that can be given to a function."""
    signature = inspect.signature(function)
    return tuple(
        name for name, one in signature.parameters.items() if one.kind is not one.VAR_KEYWORD
    )
