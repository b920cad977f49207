"""Space files: a design space as TOML.

::

    schedule = ["multistage", "warp_specialized"]     # or one name

    [parameters]
    k_tiles = 64                                      # a number or a name fixes a parameter
    stages = [2, 3, 4]                                # a list is a new dimension
    t_latency = { start = 100, stop = 4000, step = 10 }             # 100, 110, ... 3990
    t_transfer = { start = 64, stop = 4096, num = 7, spacing = "log" }    # both ends included
    t_epilogue = "640+1280"                           # a table: one value for each output tile

    [zip.point]                                       # columns that share the dimension "point"
    t_mma = [512, 1024, 2048]
    t_epilogue = [640, 1280, 2560]

A range with ``step`` leaves ``stop`` out, as Python's ``range`` does; one with ``num`` has that
many values, both ends among them, at equal distances or, with ``spacing = "log"``, in equal
ratios. Counts of such a range are rounded to whole numbers, each of them once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from sweep.errors import InputError, unknown_name
from sweep.host.files import shown
from sweep.host.memory import available_bytes, human_bytes
from sweep.host.toml_file import read_toml, short
from sweep.inputs.space import Space, known_parameters, resolve
from sweep.quantities.arrays import Array
from sweep.quantities.variables import PARAMETERS, VARIABLES

Values = range | Array

KEYS = ("schedule", "parameters", "zip")
RANGE_KEYS = ("start", "stop", "step", "num", "spacing")
SPACINGS = ("linear", "log")
MAX_VALUES = 10**8
"""Values of one axis: an axis is held in memory, its products with others are not."""
LONGEST_REASON = 500
"""Characters of a message about a value, which may be a text of any length."""
BYTES_OF_VALUE = 24
"""Memory for a value of a range: the value and two more while it is worked out."""


def read_space(path: Path) -> tuple[Any, dict[str, Any]]:
    """Read a space file.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    schedule : str or list of str
    parameters : dict
        As ``sweep.run`` takes them.

    Raises
    ------
    InputError
        For a file that cannot be read or is no TOML, and for keys and values that a space file
        does not have; values themselves are checked by what runs them.
    """
    document = read_toml(path)
    with _named(path):
        return parse_space(document)


def resolve_file(path: Path) -> Space:
    """Read a space file and check its points; errors name the file and the key in it.

    Raises
    ------
    InputError
        As ``read_space`` and ``sweep.inputs.space.resolve`` do.
    """
    schedule, parameters = read_space(path)
    with _named(path):
        return resolve(schedule, parameters)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Put the file's name before an error."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{shown(path)}: {short(str(error), LONGEST_REASON)}") from None
    except OSError as error:  # a schedule's own file
        raise InputError(f"{shown(path)}: schedule: {error.strerror or error}") from None
    except MemoryError:
        raise InputError(
            f"{shown(path)}: its axes do not fit in memory; give fewer values"
        ) from None


def parse_space(document: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Turn a space file's document into a schedule and parameters.

    Examples
    --------
    >>> axis = {"start": 1, "stop": 9, "step": 4}
    >>> parse_space({"schedule": "sync", "parameters": {"t_mma": axis}})
    ('sync', {'t_mma': range(1, 9, 4)})
    """
    for key in document:
        if key in PARAMETERS:
            raise InputError(f"{key}: belongs under [parameters]")
        if key not in KEYS:
            raise unknown_name("key", key, KEYS)
    if "schedule" not in document:
        raise InputError('schedule: not given; give a name or a list of names, such as "sync"')
    _check_schedule(document["schedule"])
    schedule = document["schedule"]
    parameters = _table("parameters", document.get("parameters", {}))
    found = {name: _axis(_known(name, schedule), value) for name, value in parameters.items()}
    for dim, columns in _table("zip", document.get("zip", {})).items():
        if not dim or not dim.isprintable():
            raise InputError(f"zip: {dim!r} is no name for a dimension; give printable characters")
        for name, value in _table(f"zip.{dim}", columns).items():
            if name in found:
                raise InputError(f"{name}: is given twice; give it once")
            found[name] = _column(dim, _known(name, schedule), value)
    return schedule, found


def _check_schedule(value: Any) -> None:
    names = value if isinstance(value, list) else [value]
    for one in names:
        if not isinstance(one, str):
            raise InputError(f"schedule: must be a name or a list of names, not {_kind(one)}")


def _kind(value: Any) -> str:
    kinds = {"dict": "a table", "list": "a list of lists", "bool": "a truth value"}
    kinds |= {"int": "a number", "float": "a number"}
    return kinds.get(type(value).__name__, "a date or time")


def _table(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{name}: must be a table, [{name}]")
    return value


def _known(name: str, schedule: Any) -> str:
    """Return a parameter's name; one that is not known may be the schedules' own."""
    if name == "schedule":
        raise InputError("schedule: belongs at the top of the file, as a name or a list of names")
    if name not in PARAMETERS and name not in known_parameters(schedule):
        raise unknown_name("parameter", name, PARAMETERS)
    return name


def _axis(name: str, value: Any) -> Any:
    return _range(name, value) if isinstance(value, dict) else value


def _column(dim: str, name: str, value: Any) -> Any:
    """Return a column of a zipped group: an array over the group's dimension."""
    import xarray as xr

    values = _axis(name, value)
    if not isinstance(values, list | range | np.ndarray):
        raise InputError(f"{name}: must be a list or a range in [zip.{dim}]")
    if isinstance(values, list):
        items = [tuple(one) if isinstance(one, list) else one for one in values]
        values = np.empty(len(items), dtype=object)
        values[:] = items
    return xr.DataArray(values, dims=dim)


def _range(name: str, given: Mapping[str, Any]) -> Values:
    for key in given:
        if key not in RANGE_KEYS:
            raise unknown_name(f"key of the range {name}", key, RANGE_KEYS)
    start, stop = _number(name, given, "start"), _number(name, given, "stop")
    if ("step" in given) == ("num" in given):
        raise InputError(f"{name}: a range has either step or num")
    if "step" in given:
        if "spacing" in given:
            raise InputError(f"{name}: spacing goes with num; a step is always linear")
        return _stepped(name, start, stop, _number(name, given, "step"))
    return _spaced(name, start, stop, given["num"], given.get("spacing", "linear"))


def _number(name: str, given: Mapping[str, Any], key: str) -> float:
    if key not in given:
        raise InputError(f"{name}: the range has no {key}; give start, stop, and step or num")
    value = given[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name}: {key}={value!r} must be a number{_unit(name)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{name}: {key}={value} must be finite")
    if abs(value) > 2**63:
        raise InputError(f"{name}: {key}={Decimal(value):.3g} must be at most 2**63{_unit(name)}")
    return value


def _unit(name: str) -> str:
    units = VARIABLES[name].units
    return "" if units == "1" else f" (in {units})"


def _stepped(name: str, start: float, stop: float, step: float) -> Values:
    if step == 0:
        raise InputError(f"{name}: step=0 must not be 0")
    exact = (Decimal(repr(stop)) - Decimal(repr(start))) / Decimal(repr(step))
    count = max(math.ceil(exact), 0)
    _check_count(name, count)
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return range(start, stop, step)
    return start + step * np.arange(count)


def _spaced(name: str, start: float, stop: float, num: Any, spacing: Any) -> Array:
    if isinstance(num, bool) or not isinstance(num, int) or num < 1:
        raise InputError(f"{name}: num={num!r} must be a whole number of at least 1")
    _check_count(name, num)
    if spacing not in SPACINGS:
        raise unknown_name(f"spacing of {name}", spacing, SPACINGS)
    if spacing == "log" and (start <= 0 or stop <= 0):
        raise InputError(f"{name}: start={start}, stop={stop} must be above 0 for spacing='log'")
    with np.errstate(all="ignore"):  # what is not finite is refused by what runs it
        values: Array = (_log_spaced if spacing == "log" else np.linspace)(start, stop, num)
    if VARIABLES[name].dtype != "int64":
        return values
    whole = np.round(values)
    return np.asarray(whole[np.diff(whole, prepend=np.nan) != 0])


def _log_spaced(start: float, stop: float, num: int) -> Array:
    """Return a geometric sequence; what is a whole number but for the last bits is one."""
    values = np.geomspace(start, stop, num)
    whole = np.round(values)
    return np.asarray(np.where(np.abs(values - whole) <= 1e-14 * whole, whole, values))


def _check_count(name: str, count: int) -> None:
    if count > MAX_VALUES:
        much = f"{count:,}" if count < 10**18 else f"{Decimal(count):.3g}"
        raise InputError(f"{name}: {much} values on one axis; at most {MAX_VALUES:,}")
    needed, free = BYTES_OF_VALUE * count, available_bytes()
    if needed > free:
        raise InputError(
            f"{name}: {count:,} values need {human_bytes(needed)} of memory, {human_bytes(free)}"
            " are free: give fewer values"
        )
