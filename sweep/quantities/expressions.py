"""Expressions as text, such as "2 * tile_m * tile_n / fma_lanes", evaluated over whole arrays.

Numbers, names, ``+ - * / // % **``, parentheses, and ``min max ceil floor sqrt``; nothing else, so
that a text from a file can do nothing but arithmetic. All of it is float64.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from sweep.quantities.arrays import Array

LONGEST = 2000
"""Characters of an expression."""
MOST_NODES = 400
Operator = Callable[..., Any]
OPERATORS: Mapping[type[ast.AST], Operator] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: np.true_divide,
        ast.FloorDiv: np.floor_divide,
        ast.Mod: np.remainder,
        ast.Pow: np.power,
        ast.UAdd: operator.pos,
        ast.USub: operator.neg,
    }
)


def _least(*values: Any) -> Any:
    return reduce(np.minimum, values)


def _most(*values: Any) -> Any:
    return reduce(np.maximum, values)


FUNCTIONS: Mapping[str, tuple[Operator, int, int]] = MappingProxyType(
    {
        "min": (_least, 2, 16),
        "max": (_most, 2, 16),
        "ceil": (np.ceil, 1, 1),
        "floor": (np.floor, 1, 1),
        "sqrt": (np.sqrt, 1, 1),
    }
)
"""By name: what it does, and the fewest and most arguments."""


class Expression:
    """An expression, read once: call it with the values of its names, in order.

    Parameters
    ----------
    text : str

    Raises
    ------
    ValueError
        In one line, for what is no such expression.

    Examples
    --------
    >>> rows = Expression("ceil(m / 128) * 128")
    >>> rows.names, rows([100, 300]).tolist()
    (('m',), [128.0, 384.0])
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._root = _parsed(text)
        named = (node.id for node in ast.walk(self._root) if isinstance(node, ast.Name))
        self.names = tuple(dict.fromkeys(name for name in named if name not in FUNCTIONS))

    def __call__(self, *values: Any) -> Array:
        """Return its value; what divides by zero or overflows is not finite."""
        arrays = (np.asarray(value, dtype=np.float64) for value in values)
        with np.errstate(all="ignore"):
            return np.asarray(_value(self._root, dict(zip(self.names, arrays, strict=True))))


@lru_cache(maxsize=1024)
def expression(text: str) -> Expression:
    """Return an expression, parsed once."""
    return Expression(text)


def _parsed(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise ValueError(f"has {len(text):,} characters; at most {LONGEST:,} can be")
    try:
        root = ast.parse(text.strip(), mode="eval").body
        nodes = list(ast.walk(root))
    except SyntaxError as error:
        raise ValueError(f"is no expression: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise ValueError("is no expression") from None
    if len(nodes) > MOST_NODES:
        raise ValueError(f"has {len(nodes):,} parts; at most {MOST_NODES} can be")
    _check(root)
    return root


def _check(node: ast.expr) -> None:
    if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) in OPERATORS:
        parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.operand]
        for part in parts:
            _check(part)
    elif isinstance(node, ast.Call):
        _check_call(node)
    elif isinstance(node, ast.Constant):
        number = node.value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError(f"{_text(node)} is no number")
        if abs(number) > 2**63:
            raise ValueError("has a number above 2**63")
    elif not isinstance(node, ast.Name):
        raise ValueError(
            f"{_text(node)} is not allowed: numbers, names, + - * / // % **, parentheses, and"
            f" {', '.join(FUNCTIONS)} are"
        )
    elif node.id in FUNCTIONS:
        raise ValueError(f"{node.id!r} is a function; write {node.id}(...)")


def _check_call(node: ast.Call) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in FUNCTIONS:
        raise ValueError(f"{_text(node.func)} is no function; functions: {', '.join(FUNCTIONS)}")
    _, fewest, most = FUNCTIONS[name]
    if node.keywords or not fewest <= len(node.args) <= most:
        often = "1 value" if most == 1 else f"{fewest} to {most} values"
        raise ValueError(f"{name}(...) takes {often}")
    for part in node.args:
        _check(part)


def _text(node: ast.expr) -> str:
    return repr(ast.unparse(node)[:40])


def _value(node: ast.expr, values: Mapping[str, Array]) -> Any:
    if isinstance(node, ast.Constant):
        return np.float64(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](_value(node.operand, values))
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_value(node.left, values), _value(node.right, values))
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    function, _, _ = FUNCTIONS[node.func.id]
    return function(*(_value(one, values) for one in node.args))
