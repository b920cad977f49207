"""CTAs on an SM: how many at once, which output tiles each runs, and when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sweep.description.declared import Resource
from sweep.description.schedule import Schedule
from sweep.errors import InputError

Scheduler = Literal["single", "static_persistent"]
Arbitration = Literal["ordered", "fifo", "alternate"]


@dataclass(frozen=True)
class Residency:
    """Which output tiles run where.

    Copy s of all agents runs tiles s, s + copies, s + 2*copies, ...

    Attributes
    ----------
    tiles : int
        Output tiles of the SM.
    copies : int
        CTAs on it at once.
    scheduler : {"single", "static_persistent"}
        Whether each tile is a CTA of its own, or a copy keeps its CTA for all its tiles.
    arbitration : {"ordered", "fifo", "alternate"}
        Whom resources serve first.
    """

    tiles: int
    copies: int
    scheduler: Scheduler
    arbitration: Arbitration

    @property
    def single(self) -> bool:
        """Whether each tile is a CTA of its own."""
        return self.scheduler == "single"

    def tiles_of(self, copy: int) -> range:
        """Return the tiles of a copy, in order."""
        return range(copy, self.tiles, self.copies)


def residency(schedule: Schedule, p: Mapping[str, Any]) -> Residency:
    """Read how a point's tiles are dealt to CTAs, each parameter with its default.

    Parameters
    ----------
    schedule : Schedule
    p : mapping
        ``output_tiles`` (1), ``ctas_per_sm`` (1), ``tile_scheduler`` ("static_persistent" for a
        schedule over output tiles, else "single") and ``arbitration`` ("ordered" with one CTA on
        the SM, else "fifo").

    Raises
    ------
    InputError
        For a service order that several CTAs don't have, a word that is none of the choices, or a
        table of another length than ``output_tiles``.
    """
    tiles, copies = int(p.get("output_tiles", 1)), int(p.get("ctas_per_sm", 1))
    usual = "static_persistent" if schedule.tile_level else "single"
    scheduler = _choice(p, "tile_scheduler", usual, Scheduler)
    arbitration = _choice(p, "arbitration", "ordered" if copies == 1 else "fifo", Arbitration)
    if arbitration == "ordered" and copies > 1:
        raise InputError(
            f"arbitration='ordered': nothing orders {copies} CTAs on an SM; choose 'fifo' or"
            " 'alternate'"
        )
    for name, value in p.items():
        if isinstance(value, tuple) and len(value) != tiles:
            raise InputError(f"{name}: a table of {len(value)} values for output_tiles={tiles}")
    return Residency(tiles, copies, scheduler, arbitration)


def _choice(p: Mapping[str, Any], name: str, usual: str, choices: Any) -> Any:
    value = p.get(name, usual)
    if value not in get_args(choices):
        allowed = " or ".join(map(repr, get_args(choices)))
        raise InputError(f"{name}={value!r}: must be {allowed}")
    return value


def first_come(schedule: Schedule, arbitration: Arbitration) -> frozenset[str]:
    """Return the resources that serve whoever asks first, under an arbitration."""
    if arbitration == "fifo":
        return frozenset(schedule.resources)
    own = (one for one in schedule.declares if isinstance(one, Resource))
    return frozenset(one.name for one in own if one.service == "fifo")


def agent_order(schedule: Schedule, release: str = "consumer") -> tuple[str, ...]:
    """Return the agents by their first row in the list, the order that breaks ties."""
    roles = {role.name: role for role in schedule.roles}
    names: dict[str, None] = {}
    for row in schedule.events(release):
        if row.agent in roles:
            names |= dict.fromkeys(roles[row.agent].each)
        elif row.agent:
            names |= dict.fromkeys(schedule.agent_of(row, turn) for turn in range(schedule.turns))
    return tuple(names | dict.fromkeys(schedule.agent_names))


def agent_of_copy(agent: str, copy: int, copies: int) -> str:
    """Name an agent of a copy as traces do: ``producer``, or ``producer@1`` where there are more.

    Examples
    --------
    >>> agent_of_copy("producer", 1, 2), agent_of_copy("producer", 0, 1)
    ('producer@1', 'producer')
    """
    return agent if copies == 1 else f"{agent}@{copy}"
