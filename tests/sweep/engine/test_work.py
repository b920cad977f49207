"""Sums of what a run does, against counting every instance of every row one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from sweep.description import Event, Schedule
from sweep.description.counts import linear
from sweep.engine.held_work import Work
from sweep.engine.outputs import allocate, check_shares, finish_block
from sweep.inputs.space import resolve
from sweep.results.points import event_parameters
from tests.support.own_schedules import DRAINED


def count(what: int | str, p: Mapping[str, Any]) -> int:
    return sum(factor * (p[name] if name else 1) for name, factor in linear(what))


def of_tile(p: Mapping[str, Any], tile: int) -> dict[str, Any]:
    return {name: one[tile] if isinstance(one, tuple) else one for name, one in p.items()}


def happens(row: Event, flat: int, i: int, steps: int, p: Mapping[str, Any]) -> bool:
    if flat < count(row.starts_at, p) or i < count(row.skips, p):
        return False
    return (i + 1) % count(row.every, p) == 0 or i == steps - 1


def held(schedule: Schedule, p: Mapping[str, Any], resource: str) -> float:
    """Walk every CTA through its tiles and add up what holds a resource."""
    total = 0.0
    alone = p["tile_scheduler"] == "single"
    loops = {loop.name: loop.count for loop in schedule.loops}
    for copy in range(p["ctas_per_sm"]):
        passed = dict.fromkeys(loops, 0)
        own = 0
        for tile in range(copy, p["output_tiles"], p["ctas_per_sm"]):
            q = of_tile(p, tile)
            if alone:
                passed, own = dict.fromkeys(loops, 0), 0
            for row in schedule.events("consumer"):
                if row.on != resource or not row.takes:
                    continue
                place = schedule.place(row)
                if place in loops:
                    steps = count(loops[place], q)
                    times = sum(happens(row, passed[place] + i, i, steps, q) for i in range(steps))
                else:
                    times = int(own >= count(row.starts_at, q))
                total += times * q[row.takes]
            passed = {name: passed[name] + count(loops[name], q) for name in loops}
            own += 1
    return total


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a point of the schedule that has all there is; some parameters are tables."""
    tiles = int(rng.integers(1, 9))
    p: dict[str, Any] = {"output_tiles": tiles, "ctas_per_sm": int(rng.integers(1, 5))}
    for name, most in (("k_tiles", 9), ("parts_count", 5)):
        if rng.random() < 0.5:
            p[name] = "+".join(map(str, rng.integers(0, most, tiles))) if tiles > 1 else 3
        else:
            p[name] = int(rng.integers(1, most))
    for name in ("t_late", "t_write", "t_mma", "t_scale", "t_report", "t_transfer"):
        table = rng.random() < 0.3 and tiles > 1
        drawn = rng.integers(0, 50, tiles if table else 1)
        p[name] = "+".join(map(str, drawn)) if table else int(drawn[0])
    p |= {"slots": int(rng.integers(1, 12)), "scale_every": int(rng.integers(1, 5)), "held": 2}
    p["tile_scheduler"] = str(rng.choice(["single", "static_persistent"]))
    return p


@pytest.mark.parametrize("seed", range(200))
def test_held_cycles_are_those_of_every_instance(seed: int) -> None:
    p = draw(np.random.default_rng([7, seed]))
    space = resolve(DRAINED, p)
    work = Work(DRAINED, space.values[0], space.tables[0])
    point = event_parameters(space)
    for resource in DRAINED.resources:
        assert float(work.held(resource)) == held(DRAINED, point, resource), (resource, p)


def test_axes_give_what_their_points_give() -> None:
    axes: dict[str, Any] = {
        "k_tiles": ["4+1+9", "0+2+2", 5],
        "ctas_per_sm": [1, 2, 3],
        "slots": [1, 4, 30],
        "t_report": 6,
        "output_tiles": 3,
    }
    space = resolve(DRAINED, axes)
    work = Work(DRAINED, space.values[0], space.tables[0])
    found = {name: np.broadcast_to(work.held(name), space.grid) for name in DRAINED.resources}
    for at in np.ndindex(*space.grid):
        one = {
            name: value[at[list(space.dims).index(name)]] if name in space.dims else value
            for name, value in axes.items()
        }
        point = event_parameters(resolve(DRAINED, one))
        for name, array in found.items():
            assert array[at] == held(DRAINED, point, name)


def test_a_period_of_a_tile_holds_all_its_rows() -> None:
    space = resolve(DRAINED, {"t_report": 6, "t_scale": 7, "k_tiles": 9, "t_mma": 5})
    work = Work(DRAINED, space.values[0], space.tables[0])
    assert work.held_per_period("TC") == 9 * 5
    assert work.held_per_period("FMA") == 5 * 7  # iterations 1, 3, 5, 7 and the last
    assert work.held_per_period("STORE") == 4 * space.values[0]["t_write"] + 6


def test_a_share_above_1_is_an_error_of_ours() -> None:
    space = resolve(DRAINED, {"t_report": 6})
    out = allocate((), space.own_outputs)
    out["cycles"][...] = 1e9
    finish_block(DRAINED, space.values[0], out, space.tables[0])
    check_shares(out)
    assert 0 < out["store_utilization"] < 1
    assert out["sfu_utilization"] == 0
    out["cycles"][...] = 1000
    finish_block(DRAINED, space.values[0], out, space.tables[0])
    with pytest.raises(RuntimeError, match="held for longer than the run takes"):
        check_shares(out)


def test_throughput_counts_all_tiles_of_the_sm() -> None:
    space = resolve(DRAINED, {"t_report": 6, "k_tiles": "4+1+9", "tile": "64x64x64"})
    out = allocate((), space.own_outputs)
    out["cycles"][...] = 1e6
    finish_block(DRAINED, space.values[0], out, space.tables[0])
    flop, clock, sms = 14 * 2 * 64**3, 1.83e9, 132
    assert out["tflops"] == pytest.approx(flop * sms * clock / 1e18, rel=1e-12)
    steps = resolve("attention_serial", {"kv_blocks": "3+4", "tile_scheduler": "single"})
    work = Work(steps.schedules[0], steps.values[0], steps.tables[0])
    assert work.useful_flop() == 7 * 4 * 64 * 128 * 128
