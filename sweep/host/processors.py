"""The processors that this process may use."""

from __future__ import annotations

import os


def usable_processors() -> int:
    """Return how many processors this process may use.

    Those it is bound to, where the system binds processes to processors; all elsewhere.
    """
    if hasattr(os, "sched_getaffinity"):  # Linux; spares importing psutil
        return len(os.sched_getaffinity(0))
    import psutil

    process = psutil.Process()
    if hasattr(process, "cpu_affinity"):  # Windows, FreeBSD
        return len(process.cpu_affinity())
    return psutil.cpu_count() or 1
