"""Tables as plain text: aligned, whole, and with nothing at the end of a line."""

from __future__ import annotations

from sweep.host.tables import Column, Prose, Table, pairs, whole

COLUMNS = (
    Column("name", key=True),
    Column("rate", "1/cycle", right=True),
    Column("note", wraps=True),
)


def test_columns_stand_in_line() -> None:
    table = Table(COLUMNS, {"": [("a", "16", "as measured"), ("long_name", "4,096", "")]})
    assert str(table).splitlines() == [
        "name          rate  note",
        "           1/cycle",
        "a               16  as measured",
        "long_name    4,096",
    ]


def test_groups_have_their_titles_and_one_alignment() -> None:
    table = Table(COLUMNS, {"one": [("a", "1", "")], "two": [("bb", "22", "x")]}, indent=2)
    assert str(table).splitlines() == [
        "  name     rate  note",
        "        1/cycle",
        "",
        "one",
        "  a           1",
        "",
        "two",
        "  bb         22  x",
    ]


def test_an_empty_column_takes_no_room() -> None:
    columns = (Column(key=True), Column(), Column())
    assert str(Table(columns, {"": [("a", "", "b"), ("cc", "", "d")]})) == "a   b\ncc  d"


def test_nothing_is_no_error() -> None:
    assert str(Table(COLUMNS, {})) == "name     rate  note\n      1/cycle"
    assert str(pairs([])) == ""


def test_blocks_stand_below_each_other() -> None:
    assert whole([Prose("Title", title=True), "", pairs([("a", "1")], 2), "end"]) == (
        "Title\n\n  a  1\nend"
    )
