"""Any description, stepped through tables: one compiled engine for loops, rings, turns, copies."""
