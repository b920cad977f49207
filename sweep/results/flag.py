"""A code of an output that prints as its meaning."""

from __future__ import annotations

from sweep.quantities.variables import VARIABLES


class Flag(int):
    """A CF flag: the integer that a Dataset holds, which prints as and equals its meaning.

    It hashes as the integer: look words up in a mapping by ``flag.meaning``.

    Examples
    --------
    >>> flag = Flag(2, "bottleneck")
    >>> flag == 2, flag == "tensor_core", str(flag)
    (True, True, 'tensor_core')
    """

    meaning: str
    _variable: str

    def __new__(cls, value: int, variable: str) -> Flag:
        """Take a flag of a variable by its integer."""
        flag = super().__new__(cls, value)
        flag.meaning = VARIABLES[variable].flag_meanings[value]
        flag._variable = variable
        return flag

    def __str__(self) -> str:
        return self.meaning

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self.meaning, spec)

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        return int(self), self._variable

    def __eq__(self, other: object) -> bool:
        return self.meaning == other if isinstance(other, str) else int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__
