"""One file per figure; a file here that defines ``ENTRY`` is found without any list."""

from __future__ import annotations

import importlib
import pkgutil

from figures.drawing.entry import Entry


def discover() -> dict[str, Entry]:
    """Return every figure of the gallery by name."""
    modules = (
        importlib.import_module(f"{__name__}.{info.name}")
        for info in pkgutil.iter_modules(__path__)
        if not info.name.startswith("_")
    )
    return {module.ENTRY.name: module.ENTRY for module in modules}
