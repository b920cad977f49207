"""Formulas as text and as functions: arithmetic over arrays, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sweep.quantities.expressions import Expression
from sweep.quantities.formulas import read_formula

X, Y = np.array([[1.0], [2.5], [300.0]]), np.array([7.0, 0.5])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + 2 * y", X + 2 * Y),
        ("(x - y) / 4", (X - Y) / 4),
        ("-x // y", np.floor(-X / Y)),
        ("x % y", X - np.floor(X / Y) * Y),
        ("x ** 2 - +y", X * X - Y),
        ("min(x, y, 2)", np.minimum(np.minimum(X, Y), 2)),
        ("max(x, y)", np.maximum(X, Y)),
        ("ceil(x / 128) * 128 + 0 * y", np.ceil(X / 128) * 128 + 0 * Y),
        ("floor(x) + sqrt(y)", np.floor(X) + np.sqrt(Y)),
        ("2e3 * x + 1.5 * y", 2000 * X + 1.5 * Y),
    ],
)
def test_values(text: str, expected: Any) -> None:
    found = Expression(text)
    given = {"x": X, "y": Y}
    array = found(*(given[name] for name in found.names))
    assert array.shape == (3, 2)
    assert array.dtype == np.float64
    assert np.array_equal(array, expected)


def test_whole_numbers_do_not_overflow() -> None:
    assert Expression("n * n * n")(np.int64(2**40)) == 2.0**120
    assert Expression("7")() == 7


def test_what_is_not_finite_is_left_to_the_limits() -> None:
    assert np.isinf(Expression("1 / x")(0))
    assert np.isinf(Expression("9 ** 9 ** 9")())
    assert np.isnan(Expression("sqrt(x)")(-1))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no expression"),
        ("(x", "never closed"),
        ("x.y", "'x.y' is not allowed"),
        ("x[0]", "'x\\[0\\]' is not allowed"),
        ("x if y else z", "is not allowed"),
        ("x < 3", "is not allowed"),
        ("[x]", "is not allowed"),
        ("lambda: 3", "is not allowed"),
        ("x @ y", "is not allowed"),
        ("x | y", "is not allowed"),
        ("(x := 3)", "is not allowed"),
        ("'a'", "is no number"),
        ("True", "is no number"),
        ("3j", "is no number"),
        ("1e400", "above 2\\*\\*63"),
        ("__import__('os')", "'__import__' is no function"),
        ("x.real()", "is no function"),
        ("min(x)", "takes 2 to 16 values"),
        ("sqrt(x, y)", "takes 1 value"),
        ("max(x, key=y)", "takes 2 to 16 values"),
        ("max(*x)", "takes 2 to 16 values|is not allowed"),
        ("min + 1", "'min' is a function"),
        ("x" + "+x" * 300, "parts; at most"),
        ("-" * 3000 + "x", "characters; at most"),
        ("(" * 500 + "x" + ")" * 500, "is no expression"),
    ],
)
def test_anything_else_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        Expression(text)
    assert "\n" not in str(caught.value)


class TestFunctions:
    def test_names_are_those_of_the_arguments(self) -> None:
        found = read_formula(lambda tile_m, fma_lanes: tile_m / fma_lanes)
        assert found.names == ("tile_m", "fma_lanes")
        assert found(np.int64(7), 2).tolist() == 3.5

    def test_a_constant_is_laid_out(self) -> None:
        assert read_formula(lambda x: 5)(X).tolist() == [[5.0]] * 3

    @pytest.mark.parametrize(
        ("function", "says"),
        [
            (lambda *x: 1, "must name what it needs"),
            (lambda x, *, y: 1, "must name what it needs"),
            (lambda **x: 1, "must name what it needs"),
            (3, "must be text or a function, not int"),
            (max, "whose arguments have no names"),
        ],
    )
    def test_what_has_no_names_is_refused(self, function: Any, says: str) -> None:
        with pytest.raises(ValueError, match=says):
            read_formula(function)

    @pytest.mark.parametrize(
        ("function", "says"),
        [
            (lambda x: list(x)[9], "ends in IndexError: list index out of range"),
            (lambda x: "five", "must give numbers"),
            (lambda x: x > 1, "gives bool"),
            (lambda x: x * 1j, "gives complex128"),
            (lambda x: np.ones(5), r"shape \(5,\), not \(3, 1\)"),
        ],
    )
    def test_what_goes_wrong_is_told_in_one_line(self, function: Any, says: str) -> None:
        with pytest.raises(ValueError, match=says):
            read_formula(function)(X)

    def test_an_exit_is_caught(self) -> None:
        def leaves(x: Any) -> Any:
            raise SystemExit(3)

        with pytest.raises(ValueError, match="ends in SystemExit"):
            read_formula(leaves)(X)
