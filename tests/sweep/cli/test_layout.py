"""Tables in terminals of any width: nothing is wider, nothing is lost, numbers stay whole."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.cli.layout import parts
from sweep.cli.terminal import FEWEST_COLUMNS, fitted
from sweep.host.tables import GAP, Column, Prose, Table
from tests.support.terminal import without_codes

WORDS = st.text("abcdefgh_", min_size=1, max_size=12)
CELLS = st.lists(WORDS, max_size=8).map(" ".join)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    count = draw(st.integers(1, 7))
    columns = [
        Column(
            draw(CELLS), draw(st.sampled_from(["", "byte"])), *draw(st.tuples(*[st.booleans()] * 3))
        )
        for _ in range(count)
    ]
    row = st.tuples(*[CELLS] * count)
    groups = draw(st.dictionaries(st.sampled_from(["", "one", "two"]), st.lists(row, max_size=4)))
    return Table(columns, groups, draw(st.integers(0, 4)))


@settings(deadline=None)
@given(tables(), st.integers(1, 200))
def test_any_table_in_any_terminal(table: Table, width: int) -> None:
    room = max(width, FEWEST_COLUMNS)
    text = without_codes(fitted([table], width))
    assert all(len(line) <= room for line in text.splitlines())
    written = Counter(text.replace("\n", "").replace(" ", ""))
    assert not Counter(str(table).replace("\n", "").replace(" ", "")) - written


@settings(deadline=None)
@given(tables(), st.integers(FEWEST_COLUMNS, 200))
def test_every_column_is_somewhere(table: Table, width: int) -> None:
    shown = parts(table, width)
    there = [i for i, columns in enumerate(table.widths()) if columns]
    places = [i for part in shown for i in (*part.columns, *part.below)]
    assert set(there) <= set(places)
    for part in shown:
        gaps = GAP * (len(part.columns) - 1)
        assert table.indent + sum(part.widths) + gaps <= width
        assert part.columns[:1] == shown[0].columns[:1]


NUMBERS = Table(
    (
        Column("name", key=True),
        *(Column(f"a rather long title {i}", right=True) for i in range(6)),
        Column("remark", wraps=True),
    ),
    {"": [("first", *["1,234,567"] * 6, "as it was measured, twice"), ("second", *["1"] * 6, "")]},
)


@pytest.mark.parametrize("width", range(30, 260, 7))
def test_numbers_stay_whole(width: int) -> None:
    text = without_codes(fitted([NUMBERS], width))
    assert len(re.findall(r"(?<!\S)1,234,567(?!\S)", text)) == 6
    assert text.count("first") >= 1
    assert "measured," in text.split()


def test_what_fits_is_as_in_a_file() -> None:
    assert without_codes(fitted([NUMBERS], 300)) == str(NUMBERS)


def test_the_order_of_giving_way() -> None:
    """Sentences wrap, titles wrap, sentences go below, and at last the table is cut."""
    natural = sum(NUMBERS.widths()) + GAP * 7
    assert parts(NUMBERS, natural)[0].widths == tuple(NUMBERS.widths())
    wrapped = parts(NUMBERS, natural - 8)[0]
    assert (wrapped.widths[:7], wrapped.widths[7]) == (tuple(NUMBERS.widths()[:7]), 17)
    titles = parts(NUMBERS, 110)[0]
    assert (len(titles.columns), titles.widths[7]) == (8, 16)
    assert titles.widths[1] < NUMBERS.widths()[1]
    (below,) = parts(NUMBERS, 80)
    assert below.below == (7,)
    cut = parts(NUMBERS, 50)
    assert [part.columns for part in cut] == [(0, 1, 2, 3, 4), (0, 5, 6)]
    assert [part.below for part in cut] == [(7,), ()]


def test_words_break_between_words_and_lines_stay() -> None:
    line = "warpsweep simulate sync " + "t_mma=1 " * 20
    text = fitted([Prose("some words " * 10), line], 40)
    first = text[: text.index("warpsweep")]
    assert all(len(one) <= 40 for one in first.splitlines())
    assert first.split() == ["some", "words"] * 10
    assert line.rstrip() in text


def test_brackets_and_control_characters_are_no_markup() -> None:
    table = Table((Column(key=True), Column()), {"": [("[bold]a[/bold]", ":smile: [1, 2]")]})
    assert without_codes(fitted([table], 80)) == str(table)
