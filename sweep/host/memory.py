"""How much memory there is, and sizes as people write them."""

from __future__ import annotations

import sys
from pathlib import Path

GROUP = Path("/sys/fs/cgroup")
"""The control group of this process, where the system has such groups."""


def available_bytes() -> int:
    """Return the memory that a new result can take without swapping.

    What the system says is free, within the limit of the control group (a container's), which
    psutil does not know.
    """
    import psutil  # takes longer to import than to ask: most points never need to

    return min(int(psutil.virtual_memory().available), _group_bytes())


def _group_bytes() -> int:
    try:
        limit, used = (int((GROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        return max(0, limit - used)
    except (OSError, ValueError):  # no control group, or "max"
        return sys.maxsize


def human_bytes(size: float) -> str:
    """Write a size with a binary unit.

    Examples
    --------
    >>> human_bytes(232_448)
    '227.0 KiB'
    """
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} PiB"
