"""A trace for ui.perfetto.dev and chrome://tracing, in the Trace Event Format.

A process per resource, with a thread per agent that uses it; one more, the CTA, with what each
agent itself does and waits for. Times are microseconds at the GPU's clock, as the format wants
them; the exact cycles stand in each slice's arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from figures.tracks import Span, Track, tracks
from sweep.errors import InputError
from sweep.hardware import GPUS

if TYPE_CHECKING:
    import xarray as xr

Slice = dict[str, Any]


def perfetto(trace: xr.Dataset, clock_hz: float | None = None) -> dict[str, Any]:
    """Return a trace as a document of the Trace Event Format.

    Parameters
    ----------
    trace : xarray.Dataset
        From ``sweep.trace``.
    clock_hz : float, optional
        SM clock; the trace's GPU's unless given.

    Returns
    -------
    dict
        To be written as JSON.

    Raises
    ------
    InputError
        Where the GPU's clock is not known.

    Examples
    --------
    >>> import sweep
    >>> document = perfetto(sweep.trace("sync", k_tiles=1))
    >>> [one["name"] for one in document["traceEvents"] if one["ph"] == "X"][:2]
    ['mma k_tile 0', 'transfer k_tile 0']
    """
    clock = clock_of(trace) if clock_hz is None else clock_hz
    agents = list(dict.fromkeys(trace.agent.values.tolist()))
    found: list[Slice] = []
    for process, track in enumerate(_processes(trace), start=1):
        name = track[0].name if track[0].resource else f"CTA ({trace.attrs['schedules']})"
        found.append(_name("process_name", name, process))
        found += _threads(trace, track, process, agents, clock)
    return {
        "traceEvents": found,
        "displayTimeUnit": "ns",
        "otherData": {key: str(value) for key, value in trace.attrs.items()} | {"clock_hz": clock},
    }


def clock_of(trace: xr.Dataset) -> float:
    """Return the SM clock of a trace's GPU, in Hz."""
    if "clock_hz" in trace.coords:
        return float(trace.coords["clock_hz"])
    name = str(trace.coords["gpu"].item()) if "gpu" in trace.coords else ""
    clock = GPUS[name].clock_hz if name in GPUS else None
    if clock is None:
        raise InputError(f"clock_hz: not known for gpu={name!r}; give clock_hz=... (in Hz)")
    return clock


def _processes(trace: xr.Dataset) -> list[list[Track]]:
    """Group tracks: each resource by itself, the agents together."""
    found = tracks(trace)
    agents = [track for track in found if not track.resource]
    return [*([track] for track in found if track.resource), agents]


def _threads(
    trace: xr.Dataset, group: list[Track], process: int, agents: list[str], clock: float
) -> list[Slice]:
    rows = trace.to_dict(data="list")["data_vars"]
    who = rows["agent"]["data"]
    slices = [
        _slice(rows, span, clock) | {"pid": process, "tid": agents.index(who[span.event]) + 1}
        for track in group
        for span in track.spans
        if span.end > span.start
    ]
    used = sorted({one["tid"] for one in slices})
    return [*(_name("thread_name", agents[i - 1], process, i) for i in used), *slices]


def _slice(rows: dict[str, Any], span: Span, clock: float) -> Slice:
    at = {name: column["data"][span.event] for name, column in rows.items()}
    step = "block" if "block" in at else "k_tile"
    index = f"{step} {at[step]}" if at[step] >= 0 else f"output_tile {at['output_tile']}"
    return {
        "ph": "X",
        "name": f"wait for {span.name}" if span.waiting else f"{span.name} {index}",
        "cat": "wait" if span.waiting else (at["resource"] or "agent"),
        "ts": span.start / clock * 1e6,
        "dur": (span.end - span.start) / clock * 1e6,
        "args": {
            "start_cycle": span.start,
            "end_cycle": span.end,
            "cycles": span.end - span.start,
            "operation": at["operation"],
            "output_tile": at["output_tile"],
            step: at[step],
        },
    }


def _name(kind: str, name: str, process: int, thread: int = 0) -> Slice:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}
