"""Work that threads share: it can be stopped, and says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Called with the points done and the points in all."""


class StoppedError(Exception):
    """Ends a piece of work that is given up because the whole of it ends."""


class Stop:
    """Tells the pieces of work under way that the whole of it ends."""

    def __init__(self) -> None:
        self._event = Event()

    def set(self) -> None:
        """Let every piece end at its next check."""
        self._event.set()

    def check(self) -> None:
        """Go on, or end this piece of work.

        Raises
        ------
        StoppedError
        """
        if self._event.is_set():
            raise StoppedError


@dataclass
class Done:
    """The points that are done, of all, and who is told.

    Attributes
    ----------
    total, points : int
        Points in all, and those that are done.
    progress : callable, optional
        Called with both whenever there are more.
    """

    total: int
    points: int = 0
    progress: Progress | None = None

    def add(self, points: int) -> None:
        """Count points, and tell."""
        self.points += points
        if self.progress is not None:
            self.progress(self.points, self.total)


def share_out(
    todo: Sequence[Item],
    do: Callable[[Item, Stop], Result],
    size: Callable[[Item], int],
    done: Done,
    threads: int,
    *,
    alone_here: bool = False,
) -> list[Result]:
    """Do pieces of work, some side by side; whatever goes wrong stops them all.

    Parameters
    ----------
    todo : sequence
        The pieces.
    do : callable
        Does one; long ones call ``Stop.check`` where they can end early.
    size : callable
        The points of a piece, counted in ``done`` once it is.
    done : Done
    threads : int
        At most so many pieces side by side.
    alone_here : bool
        Whether a single thread is this one. Then nothing is begun for a small piece, and Ctrl-C
        ends a piece anywhere instead of at its next check.

    Returns
    -------
    list
        What ``do`` returned, in the order of the pieces.
    """
    stop, workers = Stop(), min(threads, len(todo))
    if workers == 0:
        return []
    if workers == 1 and alone_here:
        found = []
        for item in todo:
            found.append(do(item, stop))
            done.add(size(item))
        return found
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(do, item, stop): item for item in todo}
        try:
            for future in as_completed(futures):
                future.result()
                done.add(size(futures[future]))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]
