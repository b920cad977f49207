"""Every claim about a schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analysis.verification.accounts import account_claims
from analysis.verification.claim import Claim, Outcome, Points
from analysis.verification.depths import depth_claims
from analysis.verification.limits import limit_claims
from analysis.verification.makespans import makespan_claims
from analysis.verification.orders import order_claims
from analysis.verification.periods import EVERYWHERE, period_claims
from sweep.description import Schedule

SOURCES = (
    account_claims,
    makespan_claims,
    period_claims,
    depth_claims,
    limit_claims,
    order_claims,
)


def claims_of(schedule: Schedule) -> tuple[Claim, ...]:
    """Return every claim about a schedule, a built-in one or a user's.

    Examples
    --------
    >>> from sweep.catalogue.schedules import SCHEDULES
    >>> [claim.name for claim in claims_of(SCHEDULES["sync"])][:3]
    ['accounts agree', 'makespan (general)', 'period (circuits)']
    """
    return tuple(claim for source in SOURCES for claim in _from(source, schedule))


def _from(source: Callable[[Schedule], Iterator[Claim]], schedule: Schedule) -> Iterator[Claim]:
    """Yield a source's claims; where it fails on a user's schedule, one that says so."""
    try:
        yield from source(schedule)
    except Exception as error:
        name = source.__name__.replace("_", " ")
        yield Claim(schedule, name, "exact", "can be stated", EVERYWHERE, _raising(error))


def _raising(error: Exception) -> Callable[[Points], Outcome]:
    def check(points: Points) -> Outcome:
        raise error

    return check
