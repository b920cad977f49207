"""The parameters that a dataset holds fixed, as one line for a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr

_FIRST = ("gpu", "tile", "element_type")
"""Written even at their defaults, as are counts and durations other than zero."""
_TWINS = ("t_gemm0", "t_gemm1")
"""Left out where they equal ``t_gemm``."""

Found = dict[str, dict[str, list[Any]]]
"""By name and schedule: the values that datasets of it have, each once."""


def parameter_text(*datasets: xr.Dataset) -> str:
    """Return the parameters that datasets or traces hold fixed, by name and value.

    Scalars, and what depends on the schedule alone; parameters at their defaults that say nothing
    are left out.

    Parameters
    ----------
    *datasets : xarray.Dataset
        From ``sweep.run`` or ``sweep.trace``.

    Examples
    --------
    >>> import sweep
    >>> parameter_text(sweep.run("attention_serial", t_exp=[256, 512]))
    'gpu=lecture, t_gemm=512, t_softmax=256, kv_blocks=32, element_type=bf16; times in cycles.'
    """
    found: Found = {}
    for ds in datasets:
        for name in VARIABLES:
            if name in ds.coords and name not in ds.dims:
                for schedule, value in _values(ds, name).items():
                    there = found.setdefault(name, {}).setdefault(schedule, [])
                    there += [value] if value not in there else []
    parts = [_part(name, values) for name, values in found.items() if _worth(name, values, found)]
    times = any(name.startswith("t_") for name in found)
    return ", ".join(parts) + ("; times in cycles." if times and parts else "." if parts else "")


def _values(ds: xr.Dataset, name: str) -> dict[str, Any]:
    """Return a fixed parameter by schedule, nothing where it varies otherwise."""
    coordinate = ds.coords[name]
    if not coordinate.dims:
        return {str(ds.attrs.get("schedules", "")): coordinate.values.item()}
    if coordinate.dims == ("schedule",):
        return dict(zip(ds.schedule.values.tolist(), coordinate.values.tolist(), strict=True))
    return {}


def _worth(name: str, values: dict[str, list[Any]], found: Found) -> bool:
    row = VARIABLES[name]
    if not values or (name in _TWINS and values == found.get("t_gemm")):
        return False
    if name in _FIRST:
        return True
    if name == "consumer_warpgroups":
        return False  # timing does not depend on it
    if row.kind == "duration" or (row.kind == "count" and name != "mma_in_flight"):
        return any(value for several in values.values() for value in several)
    return any(value != row.default for several in values.values() for value in several)


def _part(name: str, values: dict[str, list[Any]]) -> str:
    groups: dict[str, list[str]] = {}
    for schedule, several in values.items():
        groups.setdefault(" or ".join(map(_text, several)), []).append(schedule)
    if len(groups) == 1:
        return f"{name}={next(iter(groups))}"
    return f"{name}=" + " or ".join(f"{text} ({', '.join(who)})" for text, who in groups.items())


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.6g}" if np.isfinite(value) and abs(value) < 1e6 else f"{value:.4g}"
