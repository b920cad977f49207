"""Which built-in schedules a kernel generated for one loop can run, and which say more."""

from __future__ import annotations

from typing import Final

from sweep.catalogue.schedules import SCHEDULES
from sweep.catalogue.validation import beyond_generated

ONE_LOOP: Final = [
    name for name, one in SCHEDULES.items() if not beyond_generated(one, one.events("consumer"))
]
BEYOND: Final = [name for name in SCHEDULES if name not in ONE_LOOP]
