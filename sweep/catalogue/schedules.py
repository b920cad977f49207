"""The schedules that there are, as a mapping that prints as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sweep.catalogue.discovery import discover
from sweep.description import Schedule
from sweep.errors import unknown_name
from sweep.host.tables import pairs


class Catalogue(Mapping[str, Schedule]):
    """A read-only mapping from names to schedules."""

    def __init__(self, schedules: Mapping[str, Schedule]) -> None:
        self._schedules = dict(schedules)

    def __getitem__(self, name: str) -> Schedule:
        try:
            return self._schedules[name]
        except KeyError:
            raise KeyError(str(unknown_name("schedule", name, self._schedules))) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._schedules)

    def __len__(self) -> int:
        return len(self._schedules)

    def __repr__(self) -> str:
        return str(pairs((name, one.summary) for name, one in self.items()))


SCHEDULES: Mapping[str, Schedule] = Catalogue(discover())
