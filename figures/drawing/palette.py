"""The colours of resources, operations, schedules and bottlenecks: the same in every figure.

All are from sets made for colour-blind readers: Okabe and Ito, *Color Universal Design* (2008),
and, where its eight do not suffice, Tol, *Colour Schemes* (2021), "muted". What can be told by
colour can be told without: schedules have markers too, waits are hatched.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sweep.quantities.bottlenecks import BOTTLENECKS

BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, BLACK = "#CC79A7", "#56B4E9", "#F0E442", "#000000"
WINE, TEAL, OLIVE, INDIGO, GREY = "#882255", "#44AA99", "#999933", "#332288", "#888888"
ROSE, SAND, FOREST, MAGENTA = "#CC6677", "#DDCC77", "#117733", "#AA4499"

COLOURS = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK)
"""For lines that stand for values of a parameter."""

SEQUENTIAL = "cividis"
"""Colour map of a quantity from little to much."""
DIVERGING = "RdBu"
"""Colour map of a difference around zero: blue is gain, red is loss."""
INFEASIBLE = "0.82"
"""Face of points that do not fit; their reason is told by ``HATCHES``."""

RESOURCE_COLOURS: Mapping[str, str] = MappingProxyType(
    {"TC": BLUE, "MEM": ORANGE, "SFU": VERMILLION, "FMA": PURPLE}
)

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "TC": (BLUE, SKY, INDIGO, TEAL, GREY),
        "MEM": (ORANGE, YELLOW, SAND),
        "SFU": (VERMILLION, WINE),
        "FMA": (PURPLE, MAGENTA),
        "": (GREEN, PURPLE, OLIVE, ROSE, FOREST, MAGENTA, GREY, SAND, WINE, TEAL, INDIGO),
    }
)
"""What a schedule's own operations on a resource are drawn in; "" is an agent alone."""

OPERATION_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "issue": YELLOW,
        "transfer": ORANGE,
        "store": OLIVE,
        "mma": BLUE,
        "epilogue": GREEN,
        "gemm0": BLUE,
        "gemm1": SKY,
        "exp": VERMILLION,
        "softmax": PURPLE,
        "wait_copy": WINE,
        "wait_slot": INDIGO,
        "wait_turn": TEAL,
    }
)
"""What an operation is drawn in: its resource's colour, where it holds one."""

WAIT_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "copy": ORANGE,
        "slot": INDIGO,
        "turn": TEAL,
        "mma": BLUE,
        "gemm0": BLUE,
        **RESOURCE_COLOURS,
    }
)
"""What an agent's wait is hatched in: the colour of what it waits for."""

_HUES: Mapping[str, str] = MappingProxyType(
    {
        "blue": BLUE,
        "green": GREEN,
        "vermillion": VERMILLION,
        "purple": PURPLE,
        "orange": ORANGE,
        "teal": TEAL,
        "wine": WINE,
        "yellow": YELLOW,
        "grey": GREY,
    }
)

BOTTLENECK_COLOURS: Mapping[str, str] = MappingProxyType(
    {row.name: _HUES.get(row.colour, row.colour) for row in BOTTLENECKS.values()}
)
"""By the flag meanings of ``bottleneck``."""

HATCHES: Mapping[str, str] = MappingProxyType(
    {
        "deadlock": "xxxx",
        "shared_memory": "////",
        "registers": "\\\\\\\\",
        "unsupported_element_type": "....",
        "unknown_gpu_field": "oo",
        "loader": "--",
        "cluster": "||",
        "tile_shape": "++",
        "tensor_memory": "**",
        "threads": "OO",
        "ctas_per_sm": "\\\\|",
    }
)
"""By the flag meanings of ``infeasible_reason``."""

_SCHEDULES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "sync": (BLACK, "o"),
        "register_staged": (GREY, "s"),
        "multistage": (ORANGE, "^"),
        "warp_specialized": (BLUE, "D"),
        "persistent": (SKY, "v"),
        "cooperative": (GREEN, "P"),
        "pingpong": (VERMILLION, "X"),
        "attention_serial": (BLACK, "o"),
        "attention_overlap": (BLUE, "s"),
        "attention_pingpong": (VERMILLION, "^"),
        "attention_pingpong_overlap": (PURPLE, "D"),
        "blackwell_gemm": (INDIGO, "*"),
        "chained_gemm": (TEAL, "p"),
        "fp8_promoted": (WINE, "h"),
        "fp8_promoted_one": (ROSE, "<"),
        "mixed_input": (OLIVE, ">"),
        "attention_kv_serial": (GREY, "8"),
        "attention_kv_pingpong": (ORANGE, "H"),
        "attention_kv_pingpong_overlap": (WINE, "d"),
        "fa4_forward": (TEAL, "P"),
        "fa4_backward": (INDIGO, "X"),
    }
)
_OTHER_COLOURS = (INDIGO, WINE, TEAL, OLIVE)
_OTHER_MARKERS = ("*", "p", "h", "<", ">")


def schedule_colour(name: str) -> str:
    """Return a schedule's colour; a user's own has one that depends on its name alone.

    Examples
    --------
    >>> schedule_colour("multistage")
    '#E69F00'
    """
    other = _OTHER_COLOURS[zlib.crc32(name.encode()) % len(_OTHER_COLOURS)]
    return _SCHEDULES.get(name, (other, ""))[0]


def schedule_marker(name: str) -> str:
    """Return a schedule's marker, in Matplotlib's letters.

    Examples
    --------
    >>> schedule_marker("multistage")
    '^'
    """
    other = _OTHER_MARKERS[zlib.crc32(name.encode()) % len(_OTHER_MARKERS)]
    return _SCHEDULES.get(name, ("", other))[1]


def operation_colour(name: str, resource: str = "") -> str:
    """Return what an operation is drawn in; one that is not known has its resource's colour.

    Examples
    --------
    >>> operation_colour("mma") == operation_colour("my_product", "TC")
    True
    """
    return OPERATION_COLOURS.get(name, RESOURCE_COLOURS.get(resource, GREY))


def operation_colours(operations: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return what the operations of one figure are drawn in, apart from one another if possible.

    One that is not known has a colour of its resource's family, the first its resource's own.

    Parameters
    ----------
    operations : iterable of (str, str)
        Names, each with its resource; "" for work of an agent alone.

    Examples
    --------
    >>> found = operation_colours([("qk", "TC"), ("pv", "TC"), ("max", "")])
    >>> found["qk"] == BLUE, found["pv"] == SKY, found["max"] == GREEN
    (True, True, True)
    """
    names: dict[str, str] = {}
    for name, resource in operations:
        names.setdefault(name, resource)
    found = {name: OPERATION_COLOURS[name] for name in names if name in OPERATION_COLOURS}
    for name, resource in names.items():
        if name not in found:
            family = FAMILIES.get(resource, FAMILIES[""])
            free = (one for one in (*family, *FAMILIES[""]) if one not in found.values())
            found[name] = next(free, family[-1])
    return found
