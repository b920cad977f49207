"""Which instruction multiplies on a GPU, by its compute capability and the type of the elements."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sweep.errors import Impossible
from sweep.hardware.gpu import GPU
from sweep.hardware.instructions import has_tcgen05, has_wgmma
from sweep.tensorcore.instructions.instruction_shapes import WGMMA_TYPES

INSTRUCTIONS = ("mma", "wgmma", "tcgen05")
MMA_SINCE: Mapping[str, float] = MappingProxyType(
    {"fp16": 7.0, "int8": 7.5, "bf16": 8.0, "tf32": 8.0, "fp8": 8.9, "fp4": 12.0}
)
"""The first compute capability whose mma.sync multiplies a type.

Source: PTX ISA 9.2, section 9.7.14.5.14, target ISA notes of ``mma``; fp4 on 10.x and 11.x is
tcgen05 alone.
"""
_WHERE: Mapping[str, str] = MappingProxyType(
    {
        "mma": f"mma exists from compute capability {MMA_SINCE['fp16']:.1f} on",
        "wgmma": "wgmma exists on compute capability 9.0 alone",
        "tcgen05": "exists on compute capability 10.x and 11.x",
    }
)


def has_instruction(gpu: GPU, instruction: str, element_type: str = "fp16") -> bool | None:
    """Whether a GPU has an instruction of an element type; None where that is not known.

    Examples
    --------
    >>> from sweep.hardware.gpu import GPUS
    >>> [has_instruction(GPUS[name], "wgmma") for name in ("a100_sxm", "h100_sxm", "b200")]
    [False, True, False]
    >>> has_instruction(GPUS["b200"], "mma", "fp8"), has_instruction(GPUS["b200"], "mma", "fp4")
    (True, False)
    """
    capability = gpu.compute_capability
    if capability is None:
        return None
    if instruction == "mma":
        return capability >= MMA_SINCE[element_type]
    if instruction == "wgmma":
        return bool(has_wgmma(capability)) and any(
            element_type in kinds for kinds in WGMMA_TYPES.values()
        )
    return bool(has_tcgen05(capability))


def check_instruction(gpu: GPU, operands: str, instruction: str | None) -> None:
    """Refuse an instruction that a GPU does not have, or that is not modelled.

    Parameters
    ----------
    gpu : GPU
    operands : {"ss", "rs"}
        Whether A is in shared memory or, as only wgmma takes it, in either.
    instruction : {"mma", "wgmma", "tcgen05"} or None
        None is what the GPU computes with: tcgen05 where it has that, wgmma for A in registers.

    Raises
    ------
    Impossible
        With what the GPU lacks.
    """
    if instruction == "mma" and operands == "rs":
        raise Impossible(
            "operands='rs': only wgmma takes A from registers or from shared memory; mma takes both"
            " operands from registers, loaded from shared memory"
        )
    asked = f"operands={operands!r}" if instruction is None else f"instruction={instruction!r}"
    needed = instruction or ("wgmma" if operands == "rs" else "mma")
    if has_instruction(gpu, needed) is False:
        raise Impossible(f"{asked}: {_WHERE[needed]}, {_name(gpu)}")
    if instruction == "tcgen05" or (instruction is None and has_instruction(gpu, "tcgen05")):
        raise Impossible(
            f"instruction='tcgen05': not modelled yet, and {_name(gpu)} computes with it; give"
            " instruction='mma' for mma.sync"
        )


def check_element_type_of(gpu: GPU, instruction: str, element_type: str) -> None:
    """Refuse an element type that an instruction of a GPU does not multiply.

    Raises
    ------
    Impossible
        With where it does.
    """
    if has_instruction(gpu, instruction, element_type) is False:
        where = "has no such type"
        if instruction == "mma":
            since = MMA_SINCE[element_type]
            where = f"multiplies it from compute capability {since:.1f} on, {_name(gpu)}"
        raise Impossible(f"element_type={element_type!r}: {instruction} {where}")


def _name(gpu: GPU) -> str:
    capability = gpu.compute_capability
    return f"gpu={gpu.name!r}" + ("" if capability is None else f" (of {capability:.1f})")
