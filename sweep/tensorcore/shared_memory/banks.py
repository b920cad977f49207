"""Shared memory's 32 banks, simulated: how many wavefronts a warp's access takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sweep.errors import InputError
from sweep.inputs.call_arguments import numbers, one_of
from sweep.quantities.arrays import Array
from sweep.tensorcore.compiled_loops import BANKS, WARP, count_wavefronts
from sweep.tensorcore.record import plain

WAVEFRONT_BYTES = 128
ACCESS_BYTES = (1, 2, 4, 8, 16)


def wavefronts(byte_addresses: ArrayLike, bytes_per_lane: int) -> Any:
    """Count the wavefronts of shared-memory accesses of a warp.

    32 banks of 4 bytes each give one word per wavefront; lanes that want the same word share it.
    Accesses of 8 and 16 bytes are served 128 bytes at a time, by half and quarter warps.

    Parameters
    ----------
    byte_addresses : array_like of int, shape (..., lanes)
        Where each of up to 32 lanes reads, in bytes, aligned to ``bytes_per_lane``.
    bytes_per_lane : {1, 2, 4, 8, 16}

    Returns
    -------
    int, or numpy.ndarray of int64 over the leading axes

    Raises
    ------
    InputError
        If there are more lanes than a warp has, or an address is not aligned.

    Examples
    --------
    >>> import numpy as np
    >>> lanes = np.arange(32)
    >>> wavefronts(4 * lanes, 4), wavefronts(8 * lanes, 4), wavefronts(0 * lanes, 4)
    (1, 2, 1)
    >>> wavefronts(16 * lanes, 16)
    4
    """
    size = one_of("bytes_per_lane", bytes_per_lane, ACCESS_BYTES, "byte")
    found = numbers("byte_addresses", byte_addresses)
    if not found.ndim or not 0 < found.shape[-1] <= WARP:
        raise InputError(
            f"byte_addresses: has shape {found.shape}, its last axis must be the lanes, 1 to {WARP}"
        )
    if (found % size).any():
        first = found[found % size != 0].ravel()[0]
        raise InputError(
            f"byte_addresses={first} byte: accesses of {size} byte must be aligned to {size} byte"
        )
    return plain(count(found, size))


def count(addresses: Array, bytes_per_lane: int) -> NDArray[np.int64]:
    """Count wavefronts of addresses that are known to be aligned."""
    words = max(1, bytes_per_lane // 4)
    shape = addresses.shape[:-1]
    rows = np.ascontiguousarray(addresses.reshape(-1, addresses.shape[-1]), dtype=np.int64)
    if bytes_per_lane < 4:
        rows = rows // 4 * 4
    elif not rows.flags.writeable:
        rows = rows.copy()
    found = np.empty(rows.shape[0], dtype=np.int64)
    scratch = np.empty(BANKS, dtype=np.int64)
    count_wavefronts()(rows, WARP // words, words, scratch, found)
    return found.reshape(shape)
