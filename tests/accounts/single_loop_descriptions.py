"""Random schedules of one loop: agents, resources, places, lags, skews, turns, drains, late starts.

Most draws respect the order of the list where chance would rarely do so; one in five does not, so
that what is refused is drawn too. Names are drawn from those that generated code uses itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.description import RESOURCES, After, Event, Schedule, Steps

DURATIONS = "t_issue t_transfer t_latency t_mma t_store t_epilogue t_sync t_mma_latency".split()
TAKES = (0, 1, 2, 3, 5, 8, 13, 40)
NAMES = (
    "moved rounds shift steps tile kernel latest lambda consumer_1 stages t_mma slot place k_tile"
    " math fill drift end agent_a free_TC slots_a mma issue copy wait release done go x y z"
).split()
AGENTS = "copier mma steps moved latest warp_0 warp_1 slot tile".split()
PLACES = ("k_tile", "k_tile", "k_tile", "tile_start", "before_drain", "tile_end")


@dataclass(frozen=True)
class Drawn:
    """A description, and the choices that its rows were drawn from."""

    schedule: Schedule
    tame: bool


def draw(seed: int) -> Drawn:
    """Draw a schedule; the same seed gives the same one."""
    rng = np.random.default_rng(seed)
    tame = bool(rng.random() < 0.8)
    tile_level = bool(rng.random() < 0.5)
    turns = 2 if tile_level and rng.random() < 0.25 else 1
    agents = [str(one) for one in rng.choice(AGENTS, rng.integers(1, 4), replace=False)]
    performers = list(agents)
    if turns == 2:
        agents += ["consumer_0", "consumer_1"]
        performers.append("consumer")
    skew: Steps = 0
    if rng.random() < 0.5:
        skew = _pick(rng, [1, 2, 3, "mma_in_flight", "stages - 1", "stages"])
    names = [str(one) for one in rng.choice(NAMES, rng.integers(3, 10), replace=False)]
    rows = list(_rows(rng, names, performers, skew, tame, tile_level))
    events = tuple(_with_dependencies(rng, rows, tame))
    own = Schedule(
        name="drawn",
        family="gemm",
        summary="a random description",
        reference="a test",
        agents=tuple(agents),
        events=lambda release: events,
        loader="tma",
        producer=True,
        fixed_stages=2,
        turns=turns,
        tile_level=tile_level,
    )
    return Drawn(own, tame)


def points(
    seed: int, schedule: Schedule, number: int, long: bool = False
) -> Iterator[dict[str, Any]]:
    """Draw points of a schedule; some with all extensions at zero."""
    rng = np.random.default_rng([seed, 1])
    unit = float(rng.choice([1, 1, 1 / 1024]))
    for index in range(number):
        p: dict[str, Any] = {}
        plain = index % 2 == 0
        for name in schedule.durations:
            off = plain and name in ("t_sync", "t_mma_latency")
            p[name] = 0.0 if off else float(rng.choice(TAKES)) * unit
        counts = {
            "stages": rng.integers(1, 6),
            "mma_in_flight": 0 if plain else rng.integers(0, 5),
            "k_tiles": rng.integers(40, 90) if long else rng.integers(1, 8),
            "output_tiles": rng.integers(10, 40) if long else rng.integers(1, 7),
        }
        p |= {one: int(value) for one, value in counts.items() if one in schedule.parameters}
        yield p


def _pick(rng: np.random.Generator, values: list[Any]) -> Any:
    return values[rng.integers(len(values))]


def _rows(
    rng: np.random.Generator,
    names: list[str],
    performers: list[str],
    skew: Steps,
    tame: bool,
    tile_level: bool,
) -> Iterator[Event]:
    for index, name in enumerate(names):
        place = "k_tile" if index == 0 else _pick(rng, list(PLACES))
        agent = "" if rng.random() < 0.25 else _pick(rng, performers)
        on = (
            _pick(rng, list(RESOURCES[: rng.integers(1, 5)]))
            if agent and rng.random() < 0.5
            else ""
        )
        behind = skew if rng.random() < 0.4 and (place == "k_tile" or not tame) else 0
        late = rng.random() < 0.15 and (behind == 0 or not tame)
        yield Event(
            name,
            agent,
            on,
            takes=_pick(rng, ["", *DURATIONS]),
            asynchronous=bool(on) and bool(rng.random() < 0.4),
            behind=behind,
            starts_at=_pick(rng, [1, 2, 3, "stages"]) if late else 0,
            place=place,
        )
    del tile_level


def _with_dependencies(rng: np.random.Generator, rows: list[Event], tame: bool) -> Iterator[Event]:
    for index, row in enumerate(rows):
        wanted = max(int(rng.integers(0, 3)), int(not row.agent))
        after = tuple(_dependency(rng, rows, index, tame) for _ in range(wanted))
        if tame and not row.agent and rng.random() < 0.9:
            after = (*after, *_cause(rows, index))
        drains = ""
        if row.behind != 0 and rng.random() < 0.5:
            loop = [one.name for one in rows if one.place == "k_tile" and one.behind == 0]
            drains = _pick(rng, loop) if loop else ""
        yield Event(
            row.name,
            row.agent,
            row.on,
            row.takes,
            after,
            row.asynchronous,
            row.behind,
            drains,
            row.starts_at,
            row.place,
        )


def _cause(rows: list[Event], index: int) -> Iterator[After]:
    """Yield an earlier row of the same iteration, which brings a delay about every time."""
    row = rows[index]
    for one in rows[:index]:
        if (one.place, one.behind, one.starts_at) == (row.place, row.behind, row.starts_at):
            yield After(one.name)
            return


def _dependency(rng: np.random.Generator, rows: list[Event], index: int, tame: bool) -> After:
    lags: list[Steps] = [1, 2, 3, 4, "stages", "stages", "stages + 1", "stages - 1"]
    row = rows[index]
    if not tame:
        return After(_pick(rng, rows).name, _pick(rng, [0, 0, 0, *lags]))
    if row.place == "k_tile":
        loop = [one for one in rows if one.place == "k_tile"]
        earlier = [
            one for one in rows[:index] if one.place == "k_tile" and one.behind in (0, row.behind)
        ]
        if earlier and rng.random() < 0.9:
            return After(_pick(rng, earlier).name)
        return After(_pick(rng, loop).name, _pick(rng, lags))
    wanted = [one for one in rows if one.place in ("k_tile", row.place)]
    other = _pick(rng, wanted)
    if other.place == "k_tile":
        return After(other.name, 1 if row.place == "tile_start" else 0)
    return After(other.name, 0 if rows.index(other) < index else 1)
