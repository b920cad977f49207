"""The claims that ``warpsweep verify`` tests, generated from the formulas and the schedules."""
