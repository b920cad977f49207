"""Whether a store is as the sweep wrote it: what is lost is written again, or refused."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from sweep.engine.blocks import Block
from sweep.errors import InputError
from sweep.host.files import shown, write_bytes
from sweep.inputs.space import Space
from sweep.quantities.variables import OUTPUTS
from sweep.storage.fingerprint import FINGERPRINT, check_fingerprint
from sweep.storage.store_layout import chunk_key, describe, open_outputs, region

ROOT = "zarr.json"
HALF_WRITTEN = re.compile(r".*\.([0-9a-f]{32}\.partial|[0-9a-f]{12}\.tmp)")
"""Names of files that zarr, or ``sweep.host.files``, had not put in their place yet."""
MARKER = OUTPUTS[-1]
"""The output whose chunk is written last: where it is there, the others were, too."""


def require_same(space: Space, path: Path) -> None:
    """Check that a store holds this very space.

    Raises
    ------
    InputError
        Naming the first thing that differs.
    """
    root = _read(path / ROOT)
    try:
        there = json.loads(root["attributes"][FINGERPRINT])
        there.get("warpsweep")
    except Exception:
        raise InputError(
            f"{shown(path)}: is no sweep that can be gone on with; give another --out"
        ) from None
    try:
        check_fingerprint(space, there)
    except InputError as error:
        raise InputError(f"{shown(path)}: {error}") from None


def mend(space: Space, path: Path, largest: Block) -> None:
    """Compare a store's metadata and coordinates with what this sweep writes, file by file.

    Coordinates and files that are gone or unreadable are written again; half-written files of a
    killed run are removed.

    Raises
    ------
    InputError
        For metadata that say something else.
    """
    for rest in (*path.rglob("*.partial"), *path.rglob(".*.tmp")):
        if HALF_WRITTEN.fullmatch(rest.name):
            rest.unlink(missing_ok=True)
    for name, content in _description(space, largest).items():
        _mend_file(path, name, content)


def _description(space: Space, largest: Block) -> dict[Path, bytes]:
    """Return the files of a store of which nothing is finished."""
    with tempfile.TemporaryDirectory(prefix="warpsweep-") as folder:
        describe(space, Path(folder), largest)
        files = sorted(one for one in Path(folder).rglob("*") if one.is_file())
        return {file.relative_to(folder): file.read_bytes() for file in files}


def _mend_file(path: Path, name: Path, expected: bytes) -> None:
    if name.name == ROOT:
        there = _read(path / name)
        if there is not None:
            wanted = json.loads(expected)
            same = _covers(there, wanted) if name == Path(ROOT) else there == wanted
            if not same:
                raise InputError(
                    f"{shown(path)}: {name} is not what this sweep writes; restore it, or give"
                    " another --out"
                )
            return
    elif (path / name).is_file() and (path / name).read_bytes() == expected:
        return
    (path / name).parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path / name, expected)


def _covers(there: Any, wanted: Any) -> bool:
    """Whether all that is wanted is there; the root may hold more, such as the points counted."""
    if isinstance(wanted, dict):
        return isinstance(there, dict) and all(
            key in there and _covers(there[key], one) for key, one in wanted.items()
        )
    return bool(there == wanted)


def _read(file: Path) -> Any:
    """Return a JSON file's content, None where it is gone or damaged."""
    try:
        return json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    except (NotADirectoryError, IsADirectoryError):
        return None


def unfinished(space: Space, path: Path, chunks: list[Block]) -> tuple[list[Block], int]:
    """Return the chunks to compute, and how many points among them were there, but damaged.

    Every chunk of every output is read, its checksum included. A damaged one is removed.
    """
    arrays = open_outputs(space, path, "r")
    todo, damaged = [], 0
    for chunk in chunks:
        files = {name: path / chunk_key(space, chunk, chunks[0], name) for name in space.outputs}
        was_finished = files[MARKER].exists()
        sound = [_sound(arrays[name], region(space, chunk), file) for name, file in files.items()]
        if not all(sound):
            todo.append(chunk)
            damaged += chunk.points if was_finished else 0
    return todo, damaged


def _sound(array: Any, where: tuple[slice, ...], file: Path) -> bool:
    if not file.is_file():
        return False
    try:
        array[where]
    except Exception:  # whatever zarr's codecs say of it
        file.unlink()  # a chunk at an axis' end is read before it is written
        return False
    return True
