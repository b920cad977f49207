"""Timelines as pictures: who does what when, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from figures.drawing.palette import WAIT_COLOURS, operation_colours
from figures.drawing.requirements import require
from figures.drawing.style import PAGE_INCHES, caption, house_style
from figures.timelines.text_cells import LETTERS
from figures.timelines.tracks import Span, Track, tracks
from sweep.errors import InputError
from sweep.quantities.variables import VARIABLES

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_INCHES = 0.17
"""Height of a track."""
FRAME_INCHES = 0.36
"""Height of what stands above and below the tracks of a schedule."""
HIGH, LOW = 0.8, 0.44
"""Heights of operations and of waits, in rows."""
NUMBERS_POINTS = 5
DIGIT_POINTS = 3.4
"""Width of a digit of that size, with room to spare."""
RIM_POINTS = 1.5
"""From this width on an operation has a white rim."""
MOST_PANELS = 12
COLUMNS = ("agent", "resource", "operation", "since", "start", "end", "waits_for")
WAITS = {"full": "copy", "empty": "slot"}


@dataclass(frozen=True)
class Looks:
    """How the kinds of one figure look.

    Attributes
    ----------
    colours : mapping of str to str
        Of operations and of what is waited for.
    resources : frozenset of str
    """

    colours: Mapping[str, str]
    resources: frozenset[str]

    @classmethod
    def of(cls, drawn: Sequence[Sequence[Track]]) -> Looks:
        """Return the looks of what some tracks hold."""
        found = [(track, span) for tracks in drawn for track in tracks for span in track.spans]
        found = [(track, span) for track, span in found if span.end > span.start]
        used = [(one.name, track.name) for track, one in found if track.resource]
        alone = [(one.name, "") for track, one in found if not (track.resource or one.waiting)]
        resources = {track.name for tracks in drawn for track in tracks if track.resource}
        waits = {kind_of(one).name for _, one in found if one.waiting}
        unknown = sorted(waits - set(WAIT_COLOURS))
        colours = operation_colours([*used, *alone, *((name, "") for name in unknown)])
        return cls(
            colours
            | {
                name: WAIT_COLOURS[name]
                for name in waits
                if name in WAIT_COLOURS and name not in colours
            },
            frozenset(resources),
        )

    def style(self, kind: Kind) -> Mapping[str, Any]:
        """Return face, edge and hatch: a resource is waited for in the other direction."""
        colour = self.colours[kind.name]
        if kind.waiting:
            colour = WAIT_COLOURS.get(kind.name, colour)
            pattern = "\\\\\\\\\\\\" if kind.name in self.resources else "//////"
            return {"facecolor": "white", "edgecolor": colour, "hatch": pattern, "linewidth": 0}
        return {"facecolor": colour, "edgecolor": "white", "linewidth": 0.5}


class Kind(NamedTuple):
    """What is drawn alike: an operation, or a wait for something."""

    name: str
    waiting: bool

    @property
    def words(self) -> str:
        """What it is called in the legend."""
        if self.waiting:
            return f"waits for {self.name}"
        passed = self.name.removeprefix("wait_")
        return self.name if passed == self.name else f"t_sync after {passed}"


def timeline(traces: xr.Dataset | Sequence[xr.Dataset], note: str = "") -> Figure:
    """Draw one trace, or several above one another on one time axis.

    A row per resource, with the share of the makespan that holds it, and per agent. Operations are
    full bars in the colour of their kind, with their k-tile (or block) where there is room; waits
    are thin hatched bars in the colour of what is waited for. A line marks the makespan.

    Parameters
    ----------
    traces : xarray.Dataset or sequence of them
        From ``sweep.trace``.
    note : str
        Stands before the parameters in the caption.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If one is not a trace, naming what it lacks, or for none or more than 12.

    Examples
    --------
    >>> import sweep
    >>> figure = timeline([sweep.trace("sync", k_tiles=4), sweep.trace("multistage", k_tiles=4)])
    >>> [axes.get_title("left") for axes in figure.axes]
    ['sync: 11,648 cycles', 'multistage: 6,944 cycles']
    """
    from matplotlib.figure import Figure

    runs = list(traces) if isinstance(traces, Sequence) else [traces]
    _check(runs)
    drawn = [tracks(run) for run in runs]
    looks = Looks.of(drawn)
    rows = [max(len(found), 1) for found in drawn]
    span = max(float(run.attrs["cycles"]) for run in runs) or 1.0
    height = ROW_INCHES * sum(rows) + FRAME_INCHES * len(runs) + 1.0
    with house_style():
        figure = Figure(figsize=(PAGE_INCHES, height), layout="constrained")
        panels = figure.subplots(
            len(runs), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": rows}
        )[:, 0]
        points = 72 * (PAGE_INCHES - 1.3) / span
        for axes, run, found in zip(panels, runs, drawn, strict=True):
            _panel(axes, run, found, points, looks)
            _title(axes, run, runs)
        panels[-1].set_xlim(0, span * 1.002)
        _time_axis(panels[-1])
        _legend(figure, drawn, looks)
        caption(figure, *runs, note=note)
    return figure


def _check(runs: Sequence[xr.Dataset]) -> None:
    if not 1 <= len(runs) <= MOST_PANELS:
        raise InputError(f"timeline: {len(runs)} traces, must be 1 to {MOST_PANELS}")
    for run in runs:
        require("timeline", run, variables=COLUMNS, dims=("event",))
        if "cycles" not in run.attrs:
            raise InputError("timeline: the dataset has no attribute 'cycles'")


def _panel(axes: Axes, run: xr.Dataset, found: list[Track], points: float, looks: Looks) -> None:
    """Draw one schedule; a cycle is so many points wide."""
    cycles = float(run.attrs["cycles"])
    step = run["block" if "block" in run else "k_tile"].values.tolist()
    for row, track in enumerate(found):
        for kind, spans in _kinds(track.spans).items():
            style = looks.style(kind)
            _bars(axes, row, kind, spans, points, style)
            if not kind.waiting:
                _numbers(axes, row, spans, step, points, _ink(style["facecolor"]))
        if track.resource and cycles > 0:
            text = f" {100 * track.busy / cycles:.0f} %"
            beside = ("axes fraction", "data")
            axes.annotate(text, (1, row), xycoords=beside, va="center", fontsize=6)
    axes.axvline(cycles, color="0.2", linewidth=0.8)
    axes.set_ylim(max(len(found), 1) - 0.5, -0.5)
    axes.set_yticks(range(len(found)), [track.name for track in found], fontsize=6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _title(axes: Axes, run: xr.Dataset, runs: Sequence[xr.Dataset]) -> None:
    """Name the schedule, and the counts in which other runs of it differ."""
    schedule = run.attrs["schedules"]
    others = [one for one in runs if one.attrs["schedules"] == schedule]
    counts = (
        str(name)
        for name in run.coords
        if name in VARIABLES and VARIABLES[str(name)].kind == "count"
    )
    differ = (n for n in counts if len({str(one.coords[n].values) for one in others}) > 1)
    names = [schedule, *(f"{name}={run.coords[name].item()}" for name in differ)]
    text = f"{', '.join(names)}: {float(run.attrs['cycles']):,.10g} cycles"
    axes.set_title(text, loc="left", pad=2, fontsize=7)


def _kinds(spans: Iterable[Span]) -> dict[Kind, list[Span]]:
    """Group spans that take time by what is drawn alike."""
    found: dict[Kind, list[Span]] = {}
    for span in spans:
        if span.end > span.start:
            found.setdefault(kind_of(span), []).append(span)
    return found


def kind_of(span: Span) -> Kind:
    """Return what a span is drawn as."""
    return Kind(WAITS.get(span.name, span.name) if span.waiting else span.name, span.waiting)


def _bars(
    axes: Axes, row: int, kind: Kind, spans: list[Span], points: float, style: Mapping[str, Any]
) -> None:
    """Draw bars of one kind; an operation too short for its rim is a line in its colour."""
    height = LOW if kind.waiting else HIGH
    rest = dict(style)
    edge = rest.pop("edgecolor")
    wide = [(span.end - span.start) * points >= RIM_POINTS or kind.waiting for span in spans]
    axes.broken_barh(
        [(span.start, span.end - span.start) for span in spans],
        (row - height / 2, height),
        edgecolors=[edge if one else rest["facecolor"] for one in wide],
        label=kind.words,
        zorder=1.5 if kind.waiting else 2,
        gid=f"{row} {kind.words}",
        **rest,
    )


def _numbers(
    axes: Axes, row: int, spans: list[Span], step: Sequence[int], points: float, ink: str
) -> None:
    """Write k-tiles or blocks into the bars that are wide enough."""
    for span in spans:
        number = str(step[span.event])
        if step[span.event] >= 0 and (span.end - span.start) * points > DIGIT_POINTS * len(number):
            axes.annotate(
                number,
                ((span.start + span.end) / 2, row),
                ha="center",
                va="center_baseline",
                fontsize=NUMBERS_POINTS,
                color=ink,
                annotation_clip=True,
                in_layout=False,
            )


def _ink(colour: str) -> str:
    """Return black on light and white on dark colours."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def _time_axis(axes: Axes) -> None:
    from matplotlib.ticker import StrMethodFormatter

    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    axes.set_xlabel("time (cycle)")


def _legend(figure: Figure, drawn: Iterable[Iterable[Track]], looks: Looks) -> None:
    from matplotlib.patches import Patch

    known = list(LETTERS)
    there = {kind for found in drawn for track in found for kind in _kinds(track.spans)}
    order = sorted(
        there,
        key=lambda kind: (
            kind.waiting,
            known.index(kind.name) if kind.name in known else len(known),
            kind.name,
        ),
    )
    if order:
        handles = [Patch(label=kind.words, **looks.style(kind)) for kind in order]
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 6))
