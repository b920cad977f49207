"""SymPy symbols of the parameters, and formulas as text and LaTeX.

SymPy is the optional extra ``symbolic``; it is imported when a symbol is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sweep.errors import InputError
from sweep.quantities.variables import VARIABLES


def sympy_module() -> Any:
    """Return SymPy, or raise an `InputError` that says how to install it."""
    try:
        import sympy
    except ImportError:
        raise InputError("formulas need SymPy: pip install 'warpsweep[symbolic]'") from None
    return sympy


def symbol(name: str) -> Any:
    """Return the symbol of a parameter: a duration is nonnegative, a count a whole number.

    Examples
    --------
    >>> symbol("t_mma"), symbol("stages").is_positive
    (t_mma, True)
    """
    sympy = sympy_module()
    row = VARIABLES[name]
    if row.kind == "count":
        return sympy.Symbol(name, integer=True, positive=row.lower > 0, nonnegative=True)
    return sympy.Symbol(name, nonnegative=True)


def latex(formula: Any) -> str:
    r"""Write a formula of parameters as LaTeX.

    Examples
    --------
    >>> latex(symbol("t_mma_latency") / symbol("stages"))
    '\\frac{t_{\\mathrm{mma\\ latency}}}{\\mathrm{stages}}'
    """
    names = _latex_names(formula.free_symbols)
    return str(sympy_module().latex(formula, symbol_names=names))


def _latex_names(symbols: Iterable[Any]) -> dict[Any, str]:
    names = {}
    for one in symbols:
        letter, _, rest = one.name.partition("_")
        subscript = letter == "t"
        words = (rest if subscript else one.name).replace("_", r"\ ")
        names[one] = rf"t_{{\mathrm{{{words}}}}}" if subscript else rf"\mathrm{{{words}}}"
    return names
