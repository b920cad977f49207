"""Where the steady periods of published kernels hold, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from analysis.closed_forms import kernel_periods
from analysis.closed_forms.arithmetic import Arithmetic, Formula, Values
from analysis.closed_forms.domain import Condition
from analysis.closed_forms.form import ClosedForm, Kind
from analysis.closed_forms.kernel_periods import products_and_read, products_of_a_block

_COPY = ("t_issue", "t_transfer", "t_latency")


def _sum(*names: str) -> Formula:
    return lambda p, use: sum((p[name] for name in names[1:]), start=p[names[0]])


def _longest(*names: str) -> Formula:
    return lambda p, use: use.largest(*(p[name] for name in names))


def _number(value: int) -> Formula:
    return lambda p, use: value


def _at_least(count: str, least: int) -> Condition:
    return Condition(f"{least} <= {count}", _number(least), _sum(count), units="")


def _keeps_up(formula: Formula, work: tuple[str, ...], period: str) -> tuple[Condition, ...]:
    """Return where copies keep up with a period: each step, and a slot's round trip."""
    trip = _sum(*_COPY, *work)
    return (
        Condition(f"max(t_issue, t_transfer) <= {period}", _longest(*_COPY[:2]), formula),
        Condition(
            f"{' + '.join((*_COPY, *work))} <= stages * {period}",
            trip,
            lambda p, use: p["stages"] * formula(p, use),
        ),
    )


_BLACKWELL = (
    *_keeps_up(_sum("t_mma"), ("t_mma", "t_mma_latency"), "t_mma"),
    Condition("t_write <= t_drain", _sum("t_write"), _sum("t_drain")),
    _at_least("store_stages", 2),
)


def _whole_blocks(p: Values, use: Arithmetic) -> Any:
    return (p["kv_stages"] // 2 - 1) * products_of_a_block(p)


_PRODUCTS = "2 * (t_qk + t_pv_a + t_pv_b)"
_FA4_HIDDEN = (
    Condition(
        f"t_load_k + t_load_v <= {_PRODUCTS}",
        _sum("t_load_k", "t_load_v"),
        lambda p, use: products_of_a_block(p),
    ),
    Condition(
        f"t_load_k + t_load_v + t_latency <= (floor(kv_stages / 2) - 1) * {_PRODUCTS}",
        _sum("t_load_k", "t_load_v", "t_latency"),
        _whole_blocks,
    ),
)
_THREE_SLOTS = (
    _at_least("kv_stages", 3),
    Condition("kv_stages <= 3", _sum("kv_stages"), _number(3), units=""),
)


def _loads(p: Values, use: Arithmetic) -> Any:
    return 2 * p["t_load"] + p["t_latency"]


def _from_dk_to_s(p: Values, use: Arithmetic) -> Any:
    between = p["t_gemm_dq"] + p["t_read"] + p["t_gemm_dp"] + p["t_gemm_dv"]
    return between + (p["q_stages"] - 2) * products_and_read(p)


def _from_dv_to_dp(p: Values, use: Arithmetic) -> Any:
    between = p["t_gemm_s"] + p["t_gemm_dk"] + p["t_gemm_dq"] + p["t_read"]
    return between + (p["do_stages"] - 1) * products_and_read(p)


_FIVE = "(five products + t_read)"
_BACKWARD = (
    _at_least("q_stages", 2),
    Condition(
        f"2 * t_load <= {_FIVE}",
        lambda p, use: 2 * p["t_load"],
        lambda p, use: products_and_read(p),
    ),
    Condition(
        "2 * t_load + t_latency <= t_gemm_dq + t_read + t_gemm_dp + t_gemm_dv"
        f" + (q_stages - 2) * {_FIVE}",
        _loads,
        _from_dk_to_s,
    ),
    Condition(
        "2 * t_load + t_latency <= t_gemm_s + t_gemm_dk + t_gemm_dq + t_read"
        f" + (do_stages - 1) * {_FIVE}",
        _loads,
        _from_dv_to_dp,
    ),
)
_EVERY = Condition("promote_every <= 1", _sum("promote_every"), _number(1), units="")
_FP8 = (*_COPY, "t_mma_wg", "t_promote", "t_epilogue", "stages", "promote_every", "k_tiles")
_FORWARD = (
    *("t_load_q", "t_load_k", "t_load_v", "t_latency", "t_qk", "t_pv_a", "t_pv_b"),
    *("t_mma_latency", "t_max", "t_exp_a", "t_exp_b", "t_sum", "t_fix", "t_out", "kv_stages"),
    "kv_blocks",
)
_SERIAL = (
    *("t_load_q", "t_load_k", "t_load_v", "t_latency", "t_exp", "t_softmax"),
    *("t_gemm0", "t_gemm1", "t_out", "kv_stages", "kv_blocks"),
)
_GRADIENT = (
    *("t_load_kv", "t_load", "t_latency"),
    *(f"t_gemm_{name}" for name in ("s", "dp", "dv", "dk", "dq")),
    *("t_exp", "t_ds", "t_read", "t_add", "t_out", "q_stages", "do_stages", "q_blocks"),
)
_TCGEN05 = (
    *(*_COPY, "t_mma", "t_mma_latency", "t_drain", "t_write"),
    *("stages", "accumulators", "subtiles", "store_stages", "k_tiles"),
)
_MIXED = (*_COPY, "t_convert", "t_mma", "t_epilogue", "stages", "register_buffers", "k_tiles")


Row = tuple[str, Kind, tuple[str, ...], Formula, tuple[Condition, ...]]


def _mixed_conditions() -> tuple[Condition, ...]:
    period = "max(t_convert, t_mma, (t_convert + t_mma) / register_buffers)"
    return _keeps_up(kernel_periods.mixed_input, ("t_convert", "t_mma"), period)


def _fp8_conditions(formula: Formula, work: tuple[str, ...], period: str) -> tuple[Condition, ...]:
    return (*_keeps_up(formula, work, period), _EVERY)


_TWO = "max(2 * t_mma_wg, 2 * t_promote, t_mma_wg + t_promote)"
_ROWS: tuple[Row, ...] = (
    ("attention_kv_serial", "asymptotic", _SERIAL, kernel_periods.attention_kv_serial, ()),
    ("fa4_forward", "asymptotic", _FORWARD, kernel_periods.fa4_forward, _FA4_HIDDEN),
    (
        "fa4_forward.three_slots",
        "bound",
        _FORWARD,
        kernel_periods.fa4_forward_three_slots,
        _THREE_SLOTS,
    ),
    ("fa4_backward", "asymptotic", _GRADIENT, kernel_periods.fa4_backward, _BACKWARD),
    (
        "fp8_promoted",
        "asymptotic",
        _FP8,
        kernel_periods.fp8_promoted,
        _fp8_conditions(kernel_periods.fp8_promoted, ("t_mma_wg", "t_mma_wg"), _TWO),
    ),
    (
        "fp8_promoted_one",
        "asymptotic",
        _FP8,
        kernel_periods.fp8_promoted_one,
        _fp8_conditions(kernel_periods.fp8_promoted_one, ("t_mma_wg",), "(t_mma_wg + t_promote)"),
    ),
    ("mixed_input", "asymptotic", _MIXED, kernel_periods.mixed_input, _mixed_conditions()),
)


def _forms() -> Iterator[tuple[str, ClosedForm]]:
    for full, kind, parameters, function, conditions in _ROWS:
        schedule, _, name = full.partition(".")
        form = ClosedForm(
            schedule,
            name or "general",
            kind,
            parameters,
            function,
            conditions,
            quantity="step_period",
        )
        yield full, form


STEP_PERIODS: Mapping[str, ClosedForm] = MappingProxyType(dict(_forms()))
"""Steady cycles per iteration of the main loop: a block, or a k-tile."""

KERNEL_TILE_PERIODS: Mapping[str, ClosedForm] = MappingProxyType(
    {
        "blackwell_gemm": ClosedForm(
            "blackwell_gemm",
            "general",
            "asymptotic",
            _TCGEN05,
            kernel_periods.blackwell_gemm,
            _BLACKWELL,
            quantity="period",
        )
    }
)
"""Steady cycles per output tile."""
