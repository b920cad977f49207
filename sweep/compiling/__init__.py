"""How numba compiles here, in one place."""
