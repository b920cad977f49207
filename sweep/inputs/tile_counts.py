"""Tables over output tiles among the parameters of a schedule: lengths that must agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sweep.description import Schedule, count_names
from sweep.errors import InputError, shorten
from sweep.inputs.labels import label_text
from sweep.quantities.arrays import Array
from sweep.quantities.tile_table import MOST_ENTRIES, TileTable
from sweep.quantities.variables import RESIDENCY, VARIABLES

if TYPE_CHECKING:
    from sweep.inputs.quantity import Quantity


def lengths_of(quantity: Quantity) -> Array:
    """Return how many tiles the table of each point is for, -1 where it is for any."""
    lengths = [-1 if one.plain else len(one.entries) for one in _tables(quantity)]
    return np.asarray(np.array(lengths, dtype=np.int64)[quantity.array])


def _tables(quantity: Quantity) -> Iterator[TileTable]:
    for label in quantity.labels:
        assert isinstance(label, TileTable)
        yield label


def tiles_of_tables(
    tables: Mapping[str, Quantity], default: int, ndim: int
) -> tuple[frozenset[str], Array]:
    """Return the output tiles that tables are for where they are not given, and their dimensions.

    Raises
    ------
    InputError
        Where tables of different lengths meet, naming both.
    """
    dims: frozenset[str] = frozenset()
    tiles: Array = np.full((1,) * ndim, -1, dtype=np.int64)
    first: dict[str, Quantity] = {}
    for name, quantity in tables.items():
        own = lengths_of(quantity)
        if ((own >= 0) & (tiles >= 0) & (own != tiles)).any():
            other, there = next(iter(first.items()))
            raise InputError(
                f"{name}={_shown(quantity)} has {own.max()} values and"
                f" {other}={_shown(there)} has {lengths_of(there).max()}: tables have one value"
                " per output tile"
            )
        first.setdefault(name, quantity)
        tiles = np.where(own >= 0, own, tiles)
        dims |= quantity.dims
    return dims, np.where(tiles >= 0, tiles, default)


def check_lengths(tables: Mapping[str, Quantity], tiles: Array) -> None:
    """Refuse tables that are not one value per output tile.

    Raises
    ------
    InputError
        Naming the table and ``output_tiles``.
    """
    for name, quantity in tables.items():
        own = lengths_of(quantity)
        wrong = (own >= 0) & (own != tiles)
        if wrong.any():
            at = int(np.argmax(wrong))
            length, count = (
                int(np.broadcast_to(one, wrong.shape).flat[at]) for one in (own, tiles)
            )
            raise InputError(
                f"{name}={_shown(quantity, length)}: has {length} values, but"
                f" output_tiles={count}; a table has one value per output tile"
            )
        if (own < 0).any() and tiles.max() > MOST_ENTRIES:
            raise InputError(
                f"output_tiles={tiles.max()}: beside tables of {name}, at most {MOST_ENTRIES:,}"
            )


def _shown(quantity: Quantity, length: int | None = None) -> str:
    tables = list(_tables(quantity))
    some = [one for one in tables if length is None or len(one.entries) == length]
    return shorten(label_text((some or tables)[0]))


def check_may_be_table(schedule: Schedule, name: str) -> None:
    """Refuse tables of what has one value for a whole run: only loops and durations vary.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    loops = {one for loop in schedule.loops for one in count_names(loop.count)}
    fixed = {one for ring in schedule.rings for one in count_names(ring.slots)}
    for event in schedule.events("consumer"):
        counts = (event.behind, event.starts_at, event.skips, event.every)
        lags = (after.lag for after in event.after)
        fixed |= {one for count in (*counts, *lags) for one in count_names(count)}
    kind = VARIABLES[name].kind
    if name in RESIDENCY or name in fixed or not (kind == "duration" or name in loops):
        raise InputError(
            f"{name}: a table over output tiles is for durations and for the counts of loops"
            f" ({', '.join(sorted(loops))}); give one number"
        )
