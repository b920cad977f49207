"""The steady period of a single-tile schedule as a formula: the largest of named terms.

The terms are the circuits of the schedule's own description, so a user's schedule has a formula
like the built-in ones. Tile-level schedules have theirs in `analysis.closed_forms.TILE_PERIODS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.checked import check_one_loop, choice, find_schedule
from analysis.periods.symbols import latex, symbol, sympy_module
from analysis.periods.terms import Term, term_of
from sweep.description import Schedule
from sweep.description.circuits import circuits_of
from sweep.description.counts import Linear, linear
from sweep.errors import InputError
from sweep.inputs.call_arguments import broadcast
from sweep.inputs.reading import read_mapping, read_numbers
from sweep.quantities.variables import VARIABLES

__all__ = ["PeriodFormula", "period_formula"]


@dataclass(frozen=True)
class PeriodFormula:
    """Steady cycles per k-tile (per block of every warpgroup) as the largest of some terms.

    Exact: the maximum cycle ratio of the timed event graph (Baccelli et al., *Synchronization and
    Linearity*, 1992, section 3.2). A schedule whose service order is free (``arbitration="fifo"``)
    has none, nor has a point whose slots are all held by MMAs in flight; both are NaN.

    Attributes
    ----------
    schedule : str
    release : str
        "consumer" or "hardware".
    terms : tuple of Term
        Named; where several are equal the first names the period.
    """

    schedule: str
    release: str
    terms: tuple[Term, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Durations and counts that the terms use, each once."""
        names = [name for term in self.terms for name, _ in (*term.takes, *term.steps)]
        return tuple(name for name in dict.fromkeys(names) if name)

    def without(self, *names: str) -> PeriodFormula:
        """Return the formula for parameters at zero, less the terms that can't bind any more.

        Parameters
        ----------
        *names : str
            For instance "t_sync", "t_mma_latency", "mma_in_flight".
        """
        terms: list[Term] = []
        for term in self.terms:
            takes = tuple(pair for pair in term.takes if pair[0] not in names)
            steps: Linear = tuple(pair for pair in term.steps if pair[0] not in names)
            terms.append(replace(term, takes=takes, steps=steps))
        kept = [one for n, one in enumerate(terms) if not _covered(one, terms[:n], terms[n + 1 :])]
        return replace(self, terms=tuple(kept))

    def evaluate(self, p: Mapping[str, Any]) -> npt.NDArray[Any]:
        """Return the period of every point in cycles.

        Parameters
        ----------
        p : mapping
            Parameters by name, numbers or arrays that broadcast together; extensions
            (``t_sync``, ``t_mma_latency``, ``mma_in_flight``) may be left out. Durations are
            rounded to 1/1024 cycle, as the engine does; arrays of `fractions.Fraction` are not,
            and give exact ratios.

        Raises
        ------
        InputError
            A parameter is missing or out of its limits, or shapes do not broadcast.
        """
        period: npt.NDArray[Any] = self._ratios(p).max(axis=0)
        return period

    def binding(self, p: Mapping[str, Any]) -> npt.NDArray[np.intp]:
        """Return the index in ``terms`` of the first one that sets the period; -1 where NaN.

        A term is named for all that it contains; the output ``bottleneck`` looks at the numbers
        as well, and calls ``t_issue + t_mma`` the Tensor Core where ``t_issue`` is 0.
        """
        ratios = self._ratios(p)
        undefined = ratios[0] != ratios[0]
        return np.where(undefined, -1, np.argmax(np.where(undefined, 0, ratios), axis=0))

    @property
    def text(self) -> str:
        """The formula as text."""
        parts = ", ".join(str(term) for term in self.terms)
        return f"max({parts})" if len(self.terms) > 1 else parts

    def sympy(self) -> Any:
        """Return the formula as a SymPy expression."""
        values = {name: symbol(name) for name in self.parameters}
        ratios = [term.time(values) / term.advance(values) for term in self.terms]
        return sympy_module().Max(*ratios)

    @property
    def latex(self) -> str:
        """The formula as LaTeX, from SymPy."""
        return latex(self.sympy())

    def __str__(self) -> str:
        lines = [f"period of {self.schedule} = {self.text}"]
        return "\n".join([*lines, *(f"  {term}: {term.name}" for term in self.terms)])

    def _ratios(self, p: Mapping[str, Any]) -> npt.NDArray[Any]:
        """Return every term at every point, all of them NaN where there is no period."""
        p = read_mapping("p", p)
        values = _read({name: _value(p, name) for name in self.parameters})
        if np.any(np.asarray(p.get("release", self.release)) != self.release):
            raise InputError(f"release: this period is for release = {self.release} only")
        undefined = np.asarray(p.get("arbitration", "ordered")) != "ordered"
        ratios = []
        for term in self.terms:
            steps = np.asarray(term.advance(values))
            undefined = undefined | (steps < 1)
            ratios.append(term.time(values) / np.where(steps < 1, 1, steps))
        together = np.stack(np.broadcast_arrays(*ratios, undefined)[:-1])
        return np.where(undefined, np.nan, together)


def period_formula(schedule: Schedule | str, release: str = "consumer") -> PeriodFormula:
    """Return the steady period of a single-tile schedule as the largest of named terms.

    Parameters
    ----------
    schedule : Schedule or str
        A description, the name of a built-in one, or the file of a user's own.
    release : {"consumer", "hardware"}
        Who frees a slot, where the schedule distinguishes.

    Raises
    ------
    InputError
        The name is unknown, or the schedule runs over output tiles: then the period depends on
        the epilogue and on how tiles and slots interlock, which no circuit of k-tiles shows. It
        has several loops, rings, or rows that are left out at times.

    Examples
    --------
    >>> print(period_formula("multistage").without("t_sync"))
    period of multistage = max(t_transfer, (t_issue + t_transfer + t_latency + t_mma) / stages, \
t_issue + t_mma)
      t_transfer: copy bandwidth
      (t_issue + t_transfer + t_latency + t_mma) / stages: ring too shallow for the latency
      t_issue + t_mma: issue on the critical path
    """
    one = find_schedule(schedule)
    check_one_loop(one, "the period is a formula of circuits")
    if one.tile_level:
        raise InputError(
            f"{one.name} runs over output tiles, so its period is per tile: see the output 'period'"
            " of its simulation, and analysis.closed_forms.TILE_PERIODS for built-in schedules"
        )
    release = choice("release", release)
    events = one.events(release)
    terms = tuple(term_of(circuit, one, events) for circuit in circuits_of(one, release))
    return PeriodFormula(one.name, release, tuple(sorted(terms, key=_precedence)))


def _precedence(term: Term) -> int:
    return VARIABLES["bottleneck"].flag_meanings.index(term.bottleneck)


def _value(p: Mapping[str, Any], name: str) -> Any:
    if name not in p and VARIABLES[name].default != 0:
        raise InputError(f"missing {name}: the period needs it")
    return p.get(name, 0)


def _read(given: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Return numbers as the engine reads them, but for fractions, which stay exact."""
    exact = {name: np.asarray(one) for name, one in given.items() if _is_fraction(one)}
    others = {name: one for name, one in given.items() if name not in exact}
    values = exact | read_numbers(others, VARIABLES, empty=True)
    broadcast(values)
    return values


def _is_fraction(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.size > 0 and all(isinstance(one, Fraction) for one in value.flat)
    return isinstance(value, Fraction)


def _covered(term: Term, before: list[Term], after: list[Term]) -> bool:
    """Whether another term with the same steps is never smaller (of equal ones the first stays)."""
    mine = Counter(dict(term.takes))
    steps = term.steps or linear(0)
    for other in (*before, *after):
        theirs = Counter(dict(other.takes))
        if other.steps == steps and not mine - theirs and (mine != theirs or other in before):
            return True
    return False
