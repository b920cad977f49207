"""Lower bounds on the makespan, one per cause: never on the wrong side, transients included.

Each is the length of a path through the schedule's operations: what must happen before a resource
(an agent, a slot) can start, all its work in a row, and what must still happen after. A makespan
cannot be shorter than the longest of them, and where it is longer, causes alternate. They hold
with the extensions (``t_sync``, ``t_mma_latency``, ``mma_in_flight``, ``release``) and in either
arbitration.

Notation of the comments: n = k_tiles output_tiles, R = a slot's round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.checked import choice, find_schedule, numbers
from sweep.description import Schedule
from sweep.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[Any]
Numbers = Mapping[str, Array]
Bounds = dict[str, Array]


def lower_bounds(
    schedule: str | Schedule, *, release: str = "consumer", **parameters: ArrayLike
) -> Bounds:
    """Return lower bounds on the makespan by cause.

    Parameters
    ----------
    schedule : str or Schedule
        One of the eleven, or one of a user's with the same parameters as one of them.
    release : {"consumer", "hardware"}
    **parameters : array_like
        Durations in cycles and counts, as the engine takes them; extensions may be left out.

    Returns
    -------
    dict of str to numpy.ndarray
        Cycles. GEMM: "bound_tensor_core", "bound_copy_bandwidth", "bound_copy_issue",
        "bound_latency" (slots' round trips, one after another), "bound_epilogue" (a consumer's
        main loops and epilogues) and, with a producer, "bound_mma_latency" (main loops whose
        consumer waits for copies and for its own MMAs). Attention:
        "bound_tensor_core", "bound_exp", "bound_softmax", "bound_serial_chain" (a warpgroup's own
        operations).

    Raises
    ------
    InputError
        For a parameter that is missing, unused or out of limits.

    Examples
    --------
    >>> takes = dict(t_issue=10, t_transfer=768, t_latency=700, t_mma=1024, t_epilogue=1280)
    >>> found = lower_bounds("warp_specialized", stages=4, k_tiles=64, **takes)
    >>> {name: float(cycles) for name, cycles in found.items()}["bound_tensor_core"]
    68294.0
    """
    one = find_schedule(schedule)
    names = tuple(name for name in one.parameters if name not in ("release", "arbitration"))
    p = numbers(parameters, names, one.name)
    rule = _rule(one)
    return {name: np.asarray(bound) for name, bound in rule(one, p, choice("release", release))}


def tightest(bounds: Mapping[str, Array]) -> Array:
    """Return the largest of several lower bounds."""
    found = np.zeros(())
    for bound in bounds.values():
        found = np.maximum(found, bound)
    return found


def utilization_bounds(
    schedule: str | Schedule, *, release: str = "consumer", **parameters: ArrayLike
) -> Bounds:
    """Return upper bounds on utilisations: a resource's work over the tightest lower bound.

    Parameters and errors as in ``lower_bounds``.

    Returns
    -------
    dict of str to numpy.ndarray
        "tc_utilization" and those of the other resources that the schedule uses; shares of 1.

    Examples
    --------
    >>> takes = dict(t_issue=10, t_transfer=768, t_latency=700, t_mma=1024, t_epilogue=1280)
    >>> found = utilization_bounds("pingpong", stages=4, k_tiles=4, output_tiles=8, **takes)
    >>> {name: round(float(share), 3) for name, share in found.items()}
    {'tc_utilization': 0.922, 'mem_utilization': 0.692}
    """
    one = find_schedule(schedule)
    cycles = tightest(lower_bounds(one, release=release, **parameters))
    p = numbers(parameters, tuple(set(one.parameters) - {"release", "arbitration"}), one.name)
    steps = p[one.loop] * p.get("output_tiles", 1)
    found = {}
    for resource in one.resources:
        held = [event.takes for event in one.events(release) if event.on == resource]
        work = steps * sum((p[name] for name in held), start=np.zeros(()))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(cycles > 0, work / cycles, 0.0)
        found[f"{resource.lower()}_utilization"] = share
    return found


def bound_dataset(ds: xr.Dataset) -> xr.Dataset:
    """Return the lower bounds of every point of a dataset from ``sweep.run``.

    Parameters
    ----------
    ds : xarray.Dataset
        Its coordinates hold every parameter.

    Returns
    -------
    xarray.Dataset
        One variable per cause and "bound", the tightest, in cycles; NaN where a schedule does not
        have a cause.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run(["multistage", "warp_specialized"], stages=[2, 4])
    >>> found = bound_dataset(ds)
    >>> bool((found.bound <= ds.cycles).all())
    True
    """
    import xarray as xr

    if "schedule" not in ds.dims:
        return _bounds_of(ds)
    parts = [_bounds_of(ds.isel(schedule=index)) for index in range(ds.sizes["schedule"])]
    return xr.concat(parts, dim="schedule", join="outer", coords="different", compat="equals")


def _bounds_of(ds: xr.Dataset) -> xr.Dataset:
    import xarray as xr

    name = ds["schedule"].item() if "schedule" in ds.coords else ds.attrs["schedules"]
    schedule, shape = find_schedule(name), ds["cycles"].shape
    names = [name for name in schedule.parameters if name not in ("release", "arbitration")]
    arrays = {name: _on_grid(ds, name).astype(VARIABLES[name].dtype) for name in names}
    modes = _on_grid(ds, "release") if schedule.release_modes else np.array("consumer")
    found: dict[str, Any] = {}
    for mode in np.unique(modes):
        bounds = lower_bounds(schedule, release=str(mode), **arrays)
        bounds["bound"] = tightest(bounds)
        for cause, cycles in bounds.items():
            found[cause] = np.where(modes == mode, cycles, found.get(cause, np.nan))
    dims = ds["cycles"].dims
    whole = {cause: (dims, np.broadcast_to(cycles, shape)) for cause, cycles in found.items()}
    bounds_of = xr.Dataset(whole, coords={"schedule": name, **{d: ds[d] for d in dims if d in ds}})
    for key, variable in bounds_of.data_vars.items():
        cause = str(key).removeprefix("bound").strip("_").replace("_", " ") or "all causes"
        variable.attrs = {"units": "cycle", "long_name": f"lower bound on the makespan: {cause}"}
    return bounds_of


def _on_grid(ds: xr.Dataset, name: str) -> Array:
    """Return a coordinate with one axis per dimension of the results, of length 1 if constant."""
    variable, dims = ds[name].variable, ds["cycles"].dims
    order = [dim for dim in dims if dim in variable.dims]
    index = tuple(slice(None) if dim in order else np.newaxis for dim in dims)
    return np.asarray(variable.transpose(*order).values[index])


Rows = list[tuple[str, Array]]
Rule = Callable[[Schedule, Numbers, str], Rows]


def _rule(schedule: Schedule) -> Rule:
    if schedule.family == "attention":
        return _attention
    if schedule.producer:
        return _producer_ring
    return _register_staged if "t_store" in schedule.parameters else _single_warp


def _producer_ring(schedule: Schedule, p: Numbers, release: str) -> Rows:
    steps = p["k_tiles"] * p.get("output_tiles", np.ones(()))
    copied = p["t_issue"] + p["t_transfer"] + p["t_latency"] + p["t_sync"]
    complete = p["t_mma"] + p["t_mma_latency"]
    last = complete + p["t_epilogue"]
    reuses = (steps - 1) // p["stages"]
    round_trip = copied + complete
    waited = np.maximum(steps - p["stages"], 0) * p["t_sync"]
    return [
        ("bound_tensor_core", copied + (steps - 1) * p["t_mma"] + last),
        ("bound_copy_bandwidth", copied + (steps - 1) * p["t_transfer"] + last),
        ("bound_copy_issue", copied + (steps - 1) * p["t_issue"] + waited + last),
        ("bound_latency", (reuses + 1) * round_trip + reuses * p["t_sync"] + p["t_epilogue"]),
        ("bound_epilogue", copied + _epilogues(schedule.turns, p)),
        ("bound_mma_latency", copied - p["t_sync"] + _main_loops(schedule.turns, p, release)),
    ]


def _epilogues(turns: int, p: Numbers) -> Array:
    """Return the main loops and epilogues of the busiest of the consumers that take turns."""
    tiles = p.get("output_tiles", np.ones(()))
    loop = p["k_tiles"] * p["t_mma"]
    busiest = np.zeros(())
    for consumer in range(turns):
        own = -(-(tiles - consumer) // turns)
        start = consumer * loop  # the Tensor Core serves the tiles before its first one
        work = own * (loop + p["t_mma_latency"] + p["t_epilogue"]) + (own - 1) * p["t_sync"]
        busiest = np.maximum(busiest, start + np.where(own > 0, work, 0))
    return busiest


def _main_loops(turns: int, p: Numbers, release: str) -> Array:
    """Return the time of main loops whose consumer waits for copies and for its own MMAs.

    A consumer issues MMA k once MMA k - mma_in_flight - 1 is complete, and each issue follows a
    wait for a copy. Ping-pong's turn passes once the MMA that is mma_in_flight before the last is
    complete, and is waited for.
    """
    tiles = p.get("output_tiles", np.ones(()))
    each = p["t_sync"] + p["t_mma"] + p["t_mma_latency"]
    waits = p["k_tiles"] * p["t_sync"]
    chain = np.ones(()) * each
    turn = waits
    if release == "consumer":
        apart = p["mma_in_flight"] + 1
        chain = -(-p["k_tiles"] // apart) * each
        turn = np.maximum(waits, p["k_tiles"] // apart * each)
    loop = np.maximum(chain, waits + each - p["t_sync"]) + p["t_epilogue"]
    own = -(-tiles // turns) * loop
    in_turn = (tiles - 1) * (turn + p["t_sync"]) + loop
    return np.asarray(own if turns == 1 else np.maximum(own, in_turn))


def _single_warp(schedule: Schedule, p: Numbers, release: str) -> Rows:
    """Bound sync and multistage, where the warp that issues the copies also multiplies."""
    steps = p["k_tiles"]
    stages = p.get("stages", np.ones(()))
    copied = p["t_issue"] + p["t_transfer"] + p["t_latency"]
    multiplied = p["t_sync"] + p["t_mma"]
    reuses = (steps - 1) // stages
    # Before its first wait the warp issues min(stages, k_tiles) copies, and the rest after it.
    later = steps - np.minimum(stages, steps)
    issue = np.maximum(
        steps * (p["t_issue"] + multiplied),
        copied + steps * multiplied + later * p["t_issue"],
    )
    return [
        ("bound_tensor_core", copied + p["t_sync"] + steps * p["t_mma"] + p["t_epilogue"]),
        (
            "bound_copy_bandwidth",
            copied + (steps - 1) * p["t_transfer"] + multiplied + p["t_epilogue"],
        ),
        ("bound_copy_issue", issue + p["t_epilogue"]),
        ("bound_latency", (reuses + 1) * (copied + multiplied) + p["t_epilogue"]),
        ("bound_epilogue", copied + steps * multiplied + p["t_epilogue"]),
    ]


def _register_staged(schedule: Schedule, p: Numbers, release: str) -> Rows:
    steps = p["k_tiles"]
    arrives = p["t_transfer"] + p["t_latency"]
    stored = p["t_sync"] + p["t_store"]
    last = p["t_mma"] + p["t_epilogue"]
    first = p["t_issue"] + arrives + stored
    return [
        ("bound_tensor_core", first + steps * p["t_mma"] + p["t_epilogue"]),
        ("bound_copy_bandwidth", first + (steps - 1) * p["t_transfer"] + last),
        (
            "bound_copy_issue",
            arrives + steps * (p["t_issue"] + stored + p["t_mma"]) + p["t_epilogue"],
        ),
        ("bound_latency", steps * first + last),
        ("bound_epilogue", first + steps * p["t_mma"] + p["t_epilogue"]),
    ]


def _attention(schedule: Schedule, p: Numbers, release: str) -> Rows:
    blocks, groups = p["kv_blocks"], schedule.consumer_warpgroups
    softmax = p["t_exp"] + p["t_softmax"]
    ahead = any(event.asynchronous for event in schedule.events(release))
    own = softmax + p["t_gemm1"] + (0 if ahead else p["t_gemm0"])
    # The last warpgroup's first GEMM0 waits for those of the others.
    start = (groups - 1 if not ahead else groups) * p["t_gemm0"]
    return [
        ("bound_tensor_core", groups * blocks * (p["t_gemm0"] + p["t_gemm1"])),
        (
            "bound_exp",
            p["t_gemm0"] + groups * blocks * p["t_exp"] + p["t_softmax"] + p["t_gemm1"],
        ),
        (
            "bound_softmax",
            p["t_gemm0"] + p["t_exp"] + groups * blocks * p["t_softmax"] + p["t_gemm1"],
        ),
        ("bound_serial_chain", start + blocks * own),
    ]
