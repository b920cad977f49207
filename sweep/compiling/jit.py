"""Numba, whose start can fail over what is set in the environment (``NUMBA_NUM_THREADS=0``)."""

from __future__ import annotations

from sweep.errors import InputError
from sweep.host.streams import describe

try:
    import numba
    from numba.core import caching, serialize
except ImportError:
    raise
except Exception as error:
    raise InputError(
        f"numba cannot start ({describe(error)}): see the environment variables NUMBA_..."
    ) from error

__all__ = ["caching", "numba", "serialize"]
