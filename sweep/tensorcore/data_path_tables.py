"""The data path as four tables, for people and for scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sweep.hardware.gpu import GPU
from sweep.hardware.lookup import find_gpu
from sweep.host.tables import Block, Column, Prose, Table, whole
from sweep.inputs.labels import check_choice
from sweep.tensorcore.tabulated import (
    FEEDING_GPUS,
    LATENCIES,
    PRODUCT,
    Rows,
    conflict_rows,
    feeding_rows,
    fragment_rows,
    need_rows,
    stage_rows,
    traffic_rows,
)

Cell = Callable[[Mapping[str, Any]], str]


def tensorcore_table(name: str, gpu: str | GPU = "lecture") -> str:
    """Return one of the tables as aligned text.

    Parameters
    ----------
    name : {"banks", "feeding", "stages", "traffic"}
        Fragments and bank conflicts; reuse and registers; ring depth; DRAM traffic of 4096^3.
    gpu : str or GPU
        Whose figures stages and traffic show.

    Raises
    ------
    InputError
        With the nearest name where there is none, or for an unknown GPU.

    Examples
    --------
    >>> tensorcore_table("stages").splitlines()[3].split()[:6]
    ['128x128x32', '16,384', '0.140', '5', '9', '14']
    """
    return whole(tensorcore_blocks(name, gpu))


def tensorcore_blocks(name: str, gpu: str | GPU = "lecture") -> list[Block]:
    """Return one of the tables as what ``sweep.cli.printing.show`` takes."""
    card, parts = _parts(name, gpu)
    return _TEXTS[name](card, parts)


def tensorcore_json(name: str, gpu: str | GPU = "lecture") -> dict[str, Any]:
    """Return one of the tables as plain objects; units are those of ``sweep.tensorcore``.

    Examples
    --------
    >>> tensorcore_json("stages")["stages"][0]["stage_bytes"]
    16384
    """
    card, parts = _parts(name, gpu)
    return {"table": name, "gpu": card.name, **parts}


def _parts(name: str, gpu: str | GPU) -> tuple[GPU, dict[str, Rows]]:
    check_choice("table", name, TABLES)
    card = find_gpu(gpu)
    return card, {part: rows(card) for part, rows in TABLES[name].items()}


def _banks(gpu: GPU, parts: Mapping[str, Rows]) -> list[Block]:
    held = [
        (Column("instruction", key=True), _plain("instruction")),
        (Column("type", key=True), _plain("element_type")),
        (Column("multiply-adds", right=True), _formatted("multiply_adds", ",")),
        *((Column(one.upper(), right=True), _plain(one)) for one in ("a", "b", "c")),
    ]
    layouts = parts["conflicts"][0]["ways"]
    ways = [
        (Column("BK", right=True, key=True), _plain("row_elements")),
        (Column("row bytes", right=True), _plain("row_bytes")),
        *((Column(one, right=True), _formatted("ways", "g", one)) for one in layouts),
    ]
    return [
        Prose("Elements that each lane holds of an operand", title=True),
        "",
        _table(parts["fragments"], held),
        "",
        Prose(
            "Bank conflict ways of ldmatrix.x4, 16-bit rows of BK elements, by layout", title=True
        ),
        "",
        _table(parts["conflicts"], ways),
    ]


def _feeding(gpu: GPU, parts: Mapping[str, Rows]) -> list[Block]:
    needs = [
        (Column("GPU", key=True), _plain("gpu")),
        (
            Column("multiply-adds per cycle", right=True),
            _formatted("multiply_adds_per_cycle", ",.0f"),
        ),
        (Column("needed per shared-memory byte", right=True), _formatted("needed", "g")),
    ]
    tiles = [
        (Column("tile", key=True), _plain("tile")),
        (Column("A, B", key=True), _plain("operands")),
        (Column("instruction", key=True), _plain("instruction")),
        (Column("per byte", right=True), _formatted("reuse", "g")),
        (Column("accumulators", right=True), _formatted("accumulators_per_thread", "g")),
        (Column("wgmma cycles", right=True), _formatted("issue_interval", "g")),
        *((Column(one, right=True), _formatted("verdicts", "", one)) for one in FEEDING_GPUS),
    ]
    return [
        Prose(
            "Multiply-adds per shared-memory byte that the Tensor Core needs, 16-bit elements",
            title=True,
        ),
        "",
        _table(parts["needed"], needs),
        "",
        Prose(
            "What tiles have, and accumulators per thread (ss: A and B from shared memory, rs: A in"
            " registers)",
            title=True,
        ),
        "",
        _table(parts["tiles"], tiles),
    ]


def _stages(gpu: GPU, parts: Mapping[str, Rows]) -> list[Block]:
    def needed(index: int) -> Cell:
        return lambda row: str(row["needed"][index]["stages"])

    columns = [
        (Column("tile", key=True), _plain("tile")),
        (Column("stage byte", right=True), _formatted("stage_bytes", ",")),
        (Column("stage time us", right=True), _scaled("stage_seconds", 1e-6, ".3f")),
        *(
            (Column(f"needed {latency * 1e6:g} us", right=True), needed(index))
            for index, latency in enumerate(LATENCIES)
        ),
        (Column("fit", right=True), _plain("stages_fit")),
        (Column("GB/s per SM", right=True), _scaled("bytes_per_second", 1e9, ".0f")),
        (Column("TB/s of all SMs", right=True), _scaled("gpu_bytes_per_second", 1e12, ".1f")),
    ]
    title = f"Stages that cover a latency, and that fit, 16-bit elements on {gpu.name}"
    return [Prose(title, title=True), "", _table(parts["stages"], columns)]


def _traffic(gpu: GPU, parts: Mapping[str, Rows]) -> list[Block]:
    def order(row: Mapping[str, Any]) -> str:
        return row["order"] if row["group"] == 1 else f"{row['order']} {row['group']}"

    columns = [
        (Column("tile", key=True), _plain("tile")),
        (Column("order", key=True), order),
        (Column("cluster", key=True), _plain("cluster")),
        (Column("waves", right=True), _plain("waves")),
        (Column("efficiency", right=True), _formatted("wave_efficiency", ".3f")),
        (Column("MB", right=True), _scaled("bytes", 1e6, ",.0f")),
        (Column("us", right=True), _scaled("seconds", 1e-6, ".0f")),
        (Column("L2 read MB", right=True), _scaled("l2_read_bytes", 1e6, ",.0f")),
        (Column("stream-K", right=True), _plain("stream_k_tiles")),
    ]
    last = parts["traffic"][-1]
    floor = f"{last['floor_bytes'] / 1e6:,.0f} MB, {last['floor_seconds'] * 1e6:.0f} us"
    held, there = last["l2_needed_bytes"] / 2**20, (gpu.l2_bytes or 0) / 2**20
    return [
        Prose(f"DRAM traffic of {PRODUCT}^3, 16-bit elements, on {gpu.name}", title=True),
        Prose(
            f"compute {last['compute_seconds'] * 1e6:.0f} us; floor {floor}, with an L2 of"
            f" {held:,.0f} MiB (has {there:,.1f} MiB)"
        ),
        "",
        _table(parts["traffic"], columns),
    ]


def _table(rows: Rows, columns: Sequence[tuple[Column, Cell]]) -> Table:
    cells = [[text(row) for _, text in columns] for row in rows]
    return Table([column for column, _ in columns], {"": cells})


def _plain(name: str) -> Cell:
    return _formatted(name, "")


def _formatted(name: str, spec: str, inner: str | None = None) -> Cell:
    """Return what writes a number of a row, or of a mapping in it; "-" where there is none."""

    def text(row: Mapping[str, Any]) -> str:
        value = row[name] if inner is None else row[name][inner]
        return "-" if value is None else format(value, spec)

    return text


def _scaled(name: str, unit: float, spec: str) -> Cell:
    return lambda row: format(row[name] / unit, spec)


TABLES: Mapping[str, Mapping[str, Callable[[GPU], Rows]]] = MappingProxyType(
    {
        "banks": {
            "fragments": lambda gpu: fragment_rows(),
            "conflicts": lambda gpu: conflict_rows(),
        },
        "feeding": {"needed": lambda gpu: need_rows(), "tiles": lambda gpu: feeding_rows()},
        "stages": {"stages": stage_rows},
        "traffic": {"traffic": traffic_rows},
    }
)
"""What the tables are made of, by name: the rows of each part."""
_TEXTS: Mapping[str, Callable[[GPU, Mapping[str, Rows]], list[Block]]] = MappingProxyType(
    {"banks": _banks, "feeding": _feeding, "stages": _stages, "traffic": _traffic}
)
