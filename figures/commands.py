"""The commands of `figures`: each calls the library and prints, or writes files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sweep.cli.completion import schedule_names
from sweep.cli.options import FILE, parameters_of_a_point, read_parameters


@click.command()
@click.argument("schedule", metavar="SCHEDULE[,SCHEDULE...]", shell_complete=schedule_names)
@parameters_of_a_point
@click.option(
    "--width",
    type=click.IntRange(40, 10_000),
    metavar="N",
    help="Columns of the text: those of the terminal unless given, else 80.",
)
@click.option(
    "--out",
    type=FILE,
    metavar="FILE.{svg,pdf,png,json}",
    help="Write a picture instead, or a trace for ui.perfetto.dev (json).",
)
def timeline(
    schedule: str, parameters: Sequence[str], gpu: str | None, width: int | None, out: Path | None
) -> None:
    """Draw who does what when, as text or into a file.

    Several schedules share one time axis. Unless given, the run is a short one, to show single
    operations: k_tiles=8, output_tiles=2, kv_blocks=6.

    \b
    warpsweep timeline pingpong k_tiles=4 --gpu h100_sxm
    warpsweep timeline sync,multistage,warp_specialized
    warpsweep timeline persistent,pingpong --out tiles.svg
    warpsweep timeline warp_specialized k_tiles=64 --out trace.json
    """
    from figures.timelines.files import check_timeline_file, write_timeline
    from figures.timelines.runs import timeline_traces
    from figures.timelines.text import MIN_WIDTH, timeline_text
    from sweep.cli.printing import COLUMNS, terminal_columns

    if width is not None and out is not None:
        raise click.UsageError(f"--width={width} has no effect with --out")
    if out is not None:
        check_timeline_file(out)
    traces = timeline_traces(schedule, read_parameters(parameters, gpu))
    if out is None:
        columns = max(terminal_columns() or COLUMNS, MIN_WIDTH)
        click.echo(timeline_text(traces, width or columns))
    else:
        write_timeline(traces, out)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--out", type=FILE, metavar="DIR", required=True, help="Where to write.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["pdf", "svg", "png"]),
    default="pdf",
    show_default=True,
)
def figures(names: Sequence[str], out: Path, kind: str) -> None:
    """Draw the gallery, or the figures of these names.

    \b
    warpsweep figures --out pictures
    warpsweep figures roofline littles_law --out pictures --format svg
    """
    from figures.gallery_pages import write_figures

    for path in write_figures(names, out, kind):
        click.echo(path)
