"""Little's law and the memory path: what bandwidth a schedule can have."""
