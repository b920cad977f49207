"""One file per schedule; a file here that defines ``SCHEDULE`` is found without any list."""

from __future__ import annotations

import importlib
import pkgutil

from sweep.description import Schedule


def discover() -> dict[str, Schedule]:
    """Return every schedule of this folder by name, GEMM before attention."""
    modules = (
        importlib.import_module(f"{__name__}.{info.name}")
        for info in pkgutil.iter_modules(__path__)
        if not info.name.startswith("_")
    )
    found = (module.SCHEDULE for module in modules)
    return {
        one.name: one for one in sorted(found, key=lambda one: (one.family != "gemm", one.name))
    }
