"""Bank conflicts by formula; the simulation of the banks (``sweep.tensorcore``) agrees with it.

Both formulas count, by the same argument, how many different residues a stride runs through: the
multiples of s modulo b take b / gcd(s, b) values, so b accesses meet gcd(s, b) at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from analysis.checked import read
from sweep.errors import InputError
from sweep.quantities.arrays import Array

BANKS = 32
CHUNK_BYTES, CHUNKS = 16, 8
"""ldmatrix reads rows of 16 bytes; 8 of them fill the 128 bytes of a wavefront."""


def ldmatrix_ways(pitch_bytes: ArrayLike) -> Array:
    """Return how many ways ldmatrix conflicts on plain rows: gcd(bytes from row to row / 16, 8).

    **Exact** for every pitch that ldmatrix takes (a multiple of 16 bytes), whatever the element
    size and however much of the pitch is padding.

    Raises
    ------
    InputError
        For a pitch that is no positive multiple of 16 bytes.

    Examples
    --------
    >>> ldmatrix_ways([32, 64, 96, 128, 80, 144]).tolist()
    [2, 4, 2, 8, 1, 1]
    """
    (pitch,) = read(pitch_bytes=pitch_bytes)
    return _ways("pitch_bytes", pitch)


def _ways(name: str, pitch: Array) -> Array:
    wrong = (pitch % CHUNK_BYTES != 0) | (pitch <= 0)
    if wrong.any():
        raise InputError(
            f"{name}={pitch[wrong].ravel()[0]} byte: must be a positive multiple of"
            f" {CHUNK_BYTES} byte"
        )
    return np.asarray(np.gcd(pitch // CHUNK_BYTES, CHUNKS))


def least_padding(row_bytes: ArrayLike) -> Array:
    """Return the least bytes after each row that leave ldmatrix no conflict: 16 or none.

    An odd number of 16-byte chunks has no factor in common with 8.

    Examples
    --------
    >>> least_padding([64, 80, 128]).tolist()
    [16, 0, 16]
    """
    (row,) = read(row_bytes=row_bytes)
    return np.asarray(np.where(_ways("row_bytes", row) > 1, CHUNK_BYTES, 0))


def strided_ways(stride_words: ArrayLike) -> Array:
    """Return how many ways 32 lanes conflict that read 4-byte words a stride apart: gcd(s, 32).

    **Exact** for whole strides of at least one word; at 0 all lanes share one word.

    Examples
    --------
    >>> strided_ways([1, 2, 32, 33]).tolist()
    [1, 2, 32, 1]
    """
    (stride,) = read(stride_words=stride_words)
    return np.asarray(np.where(stride == 0, 1, np.gcd(stride, BANKS)))
