"""A card of one's own in a TOML file: taken wherever a GPU's name is, refused in one line."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import sweep
from analysis.budgets.occupancy import occupancy
from analysis.memory.memory_path import memory_path
from figures.timelines.files import write_timeline
from figures.timelines.runs import timeline_traces
from sweep.cli.commands import main
from sweep.errors import InputError
from sweep.hardware import card_file
from sweep.hardware.capabilities import INSTRUCTIONS
from sweep.hardware.durations import durations
from sweep.hardware.gpu import GPUS
from sweep.hardware.lookup import find_gpu
from sweep.inputs.space_file import resolve_file
from sweep.quantities.variables import GPU_FIELDS, VARIABLES
from sweep.storage.store import write_sweep
from sweep.tensorcore import feeding, sweep_stages
from tests.sweep.inputs.test_space_file_hostile import NO_VALUES

PAGE = Path(__file__).parents[3] / "docs" / "gpus.md"

SLOW = 'base = "h100_sxm"\nclock_hz = 1.41e9\nmem_bytes_per_cycle = 48\n'


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "slow.toml"
    path.write_text(SLOW)
    return path


def refused(text: str | bytes, tmp_path: Path) -> str:
    path = tmp_path / "bad.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        find_gpu(path)
    message = str(caught.value)
    assert message.isprintable()
    assert "bad.toml" in message
    return message


def test_what_a_file_says_and_what_it_inherits(card: Path) -> None:
    gpu, base = find_gpu("slow.toml"), GPUS["h100_sxm"]
    assert (gpu.name, gpu.clock_hz, gpu.mem_bytes_per_cycle) == ("slow", 1.41e9, 48)
    for name in GPU_FIELDS:
        if name not in ("clock_hz", "mem_bytes_per_cycle"):
            assert gpu.value(name) == base.value(name)
    assert gpu.element_rates == base.element_rates
    assert gpu.sources["clock_hz"] == "given in slow.toml"
    assert gpu.sources["latency_cycles"] == f"as h100_sxm: {base.sources['latency_cycles']}"
    assert gpu == find_gpu(card)
    assert hash(gpu) == hash(find_gpu(card))


def test_rates_sources_and_names(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(
        'name = "our h100"\nsummary = "under a limit"\nbase = "h100_sxm"\n'
        "clock_hz = 1_410_000_000\n"
        '[element_rates]\nfp8 = 1.5\n[sources]\nclock_hz = "nvidia-smi"\n'
        '"element_rates.fp8" = "measured"\n'
    )
    gpu = find_gpu(path)
    assert (gpu.name, gpu.summary, gpu.clock_hz) == ("our h100", "under a limit", 1.41e9)
    assert gpu.element_rates["fp8"] == 1.5
    assert gpu.element_rates["int8"] == 2
    assert gpu.sources["clock_hz"] == "nvidia-smi"
    assert gpu.sources["element_rates.fp8"] == "measured"


def test_what_follows_from_the_capability_follows_the_cards_own(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('base = "h100_sxm"\ncompute_capability = 8.9\nmax_ctas_per_sm = 5\n')
    gpu = find_gpu(path)
    assert (gpu.max_warps_per_sm, gpu.max_ctas_per_sm, gpu.largest_cluster_ctas) == (48, 5, 1)
    path.write_text("compute_capability = 8.9\n")
    alone = find_gpu(path)
    assert (alone.max_warps_per_sm, alone.sm_count) == (48, None)
    assert set(alone.sources) >= {"compute_capability", "max_warps_per_sm"}


def test_a_whole_card_without_a_base(tmp_path: Path) -> None:
    base = GPUS["h100_sxm"]
    known = {name: base.value(name) for name in GPU_FIELDS if base.value(name) is not None}
    lines = [f"{name} = {value}" for name, value in known.items()]
    rates = [f"{name} = {rate}" for name, rate in base.element_rates.items()]
    path = tmp_path / "whole.toml"
    path.write_text("\n".join([*lines, "[element_rates]", *rates]))
    for schedule, described in sweep.SCHEDULES.items():
        if "gpu" in described.defaults:  # needs a Tensor Memory that this card does not have
            continue
        one, other = (sweep.simulate(schedule, gpu=gpu) for gpu in (str(path), "h100_sxm"))
        assert {**one, "gpu": ""} == {**other, "gpu": ""}


def test_it_is_taken_wherever_a_name_is(card: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gpu = find_gpu(card)
    where: dict[str, Any] = {"k_tiles": 4}
    for given in ("slow.toml", card, gpu):
        one = sweep.simulate("sync", gpu=given, **where)
        assert (one.gpu, one.t_transfer) == ("slow", 1024)
        assert durations(given)["t_transfer"] == 1024  # type: ignore[arg-type]
        assert feeding(given, "64x256").verdict == "fed"
        assert occupancy(128, 64, 16_384, given).ctas == 8  # type: ignore[arg-type]
        assert memory_path(given)[2].bytes_per_second == 48 * 132 * 1.41e9  # type: ignore[arg-type]
    ds = sweep.run("sync", gpu=["h100_sxm", "slow.toml"], **where)
    assert ds.gpu.values.tolist() == ["h100_sxm", "slow"]
    assert "given in slow.toml" in ds.attrs["gpu_sources"]
    table = sweep_stages(["h100_sxm", "slow.toml"], "128x128x64")
    assert table.gpu.values.tolist() == ["h100_sxm", "slow"]
    for arguments in (
        ["simulate", "sync", "k_tiles=4", "--gpu", "slow.toml"],
        ["simulate", "sync", "k_tiles=4", "gpu=slow.toml"],
        ["gpus", "slow.toml"],
        ["timeline", "sync", "k_tiles=2", "gpu=slow.toml"],
        ["tensorcore", "stages", "--gpu", "slow.toml"],
    ):
        assert main(arguments) == 0, arguments
        assert "slow" in capsys.readouterr().out or arguments[0] == "timeline"


def test_a_trace_keeps_its_clock(card: Path) -> None:
    write_timeline(timeline_traces("sync", {"gpu": "slow.toml", "k_tiles": 2}), Path("t.json"))
    assert json.loads(Path("t.json").read_text())["otherData"]["clock_hz"] == 1.41e9


def test_a_space_file_and_a_store(card: Path) -> None:
    Path("space.toml").write_text(
        'schedule = "sync"\n[parameters]\ngpu = ["h100_sxm", "slow.toml"]\nk_tiles = [2, 3]\n'
    )
    write_sweep(resolve_file(Path("space.toml")), Path("out.zarr"))
    stored = xr.open_zarr("out.zarr")
    assert stored.gpu.values.tolist() == ["h100_sxm", "slow"]
    assert (
        stored.cycles.sel(gpu="slow", k_tiles=3)
        == sweep.simulate("sync", gpu=card, k_tiles=3).cycles
    )
    write_sweep(resolve_file(Path("space.toml")), Path("out.zarr"), resume=True)
    card.write_text(SLOW.replace("48", "24"))
    with pytest.raises(InputError, match="another sweep"):
        write_sweep(resolve_file(Path("space.toml")), Path("out.zarr"), resume=True)


def test_instructions_that_the_card_lacks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.toml"

    def told(capability: float, schedule: str, **parameters: Any) -> str:
        path.write_text(f'base = "h100_sxm"\ncompute_capability = {capability}\n')
        with pytest.raises(InputError) as caught:
            sweep.simulate(schedule, gpu=path, **parameters)
        return str(caught.value)

    assert "TMA needs compute_capability 9.0, here it is 8.9" in told(8.9, "sync", loader="tma")
    assert "cp.async needs compute_capability 8.0, here it is 7.5" in told(7.5, "multistage")
    assert "give loader='ld_global'" in told(7.5, "sync", loader="cp_async")
    assert "a cluster needs compute_capability 9.0" in told(8.9, "warp_specialized", cluster="2x1")
    message = told(12.0, "warp_specialized", cluster="4x4", max_cluster_ctas=16)
    assert "gpu='old' has clusters of at most largest_cluster_ctas=8 CTAs" in message
    assert "multistage copies while it computes" in told(9.0, "multistage", loader="ld_global")
    path.write_text('base = "h100_sxm"\ncompute_capability = 7.5\n')
    for schedule in ("sync", "register_staged"):
        one = sweep.simulate(schedule, gpu=path)
        assert (one.loader, one.t_issue) == ("ld_global", 100)
        same = sweep.simulate(schedule, gpu="h100_sxm", loader="cp_async")
        assert one.cycles == same.cycles
    with pytest.raises(InputError, match=r"wgmma exists on compute capability 9\.0 alone"):
        feeding(path, "64x256", instruction="wgmma")
    with pytest.raises(InputError, match="tcgen05"):
        feeding(path, "64x256", instruction="tcgen05")


def test_lacking_instructions_are_cells_of_a_grid(tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text('base = "h100_sxm"\ncompute_capability = 7.5\n')
    ds = sweep.run(["sync", "multistage"], gpu=["h100_sxm", str(path)], k_tiles=4)
    reasons = np.array(VARIABLES["infeasible_reason"].flag_meanings)[ds.infeasible_reason.values]
    assert reasons.tolist() == [["none", "none"], ["none", "loader"]]
    assert ds.loader.values.tolist() == [["cp_async", "ld_global"], ["cp_async", "cp_async"]]
    both = sweep.run(["sync", "multistage"], gpu=str(path), k_tiles=4)
    assert both.cycles.notnull().values.tolist() == [True, False]


BAD = [
    ("clock_hz = -1", "clock_hz=-1 Hz: must be"),
    ("clock_hz = 0", "clock_hz=0 Hz: must be"),
    ('clock_hz = "fast"', "clock_hz='fast': must be a number (in Hz)"),
    ("clock_hz = true", "clock_hz=True: must be a number (in Hz)"),
    ("clock_hz = nan", "clock_hz=nan Hz: must be finite"),
    ("sm_count = 131.5", "sm_count=131.5: must be a whole number"),
    ("sm_count = 0", "sm_count=0: must be at least 1"),
    ("clok_hz = 1e9", "unknown key 'clok_hz': did you mean 'clock_hz'?"),
    ('base = "h100"', "unknown base 'h100': did you mean 'h100_sxm'?"),
    ("base = 5", "base=5: must be a text"),
    ('name = "h100_sxm"', "name='h100_sxm': a preset has that name"),
    ('name = ""', "name='': must be 1 to 60 printable characters"),
    ('name = "a\\nb"', "must be 1 to 60 printable characters"),
    ("summary = 1", "summary=1: must be a text"),
    ("element_rates = 1", "element_rates=1: must be a table"),
    ("[element_rates]\nfp9 = 1", "unknown element type 'fp9': known: bf16"),
    ("[element_rates]\nfp8 = 0", "element_rates.fp8=0: must be a finite number above 0"),
    ("[element_rates]\nfp8 = inf", "element_rates.fp8=inf: must be a finite number above 0"),
    ('[element_rates]\nfp8 = "2"', "element_rates.fp8='2': must be a finite number above 0"),
    ('[sources]\nclock_hz = "x"', "sources.clock_hz: the file gives no such number"),
    ("clock_hz = 1e9\n[sources]\nclock_hz = 5", "sources.clock_hz=5: must be a text"),
    (
        "smem_per_block_bytes = 200_000\nsmem_per_sm_bytes = 100_000",
        "smem_per_block_bytes=200,000 byte: must be at most smem_per_sm_bytes=100,000 byte",
    ),
    ("clock_hz = ", "not valid TOML"),
    (b"\xff\xfe", "not a text file in UTF-8"),
]


@pytest.mark.parametrize(("text", "told"), BAD, ids=[told for _, told in BAD])
def test_one_line_names_the_file_and_the_key(text: str | bytes, told: str, tmp_path: Path) -> None:
    assert told in refused(text, tmp_path)


@pytest.mark.parametrize(
    "key", ["clock_hz", "sm_count", "base", "sources", "element_rates.fp8", "x"]
)
@pytest.mark.parametrize("value", NO_VALUES.values(), ids=NO_VALUES.keys())
def test_what_nobody_should_write(key: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(f"{key} = {value}\n")
    try:
        find_gpu(path)
    except InputError as error:
        message = str(error)
        assert message.isprintable()
        assert "bad.toml" in message
        assert len(message) < 1000
    else:  # an empty table says nothing
        assert value == "{}" or key in ("clock_hz", "sm_count", "element_rates.fp8")


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(InputError, match=r"cannot read .*none.toml: no such file"):
        sweep.simulate("sync", gpu=missing)
    assert main(["simulate", "sync", "--gpu", str(missing)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(InputError, match="cannot read"):
        find_gpu(tmp_path)


def test_a_name_that_is_unknown_says_how_to_enter_a_card() -> None:
    with pytest.raises(InputError, match=r"did you mean 'h20'\? Else enter another card in a file"):
        sweep.simulate("sync", gpu="h20x")


def test_the_examples_of_docstring_and_page_are_cards(tmp_path: Path) -> None:
    text = (card_file.__doc__ or "").split("::\n\n")[1].split("\n\nWhat follows")[0]
    path = tmp_path / "doc.toml"
    path.write_text("\n".join(line[4:] for line in text.splitlines()))
    assert find_gpu(path).name == "our_h100"
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    path.write_text(block)
    assert find_gpu(path).name == "limited_h100"


def test_the_page_on_gpus() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert (failed, tried > 5) == (0, True)
    text = PAGE.read_text()
    assert all(f"`{name}`" in text or name in text for name in INSTRUCTIONS)
