"""Ctrl-C that ends a process even while compiled code runs, which Python cannot interrupt."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType, TracebackType

from sweep.host.streams import tell

SECONDS_TO_ANSWER = 1.5
"""Compiled code that Python waits for longer than this is left behind."""
SECONDS_TO_FINISH = 8.0
"""What Python itself has to put in order after Ctrl-C: a chunk to write, threads to wait for."""


class Interrupts:
    """Watches for Ctrl-C from its entry to the end of the process.

    Ctrl-C raises ``KeyboardInterrupt``, as ever. Where Python does not get to that, or not to its
    end, the process ends with an exit code.

    Parameters
    ----------
    exit_code : int
    """

    def __init__(self, exit_code: int) -> None:
        self._exit_code = exit_code
        self._answered = threading.Event()
        self._ended = False

    def __enter__(self) -> None:
        """Begin to watch, unless Ctrl-C is ignored or somebody else's (``nohup``, a notebook)."""
        if os.name == "nt" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return
        signal.signal(signal.SIGINT, self._answer)
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Go on watching: at the end of a process Python waits for its threads."""
        self._ended = True

    def _answer(self, number: int, frame: FrameType | None) -> None:
        again = self._answered.is_set() or self._ended
        self._answered.set()
        if not again:  # once is enough: what is being put in order goes on
            raise KeyboardInterrupt

    def _watch(self, reader: int) -> None:
        while os.read(reader, 1) != bytes([signal.SIGINT]):
            pass
        if self._answered.wait(SECONDS_TO_ANSWER):
            threading.Event().wait(SECONDS_TO_FINISH)
        tell("interrupted")
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(self._exit_code)
