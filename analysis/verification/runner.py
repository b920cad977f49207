"""Test every claim on random points: accounts, exact forms, bounds, steady states, rules of thumb.

Points are drawn in chunks of a fixed size, each with its own random numbers, and claims about the
same domain share points and their simulation. So memory does not grow with the number of points,
and the findings are the same for any number of threads and any selection of schedules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import numpy as np

from analysis.verification.claim import Claim, Outcome, Points
from analysis.verification.claim_registry import claims_of
from analysis.verification.draws import Where, draw, size
from analysis.verification.finding import Finding
from analysis.verification.typed import typed
from sweep.catalogue.schedules import SCHEDULES
from sweep.description import Schedule
from sweep.errors import InputError
from sweep.host.processors import usable_processors
from sweep.host.work import Done, Progress, Stop, share_out
from sweep.inputs.reading import read_scalar
from sweep.inputs.space import MOST_SCHEDULES, read_schedules
from sweep.results.datasets import check_progress, check_threads

CHUNK_POINTS: Final = 1 << 15
"""Points drawn together: some megabytes, and long enough for NumPy to let other threads run."""
DEFAULT_POINTS: Final = 100_000
MOST_POINTS: Final = 10**8
MOST_TEXT: Final = 200
"""Characters of an error that are shown."""
ENDS_A_TEST: Final = (Exception, SystemExit, GeneratorExit)
"""What a user's own schedule may raise while a claim about it is tested."""


def verify(
    schedules: str | Schedule | Sequence[str | Schedule] | None = None,
    points: int = DEFAULT_POINTS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Test every claim about some schedules on random points.

    Parameters
    ----------
    schedules : str, Schedule or a sequence of them, optional
        Names, or files of a user's own; all built-in ones unless given.
    points : int
        Points per claim.
    seed : int
        Another one gives other points.
    threads : int, optional
        The processors this process may use by default. It does not change what is found.
    progress : callable, optional
        Called with the points done and the points in all.

    Returns
    -------
    list of Finding
        In the order of the schedules and of their claims.

    Raises
    ------
    InputError
        For a schedule that does not exist, or numbers out of limits.

    Examples
    --------
    >>> found = verify("sync", points=500)
    >>> found[0].claim, found[0].points, found[0].violations
    ('accounts agree', 128, 0)
    """
    chosen: Any = list(SCHEDULES) if schedules is None else schedules
    chosen = list(islice(chosen, MOST_SCHEDULES + 1)) if isinstance(chosen, Iterator) else chosen
    found, many = read_schedules(chosen)
    claims: list[Claim] = []
    for given, schedule in zip(chosen if many else [chosen], found, strict=True):
        typed_as = str(given) if isinstance(given, str) else schedule.name
        claims += (replace(claim, typed_as=typed_as) for claim in claims_of(schedule))
    return verify_claims(claims, points, seed, threads, progress)


def verify_claims(
    claims: Sequence[Claim],
    points: int = DEFAULT_POINTS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Test some claims; parameters and errors as in `verify`."""
    points = read_scalar("points", points, whole=True, lower=1, upper=MOST_POINTS)
    seed = read_scalar("seed", seed, whole=True)
    threads = check_threads(threads)
    check_progress(progress)
    by_domain: dict[tuple[Schedule, Where], list[int]] = {}
    for index, claim in enumerate(claims):
        by_domain.setdefault((claim.schedule, claim.where), []).append(index)
    groups = [tuple(group) for group in by_domain.values()]
    starts = range(0, points, CHUNK_POINTS)
    todo = [(group, start) for start in starts for group in groups]

    def size_of(piece: tuple[tuple[int, ...], int]) -> int:
        return min(CHUNK_POINTS, points - piece[1])

    def run(piece: tuple[tuple[int, ...], int], stop: Stop) -> dict[tuple[int, int], Tally]:
        group, start = piece
        members = [claims[i] for i in group]
        found = _test(members, size_of(piece), (seed, start // CHUNK_POINTS), stop)
        return {(i, start): one for i, one in zip(group, found, strict=True)}

    done = Done(points * len(groups), progress=progress)
    parts = share_out(todo, run, size_of, done, threads or usable_processors())
    tallies = {key: one for part in parts for key, one in part.items()}
    return [
        _finding(claim, [tallies[i, start] for start in starts]) for i, claim in enumerate(claims)
    ]


@dataclass(frozen=True)
class Tally:
    """What was found at one chunk's points."""

    points: int
    violations: int
    worst: float
    total: float
    counterexample: str | None
    error: str = ""


def _test(claims: Sequence[Claim], count: int, seed: tuple[int, int], stop: Stop) -> list[Tally]:
    """Test claims about one domain on one chunk, unless stopped between two of them.

    Whatever one of them meets is a finding, and the others still run.
    """
    schedule = claims[0].schedule
    try:
        drawn = draw(schedule, claims[0].where, CHUNK_POINTS, seed)
    except ENDS_A_TEST as error:
        return [_not_tested(error) for _ in claims]
    points = Points(schedule, {name: column[:count] for name, column in drawn.items()})
    if size(points.p) == 0:
        return [Tally(0, 0, 0.0, 0.0, None) for _ in claims]
    found = []
    for claim in claims:
        stop.check()
        try:
            found.append(_tally(claim, claim.check(points), points))
        except ENDS_A_TEST as error:
            found.append(_not_tested(error))
    return found


def _not_tested(error: BaseException) -> Tally:
    return Tally(0, 0, 0.0, 0.0, None, one_line(error))


def one_line(error: BaseException) -> str:
    """Return what an error says, shortened, with its kind unless it is a user's mistake.

    Examples
    --------
    >>> one_line(KeyError("t_issue"))
    "KeyError: 't_issue'"
    """
    try:
        text = " ".join(str(error).split())
    except Exception:  # a user's exception may have no text
        text = ""
    kind = "" if isinstance(error, InputError) else type(error).__name__
    whole = ": ".join(filter(None, (kind, text)))
    return whole if len(whole) <= MOST_TEXT else f"{whole[: MOST_TEXT - 3]}..."


def _tally(claim: Claim, outcome: Outcome, points: Points) -> Tally:
    gap = np.broadcast_to(outcome.gap, size(points.p))
    wrong = np.flatnonzero(gap > 0)
    counterexample = None
    if wrong.size:
        counterexample = _counterexample(claim, points, outcome, int(wrong[0]))
    missed = gap[wrong]
    tested = int(np.count_nonzero(~np.isnan(gap)))
    worst, total = float(missed.max(initial=0.0)), float(missed.sum())
    return Tally(tested, wrong.size, worst, total, counterexample)


def _counterexample(claim: Claim, points: Points, outcome: Outcome, index: int) -> str:
    runs = (points.changed(changes) for changes in outcome.runs)
    found = ({name: one[index].item() for name, one in p.items()} for p in runs)
    return " && ".join(typed(claim.typed_as or claim.schedule.name, p) for p in found)


def _finding(claim: Claim, tallies: Iterable[Tally]) -> Finding:
    parts = list(tallies)
    violations = sum(part.violations for part in parts)
    examples = (part.counterexample for part in parts)
    return Finding(
        claim.schedule.name,
        claim.name,
        claim.kind,
        sum(part.points for part in parts),
        violations,
        max(part.worst for part in parts),
        sum(part.total for part in parts) / violations if violations else 0.0,
        claim.units,
        next((one for one in examples if one is not None), None),
        claim.remark() if claim.remark is not None else "",
        next((part.error for part in parts if part.error), ""),
    )
