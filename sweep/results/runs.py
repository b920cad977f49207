"""From what a user asks for to a labelled dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sweep.engine.outputs import result_bytes
from sweep.engine.run import run_space
from sweep.errors import InputError
from sweep.host.memory import available_bytes, human_bytes
from sweep.host.progress import ProgressBar
from sweep.host.work import Progress
from sweep.inputs.space import Space, resolve
from sweep.results.datasets import check_progress, check_threads, dataset

if TYPE_CHECKING:
    import xarray as xr


PEAK_OVER_RESULT = 1.5
"""Peak memory of a run over the size of its result, with room to spare."""


def run(
    schedule: Any,
    *,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **parameters: Any,
) -> xr.Dataset:
    """Run a schedule, or several, over a whole space of parameters.

    Parameters
    ----------
    schedule : str, Schedule, or a sequence of them
        A sequence becomes the dimension ``schedule``.
    threads : int, optional
        Threads to use; all processors by default. The result does not depend on it.
    progress : callable or bool, optional
        Called with the points done and the points in all; True draws a bar where stderr is a
        terminal.
    **parameters
        Cycle parameters, counts, choices, physical parameters and GPU fields by their names
        (``warpsweep variables`` lists them). A scalar fixes one, a sequence is a new dimension,
        an ``xarray.DataArray`` brings its own, and a ``pandas.Series`` its index.

    Returns
    -------
    xarray.Dataset
        One variable per output (cycles, utilisations, period, bottleneck, feasible, ...), one
        dimension per sequence, and every parameter as a coordinate with the values that were
        passed (attribute ``rounding`` says how they are held inside). ``attrs`` hold provenance
        and the number of infeasible points by reason. A point that cannot exist on its GPU (an
        element type, a cluster, a tile) has NaN and its reason where what makes it varies.

    Raises
    ------
    InputError
        For whatever a user can get wrong, in one line, and for what cannot exist where none of
        the parameters that make it varies.

    Examples
    --------
    >>> import sweep
    >>> ds = sweep.run("multistage", stages=[2, 3, 4], k_tiles=64)
    >>> ds.tc_utilization.round(3).values.tolist()
    [0.768, 0.88, 0.881]
    """
    threads = check_threads(threads)
    if not isinstance(progress, bool):
        check_progress(progress, "True, False or a function")
    space = resolve(schedule, parameters)
    check_memory(space)
    if not isinstance(progress, bool):
        return dataset(space, run_space(space, threads, progress))
    with ProgressBar() as bar:
        return dataset(space, run_space(space, threads, bar if progress else None))


def check_memory(space: Space) -> None:
    """Refuse a space whose result does not fit in memory.

    Raises
    ------
    InputError
        With the estimate, what is free, and the ways out.
    """
    needed = int(result_bytes(space.points) * PEAK_OVER_RESULT)
    free = available_bytes()
    if needed > free:
        raise InputError(
            f"{space.points:,} points need {human_bytes(needed)} of memory, {human_bytes(free)} are"
            " free: give fewer values, sample the space (a DataArray of random points), or let"
            " 'warpsweep sweep --out' write it in chunks"
        )
