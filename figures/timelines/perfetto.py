"""A trace for ui.perfetto.dev and chrome://tracing, in the Trace Event Format.

A process per resource, with a thread per agent that uses it; one more, the CTA, with what each
agent itself does and waits for. Arrows lead from what completes a barrier to what waited for it: a
copy to its MMA, an MMA to the copy that takes its slot, a turn to the next one. Times are
microseconds at the GPU's clock, as the format wants them; the exact cycles stand in each slice's
arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from figures.timelines.handovers import handovers
from figures.timelines.tracks import Span, Track, tracks
from sweep.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

Slice = dict[str, Any]

THREADS = 100
"""Thread ids of a process: viewers want them apart in the whole document."""


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
    slices: dict[tuple[int, str], Slice] = {}
    for process, track in enumerate(_processes(trace), start=1):
        name = track[0].name if track[0].resource else f"CTA ({trace.attrs['schedules']})"
        drawn = _slices(trace, track, process, agents, clock)
        used = sorted({one["tid"] for one in drawn.values()})
        found += [_name("process_name", name, process), _order(process)]
        found += [_name("thread_name", agents[i % THREADS - 1], process, i) for i in used]
        found += drawn.values()
        slices |= {(event, f"{process} {kind}"): one for (event, kind), one in drawn.items()}
    return {
        "traceEvents": [*found, *_flows(trace, slices)],
        "displayTimeUnit": "ns",
        "otherData": {key: str(value) for key, value in trace.attrs.items()} | {"clock_hz": clock},
    }


def clock_of(trace: xr.Dataset) -> float:
    """Return the SM clock of a trace's GPU, in Hz."""
    clock = trace.coords.get("clock_hz", trace.attrs.get("clock_hz"))
    if clock is None:
        name = str(trace.coords["gpu"].item()) if "gpu" in trace.coords else ""
        raise InputError(f"clock_hz: not known for gpu={name!r}; give clock_hz=... (in Hz)")
    return float(clock)


def _processes(trace: xr.Dataset) -> list[list[Track]]:
    """Group tracks: each resource by itself, the agents together."""
    found = tracks(trace)
    agents = [track for track in found if not track.resource]
    return [*([track] for track in found if track.resource), agents]


def _slices(
    trace: xr.Dataset, group: list[Track], process: int, agents: list[str], clock: float
) -> dict[tuple[int, str], Slice]:
    """Return a process's slices by event and whether it is a wait: what takes no time has none."""
    rows = trace.to_dict(data="list")["data_vars"]
    who = rows["agent"]["data"]
    return {
        (span.event, "wait" if span.waiting else "operation"): _slice(rows, span, clock)
        | {"pid": process, "tid": process * THREADS + agents.index(who[span.event]) + 1}
        for track in group
        for span in track.spans
        if span.end > span.start
    }


def _flows(trace: xr.Dataset, slices: dict[tuple[int, str], Slice]) -> list[Slice]:
    """Return the arrows of barrier hand-overs; each end lies in the middle of its slice.

    A viewer binds an end to the slice around it; the middle is inside it even where times are
    rounded to nanoseconds. Of an operation that holds a resource, that resource's slice counts.
    """
    first: dict[int, Slice] = {}
    for (event, kind), one in slices.items():
        if kind.endswith("operation"):
            first.setdefault(event, one)
    found = []
    for number, (barrier, source, target) in enumerate(handovers(trace), start=1):
        for phase, at in (("s", first[source]), ("f", first[target])):
            end: Slice = {"ph": phase, "id": number, "name": barrier, "cat": "barrier"}
            end |= {"pid": at["pid"], "tid": at["tid"], "ts": at["ts"] + at["dur"] / 2}
            found.append(end | ({"bp": "e"} if phase == "f" else {}))
    return found


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


def _order(process: int) -> Slice:
    """Keep the processes in the order of their numbers: resources above the agents."""
    args = {"sort_index": process}
    return {"ph": "M", "name": "process_sort_index", "pid": process, "tid": 0, "args": args}
