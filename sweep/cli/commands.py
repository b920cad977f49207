"""The command line: each command reads what was typed, calls the library, and prints.

Libraries are imported inside the commands, so that ``--help`` and ``schedules`` start at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from sweep.cli.completion import gpu_names, schedule_names
from sweep.cli.exit_codes import Exit, run_command, run_program
from sweep.cli.group import Commands
from sweep.cli.options import FILE, json_option, parameters_of_a_point, read_parameters
from sweep.cli.printing import show, show_json
from sweep.version import __version__

DEADLOCK = 3
"""Exit code of ``simulate`` for a point that never ends."""


@click.group(
    cls=Commands,
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
@click.argument("schedule", shell_complete=schedule_names)
@parameters_of_a_point
@click.option(
    "--engine",
    type=click.Choice(["batch", "events"]),
    default="batch",
    show_default=True,
    help="The compiled recurrence, or the event-driven simulator.",
)
@json_option()
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
    warpsweep simulate pingpong --gpu my_card.toml
    """
    import sweep
    from sweep.inputs.space import known_parameters

    given = read_parameters(parameters, gpu, known_parameters(schedule))
    point = sweep.simulate(schedule, engine=engine, **given)
    if as_json:
        told = {"verdict": point.verdict} if point.verdict else {}
        show_json({**told, **point})
    else:
        show(point.blocks())
    if point.infeasible_reason == "deadlock":
        raise Exit(DEADLOCK)


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
@click.option(
    "--kernel",
    metavar="NAME",
    shell_complete=schedule_names,
    help="Print this schedule's generated source instead; a name or a file.",
)
@json_option()
def schedules(kernel: str | None, as_json: bool) -> None:
    """List the schedules with their parameters and sources."""
    from sweep.cli.listings import kernel_source, schedules_json, schedules_text

    if kernel is not None and as_json:
        raise click.UsageError(f"--json has no effect with --kernel={kernel}")
    if kernel is not None:
        show([kernel_source(kernel)])
    elif as_json:
        show_json(schedules_json())
    else:
        show(schedules_text())


@cli.command()
@click.argument("names", nargs=-1, metavar="[NAME|FILE.toml]...", shell_complete=gpu_names)
@json_option()
def gpus(names: Sequence[str], as_json: bool) -> None:
    """List the GPUs, every number with its unit and source.

    A file is a card of one's own.
    """
    from sweep.cli.listings import gpus_json, gpus_text

    if as_json:
        show_json(gpus_json(names))
    else:
        show(gpus_text(names))


@cli.command()
@click.argument("table", type=click.Choice(["banks", "feeding", "stages", "traffic"]))
@click.option(
    "--gpu",
    default="lecture",
    show_default=True,
    metavar="NAME|FILE.toml",
    shell_complete=gpu_names,
    help="For which GPU.",
)
@json_option()
def tensorcore(table: str, gpu: str, as_json: bool) -> None:
    """Print a table of the Tensor Core's data path.

    \b
    banks    bank conflicts of ldmatrix by row width, swizzle and padding
    feeding  multiply-adds per byte of shared memory, needed and given, by tile
    stages   stages that the latency needs and that fit, by tile
    traffic  DRAM time of a 4096^3 product by tile and order
    """
    from sweep.tensorcore.data_path_tables import tensorcore_blocks, tensorcore_json

    if as_json:
        show_json(tensorcore_json(table, gpu))
    else:
        show(tensorcore_blocks(table, gpu))


@cli.command()
@json_option()
def variables(as_json: bool) -> None:
    """List parameters and outputs: units, limits, defaults."""
    from sweep.cli.listings import variables_json, variables_text

    if as_json:
        show_json(variables_json())
    else:
        show(variables_text())


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
