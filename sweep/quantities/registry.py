"""The registry: rows that are built in, and those that schedules declare beside them.

There is one for the whole process. A name has one kind and one unit, whoever declares it, and one
meaning if it is built in. What a schedule means by a name of its own, and takes by default, is its
own affair: a schedule that comes to the catalogue later never breaks a file of a user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import overload

from sweep.errors import InputError, quoted
from sweep.quantities.variable import Variable

BUILT_IN = "the registry"
"""The owner of the rows that are always there."""
_WHAT = {
    "duration": "a duration",
    "count": "a count",
    "choice": "a choice",
    "physical": "a physical parameter",
    "gpu_field": "a field of a GPU",
    "output": "an output",
    "flag": "an output",
    "trace": "a column of traces",
    "axis": "a dimension",
}


class Registry(Mapping[str, Variable]):
    """Rows by name, the built-in ones first; those of schedules follow as they are accepted.

    Parameters
    ----------
    rows : iterable of Variable
        The built-in ones.
    """

    def __init__(self, rows: Iterable[Variable]) -> None:
        self._built_in = {row.name: row for row in rows}
        self._own: dict[str, dict[str, Variable]] = {}
        self._rows = dict(self._built_in)
        self._lock = Lock()

    def __getitem__(self, name: str) -> Variable:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    @property
    def snapshot(self) -> Mapping[str, Variable]:
        """The rows there are now, a mapping that never changes."""
        return self._rows

    def is_built_in(self, name: str) -> bool:
        """Whether a name is there whatever schedules declare."""
        return name in self._built_in

    def meant_by(self, owners: Iterable[str]) -> Mapping[str, Variable]:
        """Return the rows as some schedules mean them: the built-in ones, and what they declare."""
        rows, own, owners = self._rows, self._own, tuple(owners)
        said = {
            name: _merged([by_owner[owner] for owner in owners if owner in by_owner])
            for name, by_owner in own.items()
            if any(owner in by_owner for owner in owners)
        }
        return {**rows, **said}

    def enter(self, owner: str, rows: Iterable[Variable]) -> None:
        """Enter what a schedule declares, all of it or nothing.

        What the owner said of the same names before is replaced.

        Parameters
        ----------
        owner : str
            The schedule's name.
        rows : iterable of Variable
            A row of a built-in name is compared, and not entered.

        Raises
        ------
        InputError
            For a built-in name that means something else, and for one of another kind or unit.
        """
        rows = tuple(rows)
        if all(self._has(owner, row) for row in rows):
            return
        with self._lock:
            for row in rows:
                for other, there in self._others(row.name, owner):
                    if _differ(row, there, other == BUILT_IN):
                        raise _conflict(owner, row, other, there)
            own = {name: dict(by_owner) for name, by_owner in self._own.items()}
            for row in rows:
                if row.name not in self._built_in:
                    own.setdefault(row.name, {})[owner] = row
            merged = {name: _merged(list(by_owner.values())) for name, by_owner in own.items()}
            self._own, self._rows = own, self._built_in | merged

    def _has(self, owner: str, row: Variable) -> bool:
        if row.name in self._built_in:
            return not _differ(row, self._built_in[row.name])
        return self._own.get(row.name, {}).get(owner) == row

    def _others(self, name: str, owner: str) -> Iterator[tuple[str, Variable]]:
        if name in self._built_in:
            yield BUILT_IN, self._built_in[name]
        for other, row in self._own.get(name, {}).items():
            if other != owner:
                yield other, row


def _differ(one: Variable, other: Variable, built_in: bool = True) -> bool:
    meanings = {one.long_name, other.long_name} - {""}
    unlike = (one.kind, one.units) != (other.kind, other.units)
    return unlike or (built_in and len(meanings) > 1)


def _conflict(owner: str, row: Variable, other: str, there: Variable) -> InputError:
    if other == BUILT_IN and row.kind != there.kind:
        return InputError(
            f"schedule {owner!r}: {row.name!r} is {_WHAT[there.kind]} already; give"
            f" {_WHAT[row.kind]} another name"
        )
    return InputError(
        f"schedule {owner!r}: {row.name!r} is {_said(row)}, and in {other} it is {_said(there)};"
        " give it another name"
    )


def _said(row: Variable) -> str:
    meaning = f" {quoted(row.long_name, 80)}" if row.long_name else ""
    return f"{_WHAT[row.kind]}{meaning} in {quoted(row.units)}"


def _merged(rows: Sequence[Variable]) -> Variable:
    """Return the row that stands for what several schedules declare by one name."""
    first = rows[0]
    meaning = "; ".join(dict.fromkeys(row.long_name for row in rows if row.long_name))
    defaults = {row.default for row in rows}
    return replace(
        first,
        long_name=meaning or first.name.replace("_", " "),
        default=first.default if len(defaults) == 1 else None,
        lower=min(row.lower for row in rows),
        upper=max(row.upper for row in rows),
    )


class Names(Sequence[str]):
    """The names of those rows that fit, as the registry has them now, in its order."""

    def __init__(self, registry: Registry, fits: Callable[[Variable], bool]) -> None:
        self._registry, self._fits = registry, fits
        self._seen: Mapping[str, Variable] = {}
        self._names: tuple[str, ...] = ()

    def _now(self) -> tuple[str, ...]:
        rows = self._registry.snapshot
        if rows is not self._seen:
            self._names = tuple(name for name, row in rows.items() if self._fits(row))
            self._seen = rows
        return self._names

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self._now()[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __contains__(self, name: object) -> bool:
        return name in self._now()

    def __repr__(self) -> str:
        return repr(self._now())
