"""Every claim about a schedule."""

from __future__ import annotations

from analysis.verification.accounts import account_claims
from analysis.verification.claim import Claim
from analysis.verification.depths import depth_claims
from analysis.verification.limits import limit_claims
from analysis.verification.makespans import makespan_claims
from analysis.verification.orders import order_claims
from analysis.verification.periods import period_claims
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
    >>> from sweep.catalogue import SCHEDULES
    >>> [claim.name for claim in claims_of(SCHEDULES["sync"])][:3]
    ['accounts agree', 'makespan (general)', 'period (circuits)']
    """
    return tuple(claim for source in SOURCES for claim in source(schedule))
