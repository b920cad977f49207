"""The gallery as files: each figure computed, drawn and written, and the page of them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from figures.drawing.entry import Entry
from figures.drawing.saving import save
from figures.gallery import discover
from sweep.errors import InputError, unknown_name
from sweep.host.files import cannot, write_text

PAGE = "gallery.md"
FOLDER = "gallery"
_HEAD = """\
# Gallery

Every figure is a pure function of a dataset (`figures/gallery/`, a file each). The command under a
picture draws it again; `warpsweep figures --out DIR` draws them all, `--format` as pdf, svg or png.
This page is made by `python -m figures.gallery_pages docs`.
"""


def chosen(names: Iterable[str]) -> dict[str, Entry]:
    """Return the figures of these names, all without any.

    Raises
    ------
    InputError
        With the nearest name where there is none.

    Examples
    --------
    >>> list(chosen(["roofline"]))
    ['roofline']
    """
    known = discover()
    wanted = list(dict.fromkeys(names)) or list(known)
    for name in wanted:
        if name not in known:
            raise unknown_name("figure", name, known)
    return {name: known[name] for name in wanted}


def write_figures(names: Iterable[str], folder: Path, kind: str = "pdf") -> Iterator[Path]:
    """Compute, draw and write figures one by one; say which file is there.

    Parameters
    ----------
    names : iterable of str
        All without any.
    folder : pathlib.Path
        Made where there is none.
    kind : {"pdf", "svg", "png"}

    Yields
    ------
    pathlib.Path

    Raises
    ------
    InputError
        For an unknown name, before anything is drawn, and where a file cannot be written.
    """
    entries = chosen(names)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"cannot write into {folder}: it is not a folder") from None
    except OSError as error:
        raise cannot("write into", folder, error) from None
    for name, entry in entries.items():
        path = folder / f"{name}.{kind}"
        save(entry.draw(entry.data()), path)
        yield path


def gallery_page(entries: Mapping[str, Entry], kind: str = "png") -> str:
    """Return a Markdown page with every figure: what it shows, the picture, the command."""
    parts = [_HEAD]
    for name, entry in entries.items():
        title = name.replace("_", " ")
        parts.append(
            f"## {title[:1].upper()}{title[1:]}\n\n{entry.shows}\n\n"
            f"![{title}]({FOLDER}/{name}.{kind})\n\n"
            f"```sh\nwarpsweep figures {name} --out .\n```\n"
        )
    return "\n".join(parts)


def main(docs: Path) -> None:
    """Draw the whole gallery into ``docs/gallery`` and write the page beside it."""
    for path in write_figures((), docs / FOLDER, "png"):
        print(path)
    write_text(docs / PAGE, gallery_page(discover()))


if __name__ == "__main__":
    import sys

    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
