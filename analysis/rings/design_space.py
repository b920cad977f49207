"""Stage rules over a design space: how often the textbook rule over-provisions, and its price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import dataset, one, read_flag
from analysis.rings.stages import corrected_stages, textbook_stages
from sweep.errors import InputError
from sweep.hardware.budgets import stages_that_fit
from sweep.inputs.reading import read_number
from sweep.inputs.space import Space, resolve
from sweep.quantities.arrays import Array
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr


DESIGN_SPACE: Mapping[str, Any] = {
    "tile": ("64x128x64", "128x128x64", "128x256x64", "256x128x64"),
    "mem_bytes_per_cycle": (32, 64, 128),
    "t_issue": (10, 100, 200),
    "t_latency": np.arange(100, 3001, 25),
}
"""A plain space of tiles, bandwidths, issue costs and latencies: 4,212 points."""

_DURATIONS = ("t_issue", "t_transfer", "t_latency", "t_mma")
_LABELS = {
    "textbook_stages": ("1", "stages by the textbook rule"),
    "corrected_stages": ("1", "fewest stages that saturate the period"),
    "fitting_stages": ("1", "most stages that fit a block's shared memory, 0: infeasible"),
    "extra_stages": ("1", "stages that the textbook rule asks for in excess"),
    "extra_bytes": ("byte", "shared memory of the excess stages"),
}


def stage_rules(**parameters: Any) -> xr.Dataset:
    """Apply the textbook and the corrected rule of multistage to every point of a space.

    Parameters
    ----------
    **parameters
        As in ``sweep.run`` for multistage; ``DESIGN_SPACE`` without any. The tile has to be known.

    Returns
    -------
    xarray.Dataset
        ``textbook_stages``, ``corrected_stages``, ``fitting_stages``, ``extra_stages`` and
        ``extra_bytes`` over the space's dimensions.

    Raises
    ------
    InputError
        As ``sweep.run``; and where durations are given without a tile, which alone has bytes.

    Examples
    --------
    >>> ds = stage_rules(t_latency=[300, 700, 1500, 3000])
    >>> ds.textbook_stages.values.tolist(), ds.corrected_stages.values.tolist()
    ([3.0, 3.0, 4.0, 5.0], [2.0, 3.0, 4.0, 5.0])
    """
    import xarray as xr

    space = resolve("multistage", parameters or DESIGN_SPACE)
    values = space.values[0]
    if not values["known"].all():
        raise InputError("tile: durations alone have no bytes per stage; give tile=... too")
    takes: dict[str, Any] = {name: values[name] for name in _DURATIONS}
    textbook = textbook_stages(**takes)
    corrected = corrected_stages("multistage", **takes)
    fitting = stages_that_fit(
        values["stage_bytes"],
        values["smem_per_block_bytes"],
        values["smem_carveout_bytes"],
        producer=False,
    )
    extra = np.where(np.isfinite(textbook), textbook - corrected, 0.0)
    columns = {
        "textbook_stages": textbook,
        "corrected_stages": corrected,
        "fitting_stages": fitting,
        "extra_stages": extra,
        "extra_bytes": extra * values["stage_bytes"],
    }
    return xr.Dataset(
        {name: _variable(name, array, space) for name, array in columns.items()},
        coords={name: one for name, one in space.coords.items() if name not in _IRRELEVANT},
    )


_IRRELEVANT = ("stages", "k_tiles", "t_sync", "t_epilogue", "epilogue_weight")


def _variable(name: str, array: Array, space: Space) -> Any:
    units, long_name = _LABELS[name]
    filled = np.broadcast_to(array, space.grid).copy()
    return tuple(space.dims), filled, {"units": units, "long_name": long_name}


class OverProvisioning(NamedTuple):
    """How far the textbook rule overshoots in a space.

    Attributes
    ----------
    points : int
        Points of the space.
    share : float
        Share of them at which it asks for more stages than saturate the period.
    mean_extra, most_extra : float
        Stages too many, mean over those points and largest.
    mean_extra_bytes : float
        Shared memory of the stages too many, mean over those points.
    refused : float
        Share of the points at which its stages don't fit and those of the corrected rule do.
    """

    points: int
    share: float
    mean_extra: float
    most_extra: float
    mean_extra_bytes: float
    refused: float


def over_provisioning(ds: xr.Dataset) -> OverProvisioning:
    """Sum up a Dataset of ``stage_rules``.

    Examples
    --------
    >>> found = over_provisioning(stage_rules())
    >>> f"{found.points:,} points: {found.share:.1%} by {found.mean_extra:.2f} stages on average"
    '4,212 points: 46.1% by 2.02 stages on average'
    """
    dataset("stage_rules", ds, _LABELS)
    extra = np.ravel(ds["extra_stages"].values)
    over = extra > 0
    textbook, corrected, fitting = (
        np.ravel(ds[name].values)
        for name in ("textbook_stages", "corrected_stages", "fitting_stages")
    )
    refused = (textbook > fitting) & (corrected <= fitting)
    extra_bytes = np.ravel(ds["extra_bytes"].values)
    return OverProvisioning(
        extra.size,
        float(over.mean()),
        float(extra[over].mean()) if over.any() else 0.0,
        float(extra.max(initial=0.0)),
        float(extra_bytes[over].mean()) if over.any() else 0.0,
        float(refused.mean()),
    )


def fewest_stages(
    schedule: Any = "multistage",
    within: float = 0.01,
    stages: ArrayLike = range(2, 9),
    feasible_only: bool = False,
    **parameters: Any,
) -> xr.DataArray:
    """Return the fewest stages whose simulated Tensor Core utilisation is close to the best.

    Parameters
    ----------
    schedule : str, Schedule or a sequence of them
        With a ring of stages.
    within : float
        How far below the best of all ``stages`` it may be: 0.01 is one point of per cent.
    stages : sequence of int
        Depths to choose from.
    feasible_only : bool
        Leave out depths that do not fit; 0 where none is left.
    **parameters
        As in ``sweep.run``.

    Returns
    -------
    xarray.DataArray of int64

    Examples
    --------
    >>> fewest_stages("multistage", t_latency=[300, 700, 1500, 3000], k_tiles=64).values.tolist()
    [2, 3, 4, 5]
    """
    import sweep

    near, only_feasible = one("within", within), read_flag("feasible_only", feasible_only)
    depths = np.unique(read_number("stages", stages, VARIABLES["stages"]))
    ds = sweep.run(schedule, stages=depths, **parameters)
    reached = ds["tc_utilization"].fillna(-np.inf)
    if only_feasible:
        reached = reached.where(sweep.where_feasible(ds)["cycles"].notnull(), -np.inf)
    best = reached.max("stages")
    close = (reached >= best - near) & np.isfinite(best)
    found = ds["stages"].where(close, np.inf).min("stages")
    found = found.where(np.isfinite(found), 0).astype(np.int64)
    found.attrs = {"units": "1", "long_name": f"fewest stages within {near:g} of the best"}
    return found.rename("fewest_stages")
