"""What a sweep on disk looks like: a zarr v3 group, one array per output, one chunk per block."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sweep.engine.blocks import Block
from sweep.errors import InputError
from sweep.host.files import shown, unique_name
from sweep.inputs.space import Space
from sweep.quantities.attributes import attributes, label
from sweep.quantities.variables import VARIABLES
from sweep.results.datasets import provenance
from sweep.storage.fingerprint import FINGERPRINT, fingerprint
from sweep.storage.lock import locked

UNFINISHED_FLAG = -1
UNFINISHED = "unfinished_points"
"""The attribute that says how a point that has not been computed yet reads."""
LONGEST_NAME = 255
"""Bytes of a folder's name, on the usual file systems."""
STORABLE = frozenset("biufcMmUT")
"""Kinds of NumPy types that zarr arrays hold; objects have to be text."""


def require_zarr() -> Any:
    """Import zarr.

    Raises
    ------
    InputError
        Where it is not installed, saying how to.
    """
    try:
        import zarr
    except ImportError:
        raise InputError(
            "writing a sweep to disk needs zarr: pip install 'warpsweep[store]'"
        ) from None
    return zarr


def create(space: Space, path: Path, largest: Block) -> None:
    """Make a store with all labels and coordinates, and nothing finished, in one step.

    Parameters
    ----------
    space : Space
    path : pathlib.Path
    largest : Block
        The first block: those at the end of an axis can be smaller.

    Raises
    ------
    InputError
        Where something has got in the way meanwhile.
    """
    folder = path.with_name(unique_name(path.name))
    folder.mkdir()
    try:
        with locked(folder, path):
            describe(space, folder, largest)
            folder.rename(path)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and path.exists():
            raise InputError(f"{shown(path)}: something else has just made it") from None
        raise


def describe(space: Space, folder: Path, largest: Block) -> None:
    """Write all labels and coordinates of a store into a folder."""
    with warnings.catch_warnings():
        # zarr warns that version 3 does not specify consolidated metadata; xarray warns without
        warnings.filterwarnings("ignore", "Consolidated metadata", UserWarning)
        _write_coordinates(space, folder)
        _add_outputs(space, folder, largest)
        require_zarr().consolidate_metadata(folder)


def check_coordinates(space: Space) -> None:
    """Check that coordinates which xarray objects brought can stand in a store.

    Raises
    ------
    InputError
        For a name that no folder can have, and for objects other than text.
    """
    for name, (_, values) in space.coords.items():
        shown_name = repr(name) if len(name) <= 60 else f"{name[:57]!r}..."
        wrong = _name_fault(name, name in space.dims)
        if wrong:
            raise InputError(
                f"coordinate {shown_name}: {wrong}, and so cannot stand in a store; rename it"
            )
        array = np.asarray(values)
        kinds = [str(array.dtype)]
        if array.dtype.kind == "O":
            kinds = sorted({type(one).__name__ for one in array.flat} - {"str"})
        if kinds and array.dtype.kind not in STORABLE:
            raise InputError(
                f"coordinate {shown_name}: holds values of type {kinds[0]}; a store holds numbers,"
                " text and dates: convert or drop it"
            )


def _name_fault(name: str, dimension: bool) -> str:
    """Say why a name is none for an array on disk; "" where it is."""
    if not name or name in (".", "..", "zarr.json") or name.startswith("__"):
        return "has a name that zarr keeps for itself"
    if "/" in name or not name.isprintable():
        return "has a slash or an unprintable character in its name"
    if " " in name and not dimension:  # xarray lists coordinates in an attribute, with spaces
        return "has a space in its name"
    if len(name.encode()) > LONGEST_NAME:
        return f"has a name of {len(name.encode()):,} bytes, at most {LONGEST_NAME} can be"
    return ""


def _write_coordinates(space: Space, folder: Path) -> None:
    import xarray as xr

    attrs = provenance(space) | {
        UNFINISHED: f"NaN, flags {UNFINISHED_FLAG}",
        FINGERPRINT: json.dumps(fingerprint(space)),
    }
    found = label(xr.Dataset(coords=dict(space.coords), attrs=attrs))
    found.to_zarr(folder, mode="w", zarr_format=3, consolidated=False)


def _add_outputs(space: Space, folder: Path, largest: Block) -> None:
    zarr = require_zarr()
    group = zarr.open_group(folder, mode="r+")
    packing = zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle")
    for name in space.outputs:
        dtype = np.dtype(VARIABLES[name].dtype)
        group.create_array(
            name,
            shape=tuple(space.dims.values()),
            chunks=_chunk_shape(space, largest),
            dtype=dtype,
            compressors=[packing, zarr.codecs.Crc32cCodec()],
            fill_value=np.nan if dtype.kind == "f" else UNFINISHED_FLAG,
            dimension_names=tuple(space.dims),
            attributes={key: _plain(value) for key, value in attributes(name).items()},
        )


def open_outputs(space: Space, path: Path, mode: str) -> dict[str, Any]:
    """Open the arrays of a store's outputs, by name.

    A chunk of nothing but NaN is a file like any other: what is not there is not finished.
    """
    zarr = require_zarr()
    with zarr.config.set({"array.write_empty_chunks": True}):  # arrays keep what they open with
        group = zarr.open_group(path, mode=mode)
        return {name: group[name] for name in space.outputs}


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _chunk_shape(space: Space, block: Block) -> tuple[int, ...]:
    return tuple(part.stop - part.start for part in region(space, block))


def region(space: Space, block: Block) -> tuple[slice, ...]:
    """Return where a block is in the arrays of the store."""
    if "schedule" not in space.dims:
        return block.slices
    return (slice(block.index, block.index + 1), *block.slices)


def chunk_key(space: Space, block: Block, largest: Block, name: str) -> str:
    """Return the file inside the store that is a block's chunk of an output."""
    sizes = _chunk_shape(space, largest)
    indices = (part.start // size for part, size in zip(region(space, block), sizes, strict=True))
    return "/".join([name, "c", *map(str, indices)])
