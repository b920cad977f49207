"""The one place to look a GPU up: a GPU itself, the name of a preset, or a TOML file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeGuard

from sweep.errors import InputTypeError, quoted
from sweep.hardware.card_file import read_card
from sweep.hardware.gpu import GPU, GPUS
from sweep.hardware.gpu_checks import check_gpu

SUFFIX = ".toml"


def find_gpu(gpu: object) -> GPU:
    """Return the GPU that a user means.

    Parameters
    ----------
    gpu : GPU, str or path
        A GPU, the name of a preset (``sweep.GPUS``), or a TOML file with a card of one's own: a
        path, or text that ends in ``.toml`` (``sweep.hardware.card_file``).

    Raises
    ------
    InputError
        With the nearest name where there is none, for a GPU whose numbers none can have, and for a
        file that is no card.
    InputTypeError
        For anything else.

    Examples
    --------
    >>> find_gpu("h100_sxm").sm_count
    132
    """
    if isinstance(gpu, GPU):
        check_gpu(gpu)
        return gpu
    if is_card_file(gpu):
        return read_card(Path(gpu), GPUS)
    if isinstance(gpu, str):
        return GPUS.find(gpu)
    raise InputTypeError(
        f"gpu={quoted(gpu)}: must be one name or a GPU, or a {SUFFIX} file,"
        f" not {type(gpu).__name__}"
    )


def is_card_file(gpu: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a GPU is given as a file."""
    return isinstance(gpu, os.PathLike) or (isinstance(gpu, str) and gpu.lower().endswith(SUFFIX))
