"""How much memory there is, and sizes as people write them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

UNKNOWN = 8 * 2**30
"""Assumed where the system does not say."""


def available_bytes() -> int:
    """Return the memory that a new result can take.

    What is free without swapping where the system says so (Linux, Windows), within the limit of
    the control group; all of the memory elsewhere.
    """
    return min(_system_bytes(), _group_bytes())


def _group_bytes() -> int:
    limit = Path("/sys/fs/cgroup/memory.max")
    used = Path("/sys/fs/cgroup/memory.current")
    try:
        return max(0, int(limit.read_text()) - int(used.read_text()))
    except (OSError, ValueError):  # no control group, or "max"
        return sys.maxsize


def _system_bytes() -> int:
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        return _windows_bytes()
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN


def _windows_bytes() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("total", "free", "total_page", "free_page", "virtual", "v_free", "ext")
        ]

    status = Status(length=ctypes.sizeof(Status))
    kernel32 = getattr(ctypes, "windll").kernel32  # noqa: B009 - absent on other systems
    return int(status.free) if kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else UNKNOWN


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
