"""What a tile takes of registers, shared memory and warps."""
