"""Durations and bytes of a tile, against the published table and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.errors import InputError
from sweep.hardware import durations as tile
from sweep.hardware.durations import (
    FORMULAS,
    copied_bytes,
    durations,
    formula_inputs,
)
from sweep.hardware.gpu import GPUS
from sweep.hardware.shapes import (
    parse_shape,
)
from sweep.inputs.space import resolve
from sweep.quantities.grid import (
    to_grid,
)
from sweep.quantities.variables import VARIABLES


def test_default_tile_on_the_lecture() -> None:
    assert {name: float(value) for name, value in durations().items()} == {
        "stage_bytes": 49_152,
        "t_transfer": 768,
        "t_latency": 700,
        "t_mma": 1_024,
        "t_store": 192,
        "t_epilogue": 1_280,
        "t_gemm": 512,
        "t_gemm0": 512,
        "t_gemm1": 512,
        "t_exp": 512,
        "t_softmax": 256,
    }


def test_ideal_cycles_and_time() -> None:
    values = resolve("multistage", {"k": 4096}).values[0]
    ideal = float(values["k_tiles"] * values["t_mma"])
    assert ideal == 65_536
    assert ideal / float(values["clock_hz"]) * 1e6 == pytest.approx(35.8, abs=0.05)


def test_half_bandwidth() -> None:
    found = durations(mem_bytes_per_cycle=32)
    assert found["t_transfer"] == 1_536
    assert found["t_epilogue"] == 2_304


def test_multicast_shares_the_copy() -> None:
    assert copied_bytes(128, 256, 64, 2.0) == 49_152
    assert copied_bytes(128, 256, 64, 2.0, 2, 1) == 32_768
    assert copied_bytes(128, 256, 64, 2.0, 1, 2) == 40_960
    assert durations(cluster="2x1")["t_transfer"] == 512


@pytest.mark.parametrize(
    ("element_type", "t_mma", "stage_bytes"),
    [("fp16", 1024, 49_152), ("tf32", 2048, 98_304), ("fp8", 512, 24_576), ("int8", 512, 24_576)],
)
def test_element_types(element_type: str, t_mma: float, stage_bytes: float) -> None:
    found = durations(element_type=element_type)
    assert found["t_mma"] == t_mma
    assert found["stage_bytes"] == stage_bytes


def test_fp4_on_b200() -> None:
    found = durations("b200", element_type="fp4")
    assert found["t_mma"] == 128
    assert found["stage_bytes"] == 12_288


def test_exp_costs_half_a_gemm_and_as_much_in_fp8() -> None:
    assert durations()["t_exp"] / (2 * durations()["t_gemm"]) == 0.5
    fp8 = durations(element_type="fp8")
    assert fp8["t_exp"] / (2 * fp8["t_gemm"]) == 1.0


@pytest.mark.parametrize("gpu", GPUS)
def test_every_gpu(gpu: str) -> None:
    kind = next(iter(GPUS[gpu].element_rates))
    found = durations(gpu, element_type=kind)
    assert all(value > 0 and value * 1024 == np.rint(value * 1024) for value in found.values())


@given(
    m=st.integers(1, 512),
    n=st.integers(1, 512),
    lanes=st.integers(1, 256),
    mem=st.integers(1, 256),
    weight=st.integers(0, 64),
)
def test_epilogue_is_the_rounded_exact_fraction(
    m: int, n: int, lanes: int, mem: int, weight: int
) -> None:
    exact = (Fraction(m * n, lanes) + Fraction(2 * m * n, mem)) * Fraction(weight, 8)
    found = tile.t_epilogue(*map(np.asarray, (m, n, lanes, mem, weight / 8)))
    assert Fraction(float(found)) == Fraction(round(exact * 1024), 1024)


@given(
    sizes=st.tuples(*[st.integers(1, 512)] * 3),
    cluster=st.tuples(*[st.integers(1, 8)] * 2),
    mem=st.integers(1, 256),
)
def test_transfer_is_the_rounded_exact_fraction(
    sizes: tuple[int, int, int], cluster: tuple[int, int], mem: int
) -> None:
    (m, n, k), (c, r) = sizes, cluster
    exact = (Fraction(m, r) + Fraction(n, c)) * k * 2 / mem
    found = tile.t_transfer(*map(np.asarray, (m, n, k, 2.0, c, r, mem)))
    assert Fraction(float(found)) == Fraction(round(exact * 1024), 1024)


def test_grid_rounds_half_to_even() -> None:
    halves = np.array([0.5, 1.5, 2.5, -0.0]) / 1024
    assert to_grid(halves).tolist() == [0.0, 2 / 1024, 2 / 1024, 0.0]
    assert not np.signbit(to_grid(halves)[-1])


def test_formulas_broadcast() -> None:
    bandwidths, shapes = np.array([[32.0], [64.0]]), np.array([64, 128, 256])
    found = tile.t_transfer(shapes, 256, 64, 2.0, 1, 1, bandwidths)
    assert found.shape == (2, 3)
    assert found[1, 1] == 768


@pytest.mark.parametrize("name", FORMULAS)
def test_every_formula_is_a_quantity_from_known_inputs(name: str) -> None:
    internal = {"tile_m", "tile_n", "tile_k", "cluster_m", "cluster_n", "element_bytes"}
    assert name in VARIABLES or name == "stage_bytes"
    assert set(formula_inputs(name)) <= set(VARIABLES) | internal | {"element_rate"}
    assert FORMULAS[name].__doc__


@pytest.mark.parametrize(
    "value", ["128x256x64", " 128 X 256 x 64 ", (128, 256, 64), (128.0, 256, 64)]
)
def test_shapes(value: object) -> None:
    assert parse_shape("tile", value) == (128, 256, 64)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "128",
        "128x256",
        "128x256x64x1",
        "128x256x0",
        "128x-1x64",
        "axbxc",
        "1.5x2x3",
        (128, 256),
        (128, 256, 0),
        (128.5, 256, 64),
        (float("nan"), 256, 64),
        (True, 2, 3),
        5,
        "²x2x2",
        "99999999999999999999x1x1",
    ],
)
def test_bad_shapes(value: object) -> None:
    with pytest.raises(InputError, match=r"^tile=.*M x N x K"):
        parse_shape("tile", value)


def test_durations_accept_a_gpu_and_its_fields() -> None:
    assert durations(GPUS["h100_sxm"], latency_cycles=[1, 2])["t_latency"].tolist() == [1, 2]
    assert "t_transfer" not in durations("v100_sxm2", element_type="fp16")
