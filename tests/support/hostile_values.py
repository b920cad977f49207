"""Values that no one means to pass, and containers that hold them, by generators."""

from __future__ import annotations

import collections
import datetime
import enum
import math
import numbers
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from sweep.catalogue.schedules import SCHEDULES
from sweep.hardware.gpu import GPUS


class Silent:
    """An object that fails whatever it is asked."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __float__(self) -> float:
        raise RuntimeError("no number")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")


class Unhashable:
    """An object that prints over many lines and drives the terminal."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "one\ntwo\x1b[31m\r" * 1000


class Endless:
    """An iterable without end."""

    def __iter__(self) -> Iterator[int]:
        while True:
            yield 1


class Few(enum.IntEnum):
    """Whole numbers with names."""

    FOUR = 4


class Name(str):
    """Text of a class of its own."""


def scalars() -> list[Any]:
    """Return numbers, names and objects of all kinds, most of them wrong wherever they stand."""
    whole = [0, 1, 4, -1, -(2**63), 2**31, 2**53, 2**63, 2**64, 10**19, 10**400, 10**5000]
    floats = [0.0, -0.0, 0.1, 2.5, 4.0, -1e-300, 5e-324, 1.7e308, math.nan, math.inf, -math.inf]
    typed = [
        np.int8(4),
        np.uint64(2**64 - 1),
        np.float16(65504),
        np.float16("inf"),
        np.float32(0.1),
        np.longdouble(3),
        np.bool_(True),
        np.complex128(1j),
        np.datetime64("2020"),
        np.timedelta64(1, "s"),
        np.str_("4"),
        np.void(b"ab"),
        Fraction(5, 2),
        Fraction(10**400),
        Decimal("nan"),
        Decimal(4),
        Few.FOUR,
    ]
    text = ["", "4", "nan", "x" * 5000, "\x1b[31mred", "a\nb", "\udc80", b"4", Name("bf16")]
    shapes = ["64x64x64", (64, 64, 64), "1x1", "9" * 5000 + "x1x1", (math.nan, 1, 1), (True, 1, 1)]
    objects = [True, False, None, ..., NotImplemented, object(), int, len, slice(3), 1j, Silent()]
    objects += [Unhashable(), Endless(), pd.NA, pd.NaT, pd.Timestamp("2020"), datetime.timedelta(1)]
    objects += [GPUS["h100_sxm"], SCHEDULES["sync"], ValueError("x"), range(0), bytearray(b"4")]
    objects += [range(10**12), range(10**30), range(-(10**30), 0, 7), {}, set(), [], (), iter([1])]
    return [*whole, *floats, *typed, *text, *shapes, *objects]


def containers() -> list[Callable[[Any], Any]]:
    """Return what a value can be wrapped in; wrapping itself may fail."""
    return [
        lambda one: one,
        lambda one: [one],
        lambda one: (one,),
        lambda one: [4, one],
        lambda one: [[one]],
        lambda one: {one: 1},
        lambda one: iter([one]),
        lambda one: collections.deque([one]),
        np.array,
        lambda one: np.array([one]),
        lambda one: np.array([[one]]),
        lambda one: np.array([4, one], dtype=object),
        lambda one: np.ma.masked_array([4, one], mask=[False, True]),
        lambda one: pd.Series([one]),
        lambda one: pd.Series([4, one], index=pd.Index(["a", "b"], name="row")),
        lambda one: pd.Series([one], index=pd.MultiIndex.from_product([[1], [2]])),
        lambda one: pd.Series([one], index=pd.Index([1], name=7)),
        lambda one: pd.Index([4, one]),
        lambda one: pd.DataFrame({"a": [one]}),
        lambda one: pd.Categorical([one]),
        xr.DataArray,
        lambda one: xr.DataArray([4, one], dims="point"),
        lambda one: xr.DataArray([one], dims="point", attrs={"units": np.array([1, 2])}),
        lambda one: xr.DataArray([one], dims="cycles"),
        lambda one: xr.DataArray([[one]], dims=("point", "point")),
        lambda one: xr.Variable("point", [one]),
        lambda one: xr.Dataset({"a": ("point", [one])}),
    ]


def hostile_values() -> Iterator[Any]:
    """Yield every value in every container that takes it."""
    for wrap in containers():
        for one in scalars():
            try:
                yield wrap(one)
            except Exception:  # numpy, pandas or xarray refuse it first
                continue


def numbers_meant(value: Any) -> list[float] | None:
    """Return the real numbers that a value can only mean, None where it is anything else."""
    if isinstance(value, xr.DataArray | xr.Variable | pd.Series | pd.Index | pd.Categorical):
        value = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray):
        return None
    if isinstance(value, range):
        return [float(one) for one in value] if len(value[:100]) < 100 else None
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iufO" or value.ndim > 1:
            return None
        value = value.ravel().tolist() if value.ndim else [value.item()]
    if not isinstance(value, list | tuple | collections.deque):
        value = [value]
    found = []
    for one in value:
        wrong = isinstance(one, bool | np.bool_ | np.timedelta64)
        if wrong or not isinstance(one, numbers.Real):
            return None
        try:
            found.append(float(one))
        except OverflowError:
            return None
    return found
