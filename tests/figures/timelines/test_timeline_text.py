"""Text timelines: what a person reads off them, in 80 columns, for every schedule."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
import xarray as xr

import sweep
from figures.timelines.perfetto import perfetto
from figures.timelines.runs import MAX_STEPS, timeline_traces
from figures.timelines.text import tick_step, timeline_text, wrap
from figures.timelines.text_cells import cells
from figures.timelines.tracks import Span, tracks
from sweep.errors import InputError

SYNC = """\
cycle 0                 2,000              4,000             6,000
      |-----------------|------------------|-----------------|---

sync  k_tiles=2  6,464 cycles
TC    ..............M=========..............M========............   32 %
MEM   .T======.................T======...........................   24 %
warp  Ic------------M=========Ic------------M========E===========

I issue  T transfer  M mma  E epilogue
waits for:  c copy"""


LINES = {name for one in sweep.SCHEDULES.values() for name in (*one.agent_names, *one.resources)}


def short_run(schedule: str, **parameters: Any) -> xr.Dataset:
    return timeline_traces(schedule, parameters)[0]


def rows(text: str) -> dict[str, str]:
    """Return the drawn cells by label."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        label, _, rest = line.partition(" ")
        if label in LINES:
            found.setdefault(label, rest.strip().split(" ")[0])
    return found


def test_sync_to_the_letter() -> None:
    assert timeline_text(sweep.trace("sync", k_tiles=2), width=72) == SYNC


@pytest.mark.parametrize("schedule", sweep.SCHEDULES)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_schedule_fits(schedule: str, width: int) -> None:
    run = short_run(schedule)
    text = timeline_text(run, width)
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii()
    drawn = rows(text)
    lines = {track.name for track in tracks(run)}
    one = sweep.SCHEDULES[schedule]
    assert {*one.agent_names, *one.resources} == lines
    assert {name: drawn[name] for name in lines if name in drawn}.keys() == lines
    assert len({len(drawn[name]) for name in lines}) == 1


@pytest.mark.parametrize("schedule", sweep.SCHEDULES)
def test_every_operation_is_drawn_as_often_as_it_happens(schedule: str) -> None:
    run = short_run(schedule)
    drawn = rows(timeline_text(run, width=2000))
    for operation, sign, resource in (
        ("mma", "M", "TC"),
        ("gemm0", "G", "TC"),
        ("exp", "X", "SFU"),
    ):
        times = int((run.operation == operation).sum())
        if times:
            assert drawn.get(resource, "").count(sign) == times


def test_the_shares_are_the_utilizations() -> None:
    run, one = short_run("pingpong"), sweep.simulate("pingpong", k_tiles=8, output_tiles=2)
    busy = {track.name: track.busy / one.cycles for track in tracks(run) if track.resource}
    assert busy == {"TC": one.tc_utilization, "MEM": one.mem_utilization}


def test_asynchronous_work_is_the_resources() -> None:
    names = {
        track.name: {span.name for span in track.spans if not span.waiting}
        for track in tracks(short_run("warp_specialized"))
    }
    assert names["TC"] == {"mma"}
    assert "transfer" not in names["producer"]
    assert "mma" not in names["consumer"]
    overlap = {track.name: track for track in tracks(short_run("attention_overlap"))}
    assert {span.name for span in overlap["warpgroup_0"].spans if not span.waiting} == {
        "exp", "softmax", "gemm1"
    }  # fmt: skip
    multistage = {track.name: track for track in tracks(short_run("multistage"))}
    assert "mma" in {span.name for span in multistage["warp"].spans}


@pytest.mark.parametrize("schedule", sweep.SCHEDULES)
def test_spans_of_a_track_do_not_overlap(schedule: str) -> None:
    for track in tracks(short_run(schedule)):
        spans = [span for span in track.spans if span.end > span.start]
        assert all(one.end <= other.start for one, other in pairwise(spans))


def test_several_schedules_share_one_axis() -> None:
    together = timeline_text(timeline_traces("sync,multistage", {"k_tiles": 3, "stages": 2}))
    assert together.count("cycle ") == 1
    assert together.index("sync  k_tiles=3") < together.index("multistage  stages=2  k_tiles=3")
    assert together.splitlines()[0].startswith("cycle 0")


def test_parameters_that_none_uses_are_refused() -> None:
    with pytest.raises(InputError, match="kv_blocks: has no effect on sync"):
        timeline_traces("sync,multistage", {"kv_blocks": 3})
    with pytest.raises(InputError, match="did you mean 'sync'"):
        timeline_traces("snyc", {})


def test_counts_that_something_else_sets_are_left_alone() -> None:
    assert short_run("sync", k=128).coords["k_tiles"] == 2
    assert short_run("sync", k_tiles=3).coords["k_tiles"] == 3


def test_too_long_runs_are_refused() -> None:
    with pytest.raises(InputError, match=f"k_tiles=1000000: .* at most {MAX_STEPS:,} steps"):
        timeline_traces("sync", {"k_tiles": 1_000_000})


def test_too_narrow() -> None:
    with pytest.raises(InputError, match="width=39: must be at least 40 columns"):
        timeline_text(short_run("sync"), 39)


def span(name: str, start: float, end: float, waiting: bool = False) -> Span:
    return Span(name, start, end, waiting, 0)


@pytest.mark.parametrize(
    ("spans", "drawn"),
    [
        ([], "....."),
        ([span("mma", 0, 50)], "M===="),
        ([span("mma", 0, 20), span("mma", 20, 50)], "M=M=="),
        ([span("copy", 0, 30, True), span("mma", 30, 50)], "c--M="),
        ([span("mma", 10, 30)], ".M=.."),
        ([span("issue", 0, 1), span("empty", 1, 50, True)], "Is---"),
        ([span("mma", 0, 20), span("issue", 20, 21)], "M=I.."),
        ([span("mma", 49, 50)], "....M"),
        ([span("mma", at, at + 1) for at in range(50)], "MMMMM"),
        ([span("release", 10, 10)], "....."),
        ([one for at in range(0, 50, 5) for one in (span("issue", at, at + 1),
          span("empty", at + 1, at + 5, True))], "sssss"),
        ([span("unheard_of", 0, 50)], "U===="),
    ],
)  # fmt: skip
def test_cells(spans: list[Span], drawn: str) -> None:
    assert cells(spans, scale=10, columns=5) == drawn


def test_a_run_without_any_time() -> None:
    zero: dict[str, Any] = dict.fromkeys(sweep.SCHEDULES["sync"].durations, 0)
    assert "0 cycles" in timeline_text(sweep.trace("sync", k_tiles=1, **zero))


def test_ticks() -> None:
    assert [tick_step(least) for least in (1, 1.1, 3, 6, 11, 0.2)] == [1, 2, 5, 10, 20, 0.2]


def test_wrap() -> None:
    assert wrap(["ab", "cd", "ef"], 6) == ["ab  cd", "ef"]
    assert wrap(["too_long"], 3) == ["too_long"]


class TestPerfetto:
    @pytest.mark.parametrize("schedule", sweep.SCHEDULES)
    def test_every_event_with_its_exact_cycles(self, schedule: str) -> None:
        run = short_run(schedule)
        document = json.loads(json.dumps(perfetto(run), allow_nan=False))
        slices = [one for one in document["traceEvents"] if one["ph"] == "X"]
        on_resources = sorted(
            (one["args"]["start_cycle"], one["args"]["end_cycle"])
            for one in slices
            if one["cat"] == run.resource.values[0]
            or one["cat"] in sweep.SCHEDULES[schedule].resources
        )
        held = run.where(run.resource != "", drop=True)
        assert set(on_resources) == set(zip(held.start.values, held.end.values, strict=True))
        per_microsecond = sweep.GPUS[run.gpu.item()].clock_hz / 1e6
        for one in slices:
            assert one["dur"] == pytest.approx(one["args"]["cycles"] / per_microsecond)
            assert one["ts"] == pytest.approx(one["args"]["start_cycle"] / per_microsecond)

    def test_processes_and_threads(self) -> None:
        events = perfetto(short_run("pingpong"))["traceEvents"]
        processes = [e["args"]["name"] for e in events if e["name"] == "process_name"]
        assert processes == ["TC", "MEM", "CTA (pingpong)"]
        threads = [(e["pid"], e["args"]["name"]) for e in events if e["name"] == "thread_name"]
        assert threads == [
            (1, "consumer_0"), (1, "consumer_1"), (2, "producer"),
            (3, "producer"), (3, "consumer_0"), (3, "consumer_1"),
        ]  # fmt: skip

    def test_slices_of_a_thread_do_not_overlap(self) -> None:
        ends: dict[tuple[int, int], float] = {}
        events = perfetto(short_run("cooperative"))["traceEvents"]
        for one in sorted((e for e in events if e["ph"] == "X"), key=lambda e: e["ts"]):
            key = one["pid"], one["tid"]
            assert one["args"]["start_cycle"] >= ends.get(key, 0.0)
            ends[key] = one["args"]["end_cycle"]

    def test_the_clock(self) -> None:
        assert perfetto(short_run("sync", gpu="b200"))["otherData"]["clock_hz"] == 1.856e9
        assert perfetto(short_run("sync", clock_hz=1e9))["otherData"]["clock_hz"] == 1e9
        assert perfetto(short_run("sync"), clock_hz=1e6)["traceEvents"][3]["ts"] > 1000
        unknown = short_run("sync")
        unknown.coords["gpu"] = "mine"
        del unknown.attrs["clock_hz"]
        with pytest.raises(InputError, match=r"clock_hz: .*gpu='mine'.* \(in Hz\)"):
            perfetto(unknown)
