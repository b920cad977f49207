"""How many stages a ring needs, and the design space they span."""
