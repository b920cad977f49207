"""What the ordering barrier of ping-pong attention is worth: fixed order against first come.

FlashAttention-3 (arXiv 2407.08608, section 3.1) makes two warpgroups take turns on the Tensor
Core with named barriers. Without them whoever asks first is served. Here both are simulated over
a space of points, and the makespans compared.

What ``ORDERING_SPACE`` shows: first come first served, the other warpgroup's long GEMM1, which has
been waiting, goes before one's own next GEMM0. That delays one's softmax until both warpgroups run
theirs at the same time, and the Tensor Core idles meanwhile. So without the barrier
attention_pingpong is slower at a fifth of the points, by up to 44 %, all of them with t_gemm0 <
t_gemm1, and never faster. With its next GEMM0 in flight already (attention_pingpong_overlap) a
warpgroup is never slower without the barrier, and faster at an eighth of the points, by up to 13 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analysis.checked import dataset, find_schedule
from sweep.errors import InputError
from sweep.quantities.arrays import Array

if TYPE_CHECKING:
    import xarray as xr


PINGPONG = ("attention_pingpong", "attention_pingpong_overlap")


def _spaced(shortest: float, longest: float, count: int = 12) -> Array:
    return np.geomspace(shortest, longest, count).round()


ORDERING_SPACE: Mapping[str, Any] = MappingProxyType(
    {
        "t_gemm0": _spaced(100, 1600),
        "t_gemm1": _spaced(100, 1600),
        "t_exp": _spaced(90, 1700),
        "t_softmax": _spaced(50, 1100),
        "kv_blocks": (2, 4, 8, 16, 32),
    }
)
"""Twelve lengths of every operation, spaced geometrically so that few of them are in a tie, and
five numbers of blocks: 103,680 points of each schedule, 8,640 of them with equal GEMMs."""


def ordering_barrier(schedule: Any = PINGPONG, **parameters: Any) -> xr.Dataset:
    """Simulate points with the fixed service order and first come, first served.

    Parameters
    ----------
    schedule : str, Schedule, or a sequence of them
        Attention schedules; both with two warpgroups by default.
    **parameters
        As in ``sweep.run``; ``ORDERING_SPACE`` without any.

    Returns
    -------
    xarray.Dataset
        ``ordered_cycles``, ``fifo_cycles``, and ``slowdown``, their ratio fifo / ordered: above 1
        where the barrier gains, below 1 where it costs; NaN where nothing takes time.

    Raises
    ------
    InputError
        As ``sweep.run``; and if ``arbitration`` is given, which is what is compared.

    Examples
    --------
    >>> where = dict(t_gemm1=1600, t_exp=600, t_softmax=1100, kv_blocks=32)
    >>> ds = ordering_barrier("attention_pingpong", t_gemm0=[100, 400, 1600], **where)
    >>> ds.slowdown.round(3).values.tolist()
    [1.448, 1.311, 1.0]
    """
    import xarray as xr

    import sweep

    if "arbitration" in parameters:
        raise InputError("arbitration: both are compared here; leave it out")
    both = ("ordered", "fifo")
    ds = sweep.run(schedule, arbitration=both, **(parameters or ORDERING_SPACE))
    ordered, fifo = (ds["cycles"].sel(arbitration=one, drop=True) for one in both)
    found = xr.Dataset(
        {
            "ordered_cycles": ordered,
            "fifo_cycles": fifo,
            "slowdown": fifo / ordered.where(ordered > 0),
        },
        attrs=ds.attrs,
    )
    for name, units, long_name in (
        ("ordered_cycles", "cycle", "makespan with a fixed service order"),
        ("fifo_cycles", "cycle", "makespan first come, first served"),
        ("slowdown", "1", "makespan first come, first served / in fixed order"),
    ):
        found[name].attrs = {"units": units, "long_name": long_name}
    return found


class BarrierValue(NamedTuple):
    """How much the ordering barrier is worth to a schedule over a space; prints as text.

    Attributes
    ----------
    schedule : str
    points : int
    slower, faster : float
        Shares of the points at which first come, first served is slower and faster than the fixed
        order.
    mean_loss, mean_gain : float
        By how much, on average over those points: 0.1 is a makespan longer, shorter, by a tenth.
    most_loss, most_gain : float
        The largest of each; 0 where there is none.
    worst, best : str
        Where: the point as it is typed, "" where there is none.
    """

    schedule: str
    points: int
    slower: float
    mean_loss: float
    most_loss: float
    worst: str
    faster: float
    mean_gain: float
    most_gain: float
    best: str

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.schedule}, {self.points:,} points, first come first served is",
                f"  slower at {_side(self.slower, self.mean_loss, self.most_loss, self.worst)}",
                f"  faster at {_side(self.faster, self.mean_gain, self.most_gain, self.best)}",
            ]
        )


def barrier_value(ds: xr.Dataset) -> tuple[BarrierValue, ...]:
    """Sum up a Dataset of ``ordering_barrier``, one value per schedule.

    Examples
    --------
    >>> where = dict(t_gemm1=1600, t_exp=600, t_softmax=1100, kv_blocks=32)
    >>> ds = ordering_barrier("attention_pingpong", t_gemm0=[100, 400, 1600], **where)
    >>> value = barrier_value(ds)[0]
    >>> print(f"{value.slower:.0%} slower, by {value.mean_loss:.0%}, {value.faster:.0%} faster")
    67% slower, by 38%, 0% faster
    """
    dataset("ordering_barrier", ds, ("ordered_cycles", "fifo_cycles", "slowdown"))
    if "schedule" in ds.dims:
        return tuple(_value(ds.isel(schedule=index)) for index in range(ds.sizes["schedule"]))
    return (_value(ds),)


def _value(ds: xr.Dataset) -> BarrierValue:
    name = ds["schedule"].values.item() if "schedule" in ds.coords else ds.attrs["schedules"]
    ordered, fifo = np.ravel(ds["ordered_cycles"].values), np.ravel(ds["fifo_cycles"].values)
    loss = np.where(ordered > 0, fifo / np.where(ordered > 0, ordered, 1) - 1, 0.0)
    slower, faster = fifo > ordered, fifo < ordered
    return BarrierValue(
        name,
        ordered.size,
        float(slower.mean()),
        float(loss[slower].mean()) if slower.any() else 0.0,
        float(loss.max(initial=0.0)),
        _typed(ds, name, int(loss.argmax())) if slower.any() else "",
        float(faster.mean()),
        float(-loss[faster].mean()) if faster.any() else 0.0,
        float(-loss.min(initial=0.0)),
        _typed(ds, name, int(loss.argmin())) if faster.any() else "",
    )


def _side(share: float, mean: float, most: float, where: str) -> str:
    if not where:
        return "none"
    return f"{share:.1%}, by {mean:.1%} on average and {most:.1%} at most:\n    {where}"


def _typed(ds: xr.Dataset, name: str, flat: int) -> str:
    """Return one point as the command that simulates it, first come first served."""
    dims = ds["slowdown"].dims
    index = dict(zip(dims, np.unravel_index(flat, ds["slowdown"].shape), strict=True))
    names = [one for one in find_schedule(name).parameters if one != "arbitration"]
    at = ds.isel(index)
    values = (f"{one}={_plain(at[one].values.item())}" for one in names)
    return f"warpsweep simulate {name} {' '.join(values)} arbitration=fifo"


def _plain(value: float) -> str:
    return np.format_float_positional(value, trim="-")
