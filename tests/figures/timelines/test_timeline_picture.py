"""Drawn timelines against their traces, and the arrows and the form of Perfetto traces."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgb

import sweep
from figures.drawing.palette import OPERATION_COLOURS
from figures.drawing.saving import figure_bytes
from figures.timelines.files import write_timeline
from figures.timelines.handovers import handovers
from figures.timelines.perfetto import perfetto
from figures.timelines.picture import kind_of, timeline
from figures.timelines.runs import timeline_traces
from figures.timelines.tracks import tracks
from sweep.errors import InputError
from tests.support.drawn_text import collisions, legend_texts

schedules = pytest.mark.parametrize("name", sweep.SCHEDULES)


def short_run(name: str, **parameters: Any) -> xr.Dataset:
    return timeline_traces(name, parameters)[0]


def bars(axes: Any) -> Counter[tuple[int, str, float, float]]:
    """Return (row, kind, start, end) of every bar."""
    found: Counter[tuple[int, str, float, float]] = Counter()
    for collection in axes.collections:
        row, _, kind = collection.get_gid().partition(" ")
        for path in collection.get_paths():
            xs = path.vertices[:, 0]
            found[int(row), kind, float(xs.min()), float(xs.max())] += 1
    return found


class TestPicture:
    @schedules
    def test_bars_are_the_spans_of_the_tracks(self, name: str) -> None:
        run = short_run(name)
        (axes,) = timeline(run).axes
        want: Counter[tuple[int, str, float, float]] = Counter()
        for row, track in enumerate(tracks(run)):
            for span in track.spans:
                if span.end > span.start:
                    want[row, kind_of(span).words, span.start, span.end] += 1
        assert bars(axes) == want

    @schedules
    def test_legend_names_what_is_there_once(self, name: str) -> None:
        figure = timeline(short_run(name))
        there = {kind for _, kind, _, _ in bars(figure.axes[0])}
        assert sorted(legend_texts(figure)) == sorted(there)

    def test_rows_and_shares(self) -> None:
        run = short_run("pingpong")
        (axes,) = timeline(run).axes
        assert [one.get_text() for one in axes.get_yticklabels()] == [
            "TC", "MEM", "producer", "consumer_0", "consumer_1",
        ]  # fmt: skip
        share = sweep.simulate("pingpong", k_tiles=8, output_tiles=2).tc_utilization
        assert f" {100 * share:.0f} %" in [one.get_text() for one in axes.texts]
        assert axes.yaxis.get_inverted(), "resources on top"

    def test_numbers_are_k_tiles(self) -> None:
        run = short_run("sync", k_tiles=3)
        (axes,) = timeline(run).axes
        on_tc = [one.get_text() for one in axes.texts if one.xy[1] == 0 and one.xy[0] > 1]
        assert on_tc == ["0", "1", "2"]

    def test_several_share_one_axis_and_end_where_they_end(self) -> None:
        runs = timeline_traces("sync,multistage", {"k_tiles": 4})
        figure = timeline(runs)
        first, second = figure.axes
        assert first.get_shared_x_axes().joined(first, second)
        for axes, run in zip(figure.axes, runs, strict=True):
            (end,) = axes.lines
            assert set(np.asarray(end.get_xdata()).tolist()) == {run.attrs["cycles"]}

    def test_colours_on_the_page(self) -> None:
        """Look at the middle of the first MMA in the finished picture."""
        from io import BytesIO

        from matplotlib.image import imread

        run = short_run("sync", k_tiles=2)
        figure = timeline(run)
        page = imread(BytesIO(figure_bytes(figure, "png")))
        mma = run.isel(event=int(np.flatnonzero(run.operation == "mma")[0]))
        (axes,) = figure.axes
        x, y = axes.transData.transform((float(mma.start * 0.8 + mma.end * 0.2), 0.2))
        x, y = x * page.shape[1] / figure.bbox.width, y * page.shape[0] / figure.bbox.height
        colour = page[page.shape[0] - round(y), round(x), :3]
        np.testing.assert_allclose(colour, to_rgb(OPERATION_COLOURS["mma"]), atol=0.03)

    @schedules
    def test_no_text_over_another(self, name: str) -> None:
        assert collisions(timeline(short_run(name))) == []

    def test_extremes(self) -> None:
        none = sweep.trace(
            "sync", k_tiles=1, t_issue=0, t_transfer=0, t_latency=0, t_mma=0, t_epilogue=0
        )
        assert figure_bytes(timeline(none))
        assert figure_bytes(timeline(sweep.trace("pingpong", k_tiles=64, output_tiles=8)), "svg")
        shown = sweep.trace("warp_specialized", k_tiles=2, t_sync=40, mma_in_flight=1)
        assert "t_sync after copy" in legend_texts(timeline(shown))

    def test_refusals(self) -> None:
        with pytest.raises(InputError, match="timeline: the dataset has no variable 'agent'"):
            timeline(sweep.run("sync", k_tiles=[1]))
        with pytest.raises(InputError, match="timeline: 0 traces"):
            timeline([])
        with pytest.raises(InputError, match="timeline: 13 traces, must be 1 to 12"):
            timeline([short_run("sync")] * 13)
        with pytest.raises(InputError, match="no attribute 'cycles'"):
            timeline(short_run("sync").drop_attrs())

    @pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
    def test_file(self, tmp_path: Path, kind: str) -> None:
        runs = timeline_traces("sync,pingpong", {})
        write_timeline(runs, tmp_path / f"a.{kind}")
        write_timeline(runs, tmp_path / f"b.{kind}")
        first, second = (path.read_bytes() for path in sorted(tmp_path.iterdir()))
        assert first == second


class TestHandovers:
    def test_a_ring_of_one_slot(self) -> None:
        run = sweep.trace("warp_specialized", k_tiles=3, stages=1)
        k, what = run.k_tile.values, run.operation.values
        found = [(b, what[s], k[s], what[t], k[t]) for b, s, t in handovers(run)]
        full = [("full", "transfer", n, "mma", n) for n in range(3)]
        empty = [("empty", "mma", n, "issue", n + 1) for n in range(2)]
        assert sorted(found) == sorted([*full, *empty, ("mma", "mma", 2, "epilogue", -1)])

    def test_turns(self) -> None:
        run = sweep.trace("pingpong", k_tiles=2, output_tiles=3)
        turns = [(s, t) for barrier, s, t in handovers(run) if barrier == "turn"]
        who, tile = run.agent.values, run.output_tile.values
        assert [(who[s], tile[s], who[t], tile[t]) for s, t in turns] == [
            ("consumer_0", 0, "consumer_1", 1),
            ("consumer_1", 1, "consumer_0", 2),
        ]

    @schedules
    def test_nothing_goes_back_in_time(self, name: str) -> None:
        run = short_run(name)
        start, end = run.start.values, run.end.values
        arrows = handovers(run)
        assert len(set(arrows)) == len(arrows)
        for _, source, target in arrows:
            assert end[source] <= start[target]
            assert end[source] > start[source]
            assert end[target] > start[target]

    def test_every_wait_that_cost_time_has_its_arrow(self) -> None:
        run = short_run("persistent")
        targets = {one.target for one in handovers(run)}
        for event in np.flatnonzero((run.wait > 0) & (run.operation == "wait_slot")):
            step = run.isel(event=event)
            issue = (run.operation == "issue") & (run.k_tile == step.k_tile)
            issue &= run.output_tile == step.output_tile
            assert int(np.flatnonzero(issue)[0]) in targets

    def test_none_for_a_schedule_that_is_not_known(self) -> None:
        own = short_run("sync")
        own.attrs["schedules"] = "of_my_own"
        assert handovers(own) == []
        assert perfetto(own)["traceEvents"]


class TestTraceEventFormat:
    """The format's own rules: "Trace Event Format" (Google, 2016), and Perfetto's importer's."""

    @pytest.fixture(params=list(sweep.SCHEDULES))
    def events(self, request: pytest.FixtureRequest) -> list[dict[str, Any]]:
        document = json.loads(json.dumps(perfetto(short_run(request.param)), allow_nan=False))
        assert document["displayTimeUnit"] in ("ms", "ns")
        found: list[dict[str, Any]] = document["traceEvents"]
        return found

    def test_every_event_has_what_its_phase_needs(self, events: list[dict[str, Any]]) -> None:
        for one in events:
            assert one["ph"] in "XMsf"
            assert isinstance(one["pid"], int) and isinstance(one["tid"], int)
            assert isinstance(one["name"], str) and one["name"]
            if one["ph"] == "M":
                assert one["args"]
                continue
            assert one["ts"] >= 0
            assert isinstance(one["cat"], str)
            if one["ph"] == "X":
                assert one["dur"] > 0
                assert one["args"]["cycles"] == (
                    one["args"]["end_cycle"] - one["args"]["start_cycle"]
                )
            elif one["ph"] == "f":
                assert one["bp"] == "e"

    def test_threads_are_apart_and_named(self, events: list[dict[str, Any]]) -> None:
        named = {(one["pid"], one["tid"]) for one in events if one["name"] == "thread_name"}
        used = {(one["pid"], one["tid"]) for one in events if one["ph"] != "M"}
        assert used == named
        assert len({tid for _, tid in named}) == len(named)

    def test_both_ends_of_an_arrow_lie_in_a_slice(self, events: list[dict[str, Any]]) -> None:
        slices = [one for one in events if one["ph"] == "X"]
        ends: dict[int, list[dict[str, Any]]] = {}
        for one in events:
            if one["ph"] in "sf":
                around = [
                    here
                    for here in slices
                    if (here["pid"], here["tid"]) == (one["pid"], one["tid"])
                    and here["ts"] < one["ts"] < here["ts"] + here["dur"]
                ]
                assert len(around) == 1
                ends.setdefault(one["id"], []).append(one)
        for first, last in ends.values():
            assert (first["ph"], last["ph"]) == ("s", "f")
            assert first["ts"] < last["ts"]
            assert first["name"] == last["name"]
            assert first["cat"] == last["cat"], "ends of one arrow are matched by category and id"

    def test_a_viewer_that_rounds_to_nanoseconds_keeps_slices_apart(
        self, events: list[dict[str, Any]]
    ) -> None:
        ends: dict[int, int] = {}
        for one in sorted((one for one in events if one["ph"] == "X"), key=lambda one: one["ts"]):
            start = int(one["ts"] * 1000)
            assert start >= ends.get(one["tid"], 0)
            ends[one["tid"]] = start + int(one["dur"] * 1000)
