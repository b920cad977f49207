"""Written files are there whole or not at all, whoever else writes them."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sweep.errors import InputError
from sweep.host import files
from sweep.host.files import write_bytes, write_text
from sweep.results.as_json import to_json

POSIX = pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")


def test_many_writers_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    pages = [bytes([65 + i]) * 100_000 for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            list(pool.map(lambda page: write_bytes(path, page), pages))
            assert path.read_bytes() in pages
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_a_link_of_the_unfinished_name_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.write_text("precious")
    for name in (".a.pdf.tmp", ".a.pdf.0.tmp"):
        (tmp_path / name).symlink_to(mine)
    write_text(tmp_path / "a.pdf", "page")
    monkeypatch.setattr(files, "unique_name", lambda name: ".a.pdf.0.tmp")
    with pytest.raises(InputError, match=r"cannot write .*a\.pdf: file exists"):
        write_text(tmp_path / "a.pdf", "another")
    assert mine.read_text() == "precious"
    assert (tmp_path / "a.pdf").read_text() == "page"


@POSIX
def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    mine, link = tmp_path / "mine", tmp_path / "a.pdf"
    mine.write_text("precious")
    link.symlink_to(mine)
    write_text(link, "page")
    assert (mine.read_text(), link.read_text()) == ("precious", "page")
    assert not link.is_symlink()


@POSIX
def test_modes_are_those_of_any_new_file(tmp_path: Path) -> None:
    was = os.umask(0o027)
    try:
        write_text(tmp_path / "a", "")
    finally:
        os.umask(was)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "it is a folder"),
        ("none/a.pdf", "no such file or directory"),
        ("x" * 300, "file name too long"),
        ("x/" * 3000 + "a", "file name too long"),
        ("file/a.pdf", "not a directory"),
        ("nu\0ll", "null"),
        ("\ud800", "surrogates"),
        pytest.param("loop", "symbolic links", marks=POSIX),
        pytest.param("pipe", "no file but a device or a pipe", marks=POSIX),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"^cannot write ") as caught:
        write_text(tmp_path / name, "page")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, opened = tmp_path / "a.pdf", os.open
    write_text(path, "old")
    monkeypatch.setattr(os, "open", lambda name, *_: opened("/dev/full", os.O_WRONLY))
    with pytest.raises(InputError, match=r"cannot write .*a\.pdf: no space left on device"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_as_long_as_a_name_may_be(tmp_path: Path) -> None:
    for name in ("x" * 255, "ü" * 127, "\U0001f980" * 63):
        write_text(tmp_path / name, "page")
        assert (tmp_path / name).read_text() == "page"


def test_text_that_is_no_unicode(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no text in Unicode"):
        write_text(tmp_path / "a", "\ud800")
    name = os.fsdecode(b"\xff.toml")
    assert json.loads(to_json({"file": name})) == {"file": name}
    to_json({"file": name}).encode()
