"""From what was given to every value that a schedule needs, and what each one depends on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from sweep.catalogue.own_formulas import OwnFormula
from sweep.description import Schedule
from sweep.errors import InputError
from sweep.hardware.durations import LOOKUPS
from sweep.inputs.chosen import DEFAULTS, SPECIAL
from sweep.inputs.looked_up import look_up
from sweep.inputs.quantity import Quantity, constant
from sweep.inputs.rules import SHAPES, Rules, depends_on, rules_of, uses
from sweep.inputs.tile_counts import (
    check_lengths,
    check_may_be_table,
    lengths_of,
)
from sweep.quantities.arrays import Array
from sweep.quantities.grid import to_grid
from sweep.quantities.numbers import held
from sweep.quantities.tile_table import Lines, TileTable
from sweep.quantities.variables import VARIABLES


class Derivation:
    """The values of one schedule, worked out on demand, each once.

    Parameters
    ----------
    schedule : Schedule
    given : mapping of str to Quantity
        What the user gave.
    ndim : int
        Number of dimensions of the grid.
    shared : dict
        Values that do not depend on the schedule, kept for the next one.
    varying : frozenset of str
        The parameters that do.
    """

    def __init__(
        self,
        schedule: Schedule,
        given: Mapping[str, Quantity],
        ndim: int,
        shared: dict[str, Quantity],
        varying: frozenset[str],
    ) -> None:
        self.schedule = schedule
        self.given = given
        self.used: dict[str, Quantity] = {}
        self.ndim = ndim
        self.rules: Rules = rules_of(schedule)
        self._unit = (1,) * ndim
        self._shared = shared
        self._varying = varying

    def get(self, name: str) -> Quantity:
        """Return a value: given, worked out, or the default, in this order."""
        found = self.used.get(name)
        if found is None:
            found = self.used[name] = self.given.get(name) or self._work_out(name)
        return found

    @property
    def known(self) -> bool:
        """Whether the tile (the head dimension) is: not where durations replace what it sets."""
        shape = SHAPES[self.schedule.family]
        if shape in self.given:
            return True
        sources = frozenset({shape})
        return not any(
            VARIABLES[name].kind == "duration" and depends_on(self.schedule, name, sources)
            for name in self.given
            if name in uses(self.schedule)
        )

    @cached_property
    def tables(self) -> dict[str, Quantity]:
        """What was given as tables over output tiles, checked against each other."""
        found = {
            name: one
            for name, one in self.given.items()
            if one.is_table and name in uses(self.schedule)
        }
        for name in found:
            check_may_be_table(self.schedule, name)
        return found

    @cached_property
    def tiles(self) -> int:
        """The most output tiles that a table is for."""
        check_lengths(self.tables, self.get("output_tiles").array)
        plain = any((lengths_of(one) < 0).any() for one in self.tables.values())
        most = int(self.get("output_tiles").array.max()) if plain else 0
        return max(most, *(int(lengths_of(one).max()) for one in self.tables.values()))

    def lines(self, name: str, quantity: Quantity) -> Lines:
        """Return the numbers of a table's lines, as they are held inside."""
        variable = VARIABLES[name]
        rows = (one for one in quantity.labels if isinstance(one, TileTable))
        found = Lines(rows, variable.dtype, self.tiles)
        found.numbers = held(variable, found.numbers)
        return found

    def numbers(self, name: str) -> Array:
        """Return the numbers of a value at every point; of a table those of all its lines."""
        found = self.get(name)
        return self.lines(name, found).numbers if found.is_table else found.array

    def evaluate(self, formula: OwnFormula, what: str) -> tuple[Quantity, bool]:
        """Return what a formula gives, and whether it has a last axis over output tiles.

        Raises
        ------
        InputError
            For what a user's function raises, in one line.
        """
        try:
            return self._apply(formula, formula.names)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{self.schedule.name}: the formula of {what} {error}") from None

    def _apply(self, work: Any, names: tuple[str, ...]) -> tuple[Quantity, bool]:
        inputs = [self.get(name) for name in names]
        dims = frozenset[str]().union(*(one.dims for one in inputs))
        by_tile = any(one.is_table for one in inputs)
        arrays = [one.array for one in inputs]
        if by_tile:
            arrays = [
                self.lines(name, one).numbers[one.array] if one.is_table else one.array[..., None]
                for name, one in zip(names, inputs, strict=True)
            ]
        with np.errstate(all="ignore"):  # what is not finite is refused with its name
            array = work(*arrays)
        return Quantity(dims, array if inputs else np.reshape(array, self._unit)), by_tile

    def _work_out(self, name: str) -> Quantity:
        special = SPECIAL.get(name)
        if special is not None:
            return special(self)
        shareable = not depends_on(self.schedule, name, self._varying)
        if shareable and name in self._shared:
            return self._shared[name]
        try:
            work, inputs = self.rules.formula(name, self.given)
        except KeyError:
            found = self._looked_up(name)
        else:
            found = self._by_formula(name, work, inputs)
        if shareable:
            self._shared[name] = found
        return found

    def _by_formula(self, name: str, work: Any, inputs: tuple[str, ...]) -> Quantity:
        if not self.rules.is_own(name):
            found, by_tile = self._apply(work, inputs)
        else:
            found, by_tile = self.evaluate(work, name)
            found = found._replace(array=to_grid(found.array))
        if by_tile:
            found = self._as_table(found)
        if self.rules.is_own(name):
            self._check_sign(name, found)
        return found

    def _check_sign(self, name: str, found: Quantity) -> None:
        """Refuse a formula that gives less than nothing."""
        tables = (one for one in found.labels if isinstance(one, TileTable))
        entries = [min(one.entries) for one in tables] if found.is_table else found.array
        least = np.min(entries)
        if least < 0:
            shown = VARIABLES[name].with_unit(f"{least:g}") if name in VARIABLES else f"{least:g}"
            raise InputError(f"{name}={shown}: its formula must give at least 0")

    def _as_table(self, found: Quantity) -> Quantity:
        """Turn numbers with a last axis over output tiles into codes of tables."""
        tiles = np.broadcast_to(self.get("output_tiles").array, found.array.shape[:-1])
        dims = found.dims | self.get("output_tiles").dims
        rows = np.where(np.arange(found.array.shape[-1]) < tiles[..., None], found.array, 0)
        keyed = np.concatenate([rows, tiles[..., None]], axis=-1).reshape(-1, rows.shape[-1] + 1)
        lines, codes = np.unique(keyed, axis=0, return_inverse=True)
        tables = tuple(TileTable(tuple(line[: int(line[-1])].tolist())) for line in lines)
        return Quantity(dims, np.asarray(codes, dtype=np.int64).reshape(tiles.shape), tables)

    def _looked_up(self, name: str) -> Quantity:
        if name not in LOOKUPS:
            return self.default(name)
        inputs = [self.get(need) for need in self.rules.inputs(name)]
        dims = frozenset[str]().union(*(one.dims for one in inputs))
        return Quantity(dims, look_up(name, inputs))

    def default(self, name: str) -> Quantity:
        """Return what a parameter is unless given: by the schedule, else by the registry."""
        schedule = self.schedule
        value: float | str | None = self.rules.defaults.get(name)
        if value is None and name in DEFAULTS:
            value = DEFAULTS[name](schedule)
        if value is None and name in VARIABLES:
            value = VARIABLES[name].default
        if value is None:
            raise InputError(f"{name}: not known for {schedule.name}; give {name}=...")
        return constant(name, value, self._unit)
