"""The command line: each command reads what was typed, calls the library, and prints.

Libraries are imported inside the commands, so that ``--help`` and ``schedules`` start at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from sweep.cli.exit_codes import Exit, run_command, run_program
from sweep.version import __version__

FILE = click.Path(path_type=Path)
DEADLOCK = 3
"""Exit code of ``simulate`` for a point that never ends."""


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="warpsweep")
@click.pass_context
def cli(context: click.Context) -> None:
    """Exact timelines of Tensor Core schedules, millions of design points at a time.

    Parameters are given as NAME=VALUE: 'warpsweep variables' lists them with their units,
    'warpsweep schedules' and 'warpsweep gpus' what they apply to. A mistake ends with one line on
    stderr and exit code 2.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
@click.option("--out", type=FILE, metavar="DIR", help="Write the table into this folder, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list instead of a table.")
def reproduce(out: Path | None, as_json: bool) -> None:
    """Compute every reference figure and compare it.

    The exit code is 1 on a mismatch.
    """
    from analysis.reproduction.reproduce import json_text, make_folder, text_table, write
    from analysis.reproduction.reproduce import reproduce as reproduce_all

    if out is not None:
        make_folder(out)
    rows = reproduce_all()
    if out is not None:
        write(rows, out)
    click.echo(json_text(rows) if as_json else text_table(rows).rstrip("\n"))
    if any(row.ok is False for row in rows):
        raise Exit(1)


@cli.command()
@click.argument("schedule")
@click.argument("parameters", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--gpu", metavar="NAME", help="The same as gpu=NAME.")
@click.option(
    "--engine",
    type=click.Choice(["batch", "events"]),
    default="batch",
    show_default=True,
    help="The compiled recurrence, or the event-driven simulator.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def simulate(
    schedule: str, parameters: Sequence[str], gpu: str | None, engine: str, as_json: bool
) -> None:
    """Simulate one design point.

    Prints every parameter and output by its name. A point that does not fit the hardware, or that
    deadlocks, says so in the first line (in JSON as "verdict"), with what is short or who waits
    for what. The exit code is 0 for a point that does not fit, and 3 for a deadlock.

    \b
    warpsweep simulate warp_specialized stages=4 k_tiles=64
    warpsweep simulate pingpong tile=64x256x64 --gpu h100_sxm --json
    """
    import sweep
    from sweep.inputs.assignments import read_assignments
    from sweep.quantities.variables import PARAMETERS
    from sweep.results.as_json import to_json

    given = [*parameters, *([f"gpu={gpu}"] if gpu is not None else [])]
    point = sweep.simulate(schedule, engine=engine, **read_assignments(given, PARAMETERS))
    told = {"verdict": point.verdict} if point.verdict else {}
    click.echo(to_json({**told, **point}) if as_json else repr(point))
    if point.infeasible_reason == "deadlock":
        raise Exit(DEADLOCK)


@cli.command()
@click.argument("schedule", metavar="SCHEDULE[,SCHEDULE...]")
@click.argument("parameters", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--width", type=click.IntRange(40, 10_000), metavar="N", help="Columns of the text.")
@click.option(
    "--out",
    type=FILE,
    metavar="FILE.{svg,pdf,png,json}",
    help="Write a picture instead, or a trace for ui.perfetto.dev (json).",
)
def timeline(schedule: str, parameters: Sequence[str], width: int | None, out: Path | None) -> None:
    """Draw who does what when, as text or into a file.

    Several schedules share one time axis. Unless given, the run is a short one, to show single
    operations: k_tiles=8, output_tiles=2, kv_blocks=6.

    \b
    warpsweep timeline pingpong k_tiles=4
    warpsweep timeline sync,multistage,warp_specialized
    warpsweep timeline persistent,pingpong --out tiles.svg
    warpsweep timeline warp_specialized k_tiles=64 --out trace.json
    """
    from figures.timelines.files import check_timeline_file, write_timeline
    from figures.timelines.runs import timeline_traces
    from figures.timelines.text import timeline_text
    from sweep.inputs.assignments import read_assignments
    from sweep.quantities.variables import PARAMETERS

    if width is not None and out is not None:
        raise click.UsageError(f"--width={width} has no effect with --out")
    if out is not None:
        check_timeline_file(out)
    traces = timeline_traces(schedule, read_assignments(parameters, PARAMETERS))
    if out is None:
        click.echo(timeline_text(traces, width or 80))
    else:
        write_timeline(traces, out)


@cli.command("sweep")
@click.argument("space", type=FILE, metavar="SPACE.toml")
@click.option("--out", type=FILE, metavar="RESULTS.zarr", required=True, help="Where to write.")
@click.option("--resume", is_flag=True, help="Go on with what an interrupted sweep left there.")
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="All processors unless given."
)
def sweep_space(space: Path, out: Path, resume: bool, threads: int | None) -> None:
    """Run a whole space of parameters and write it to disk.

    The result may be larger than memory. A space file:

    \b
    schedule = ["multistage", "warp_specialized"]
    [parameters]
    k_tiles = 64                                         # one value
    stages = [2, 3, 4]                                   # a dimension
    t_latency = { start = 100, stop = 4000, step = 10 }  # 100, 110, ... 3990
    t_transfer = { start = 64, stop = 4096, num = 7, spacing = "log" }
    [zip.point]                                          # columns of one dimension, "point"
    t_mma = [512, 1024]
    t_epilogue = [640, 1280]

    xarray.open_zarr reads the result, also while it grows: points that are not finished are NaN,
    flags -1. Resuming checks every file; what is damaged is computed again.
    """
    from sweep.host.progress import ProgressBar
    from sweep.inputs.space_file import resolve_file
    from sweep.storage.store import write_sweep

    points = resolve_file(space)
    with ProgressBar() as bar:
        written = write_sweep(points, out, resume=resume, threads=threads, progress=bar)
    click.echo(written)


@cli.command()
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


@cli.command()
@click.argument("schedules", nargs=-1, metavar="[SCHEDULE]...")
@click.option(
    "--points", type=click.IntRange(min=1), metavar="N", help="Points per claim; 100,000."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Other points.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list instead of a table.")
def verify(schedules: Sequence[str], points: int | None, seed: int, as_json: bool) -> None:
    """Test formulas and bounds against simulation.

    Closed forms, bounds, steady states and rules of thumb, on random points; all schedules unless
    some are named. The first claim is that the kernel, the list of events and the event-driven
    program of a schedule agree. Violations come with the first counterexample as a command. The
    exit code is 1 if a claim other than a rule of thumb is violated, or one could not be tested.

    \b
    warpsweep verify multistage pingpong --points 1000000
    """
    from analysis.verification.report import json_text, text_table
    from analysis.verification.runner import DEFAULT_POINTS
    from analysis.verification.runner import verify as verify_all
    from sweep.host.progress import ProgressBar

    with ProgressBar() as bar:
        found = verify_all(schedules or None, points or DEFAULT_POINTS, seed, progress=bar)
    click.echo(json_text(found) if as_json else text_table(found))
    if any(one.failed for one in found):
        raise Exit(1)


@cli.command()
@click.option(
    "--kernel",
    metavar="NAME",
    help="Print this schedule's generated source instead; a name or a file.",
)
def schedules(kernel: str | None) -> None:
    """List the schedules with their parameters and sources."""
    from sweep.cli.tables import kernel_source, schedules_table

    click.echo(schedules_table() if kernel is None else kernel_source(kernel))


@cli.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def gpus(names: Sequence[str]) -> None:
    """List the GPUs, every number with its unit and source."""
    from sweep.cli.tables import gpus_table

    click.echo(gpus_table(names))


@cli.command()
@click.argument("table", type=click.Choice(["banks", "feeding", "stages", "traffic"]))
@click.option("--gpu", default="lecture", show_default=True, metavar="NAME", help="For which GPU.")
def tensorcore(table: str, gpu: str) -> None:
    """Print a table of the Tensor Core's data path.

    \b
    banks    bank conflicts of ldmatrix by row width, swizzle and padding
    feeding  multiply-adds per byte of shared memory, needed and given, by tile
    stages   stages that the latency needs and that fit, by tile
    traffic  DRAM time of a 4096^3 product by tile and order
    """
    from sweep.tensorcore.tables import tensorcore_table

    click.echo(tensorcore_table(table, gpu))


@cli.command()
def variables() -> None:
    """List parameters and outputs: units, limits, defaults."""
    from sweep.cli.tables import variables_table

    click.echo(variables_table())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        ``sys.argv[1:]`` unless given.

    Returns
    -------
    int
        Exit code: 0, 1 (``reproduce``: a mismatch; ``verify``: a violation), 2 (a mistake of the
        user), 3 (``simulate``: a deadlock), 130 (Ctrl-C).
    """
    return run_program(cli) if arguments is None else run_command(cli, list(arguments))


if __name__ == "__main__":
    sys.exit(main())
