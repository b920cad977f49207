"""What can set a period: a row per meaning of the output ``bottleneck``.

From here come the tests in the kernels (``sweep.recurrence.periods``), the words of a period's
terms, the names of the bounds of resources, and the colours of figures. The rows stand in the
order of precedence, and their places are the integer codes, which are a contract: a new row is
appended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple


class Bottleneck(NamedTuple):
    """One meaning.

    Attributes
    ----------
    name : str
    words : str
        What it says in plain words.
    colour : str
        A hue of ``figures.drawing.palette`` by its name, or "#RRGGBB".
    resource : str
        Set where this resource is held all the time.
    duration : str
        Set where what takes this duration is on a circuit that sets the period.
    through_slot : bool
        In a single tile also without that duration: wherever the circuit leads through a slot.
    ring_only : bool
        In a single tile only of schedules with a ring of stages.
    """

    name: str
    words: str
    colour: str
    resource: str = ""
    duration: str = ""
    through_slot: bool = False
    ring_only: bool = False


def _rows() -> Iterator[Bottleneck]:
    yield Bottleneck("none", "nothing: the point deadlocks", "#FFFFFF")
    yield Bottleneck("unordered", "no fixed order of service", "#DDDDDD")
    yield Bottleneck("tensor_core", "Tensor Core", "blue", resource="TC")
    yield Bottleneck("epilogue", "epilogue exposed", "green", duration="t_epilogue")
    yield Bottleneck("exp", "exp throughput", "vermillion", resource="SFU")
    yield Bottleneck("softmax", "softmax throughput", "purple", resource="FMA")
    yield Bottleneck("copy_bandwidth", "copy bandwidth", "orange", resource="MEM")
    yield Bottleneck("mma_latency", "MMA completion latency", "teal", duration="t_mma_latency")
    yield Bottleneck(
        "ring_depth", "ring too shallow for the latency", "wine", "", "t_latency", through_slot=True
    )
    yield Bottleneck(
        "copy_issue", "issue on the critical path", "yellow", "", "t_issue", ring_only=True
    )
    yield Bottleneck("serial_chain", "operations in series", "grey")
    yield Bottleneck("no_work", "nothing: it takes no time", "#F4F4F4")
    yield Bottleneck("unsettled", "not known: no regime was found", "#EEEEEE")
    yield Bottleneck(
        "no_steady_state", "nothing: it runs, but only while a tile fits the ring", "#FAFAFA"
    )
    yield Bottleneck("waiting", "agents, latencies or slots: it is not told which", "#F8F8F8")


BOTTLENECKS: Mapping[str, Bottleneck] = MappingProxyType({row.name: row for row in _rows()})
"""None is a deadlock."""


def bottleneck_code(name: str) -> int:
    """Return the integer code of a meaning.

    Examples
    --------
    >>> bottleneck_code("none"), bottleneck_code("tensor_core")
    (0, 2)
    """
    return list(BOTTLENECKS).index(name)
