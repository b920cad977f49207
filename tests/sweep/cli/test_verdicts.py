"""What a point tells first, exit codes, exact digits, and hints that lead where they say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import sweep
from sweep.catalogue.schedules import SCHEDULES
from sweep.cli.commands import main
from sweep.errors import unknown_name
from sweep.hardware.gpu import GPUS
from sweep.quantities.variables import PARAMETERS

DEADLOCKS = ["warp_specialized", "stages=2", "mma_in_flight=4"]


@pytest.mark.parametrize(
    ("schedule", "parameters", "told"),
    [
        ("pingpong", {}, "infeasible: registers, 288 per thread needed, 240 there"),
        (
            "multistage",
            {"stages": 5},
            "infeasible: shared_memory, 245,760 byte needed, 232,448 byte of a block there",
        ),
        ("multistage", {"stages": 4}, ""),
        ("multistage", {"t_mma": 5}, "feasibility unknown: durations replace what the tile sets"),
        ("attention_serial", {"head_dim": 256}, "feasibility unknown: the attention block is"),
        ("multistage", {"gpu": "b200"}, ""),
        (
            "multistage",
            {"gpu": "b200", "tile": "512x256x16"},
            "infeasible: tensor_memory, 1,024 columns needed, 512 there",
        ),
        (
            "sync",
            {"consumer_warpgroups": 9, "tile": "64x64x64"},
            "infeasible: threads, 1,152 in a block needed, 1,024 there",
        ),
        ("attention_serial", {"gpu": "b200"}, "feasibility unknown: accumulators lie in Tensor"),
    ],
)
def test_first_line(schedule: str, parameters: dict[str, Any], told: str) -> None:
    one = sweep.simulate(schedule, **parameters)
    assert one.verdict.startswith(told)
    first = repr(one).splitlines()[0]
    assert first == one.verdict if told else first.split() == ["schedule", schedule]


@pytest.mark.parametrize("engine", ["batch", "events"])
def test_a_deadlock_names_who_waits(engine: str) -> None:
    one = sweep.simulate("warp_specialized", stages=2, mma_in_flight=4, engine=engine)
    assert one.verdict.startswith("deadlock: at cycle ")
    assert "producer waits for empty slot 0" in one.verdict
    assert "consumer waits for full slot 0" in one.verdict
    tiles = sweep.simulate("pingpong", stages=2, mma_in_flight=4, tile="64x256x64", engine=engine)
    assert tiles.verdict.startswith("deadlock: ")
    assert " waits for " in tiles.verdict


def test_a_long_deadlock_is_told_too() -> None:
    one = sweep.simulate("warp_specialized", stages=2, mma_in_flight=4, k_tiles=10**9)
    assert one.verdict == "deadlock: a run of k_tiles=1000000000 never ends"


def test_an_own_schedule_without_a_program_that_deadlocks() -> None:
    own = replace(SCHEDULES["warp_specialized"], name="mine", program=None)
    one = sweep.simulate(own, stages=2, mma_in_flight=4)
    assert one.infeasible_reason == "deadlock"
    assert one.verdict.startswith("deadlock: ")
    assert " waits for " in one.verdict


@pytest.mark.parametrize(
    ("schedule", "parameters", "lines"),
    [
        (
            "warp_specialized",
            {},
            ["shared_memory 196,672 of 232,448 byte", "registers 160 of 240 per thread"],
        ),
        (
            "multistage",
            {"stages": 5},
            ["shared_memory 245,760 of 232,448 byte", "registers 160 of 255 per thread"],
        ),
        ("multistage", {"gpu": "b200"}, ["shared_memory 196,608 of 232,448 byte"]),
        ("multistage", {"gpu": "b200", "stages": 9}, ["shared_memory 442,368 of 232,448 byte"]),
        ("multistage", {"element_type": "fp4", "gpu": "b200"}, []),
        ("multistage", {"t_mma": 5}, []),
        ("warp_specialized", {"t_mma": 5, "stages": 2, "mma_in_flight": 4}, []),
    ],
)
def test_what_it_takes_stands_beside_what_there_is(
    schedule: str, parameters: dict[str, Any], lines: list[str]
) -> None:
    one = sweep.simulate(schedule, **parameters)
    printed = [" ".join(line.split()) for line in repr(one).splitlines()]
    assert [line for line in printed if line.startswith(("shared_memory ", "registers "))] == lines
    assert len(one.uses) == len(lines)


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", *DEADLOCKS]) == 3
    assert capsys.readouterr().out.startswith("deadlock: at cycle 3526: producer waits for empty")
    assert main(["simulate", "pingpong"]) == 0
    assert capsys.readouterr().out.startswith("infeasible: registers")
    assert main(["simulate", "pingpong", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"].startswith("infeasible: registers")
    assert main(["simulate", "sync", "cluster=2x1"]) == 2
    assert "cluster=2x1" in capsys.readouterr().err
    assert main(["simulate", "--help"]) == 0
    assert "3 for a deadlock" in " ".join(capsys.readouterr().out.split())


def test_exact_cycles_have_all_their_digits() -> None:
    one = sweep.simulate("multistage", gpu="h100_sxm", k_tiles=10**6)
    shown = next(line.split()[1] for line in repr(one).splitlines() if line.startswith("cycles"))
    assert float(shown) == one.cycles
    assert len(shown.replace(".", "")) > 15


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("num_warps", "num_warps = 4 x consumer_warpgroups"),
        ("num_stages", "num_stages - 1 with cp.async"),
        ("m", "tile=... sets its shape"),
        ("keys", "give block_n="),
        ("kv_stages", "holds 2 buffers"),
        ("block_n", "give tile="),
        ("BLOCK_SIZE_N", "give tile="),
        ("bandwidth", "'warpsweep variables' lists"),
        ("latency", "did you mean 'latency_cycles'?"),
        ("x" * 5000, "..."),
    ],
)
def test_names_of_parameters(name: str, told: str) -> None:
    message = str(unknown_name("parameter", name, PARAMETERS))
    assert told in message
    assert len(message) < 200


@pytest.mark.parametrize(
    "name", ["a10", "gh200", "mi300x", "l40", "b100", "rtx_3090", "rtx_6000", "h101", "l4"]
)
def test_another_card_is_not_one_that_is_known(name: str) -> None:
    message = str(unknown_name("GPU", name, GPUS))
    assert "did you mean" not in message
    assert all(name in message for name in GPUS)
    assert "gpu=my.toml" in message
    assert "sweep.GPU(name" in message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("h100", "h100_sxm"),
        ("H200", "h200_sxm"),
        ("v100", "v100_sxm2"),
        ("h10_sxm", "h100_sxm"),
        ("h20x", "h20"),
        ("h20_sxm", "h20"),
        ("h100-pcie", "h100_pcie"),
        ("a100_40gb", "a100_sxm_40gb"),
        ("4090", "rtx_4090"),
    ],
)
def test_a_slip_is_told(name: str, meant: str) -> None:
    message = str(unknown_name("GPU", name, GPUS))
    assert f"did you mean {meant!r}?" in message
    assert "gpu=my.toml" in message
