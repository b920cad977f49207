"""Points that do not fit, by the reason: masks, and the hatch, marker and words for each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from figures.drawing.style import HATCHES
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr

MARKERS: Mapping[str, str] = MappingProxyType(
    {
        "deadlock": "x",
        "shared_memory": "o",
        "registers": "s",
        "unsupported_element_type": "^",
        "unknown_gpu_field": "v",
        "loader": "<",
        "cluster": ">",
        "tile_shape": "D",
    }
)
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "shared_memory": "does not fit: shared memory",
        "registers": "does not fit: registers",
        "unsupported_element_type": "cannot exist: element type",
        "unknown_gpu_field": "not known: a field of the GPU",
        "loader": "cannot exist: TMA",
        "cluster": "cannot exist: cluster",
        "tile_shape": "cannot exist: tile shape",
    }
)
UNNAMED = "infeasible"
NOT_KNOWN = "not known whether it fits"


def reasons(ds: xr.Dataset) -> dict[str, xr.DataArray]:
    """Return where points do not fit by the reason, only reasons that occur.

    Parameters
    ----------
    ds : xarray.Dataset
        With ``feasible``, and ``infeasible_reason`` to tell them apart; nothing is infeasible
        without the former.
    """
    if "feasible" not in ds:
        return {}
    unfit = ds["feasible"] == VARIABLES["feasible"].flag_meanings.index("no")
    if "infeasible_reason" not in ds:
        return {UNNAMED: unfit} if bool(unfit.any()) else {}
    meanings = VARIABLES["infeasible_reason"].flag_meanings
    found = {
        name: unfit & (ds["infeasible_reason"] == code)
        for code, name in enumerate(meanings)
        if name != "none"
    }
    return {name: mask for name, mask in found.items() if bool(mask.any())}


def unknown(ds: xr.Dataset) -> xr.DataArray | bool:
    """Return where it is not known whether points fit; nowhere without ``feasible``."""
    if "feasible" not in ds:
        return False
    found: xr.DataArray = ds["feasible"] == VARIABLES["feasible"].flag_meanings.index("unknown")
    return found


def words(reason: str) -> str:
    """Say in a legend why points do not fit.

    Examples
    --------
    >>> words("shared_memory"), words("deadlock")
    ('does not fit: shared memory', 'deadlock')
    """
    return _WORDS.get(reason, reason)


def hatch(reason: str) -> str:
    """Return the hatch of a reason."""
    return HATCHES.get(reason, "....")
