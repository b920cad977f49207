"""A schedule's steady period as a formula, from its circuits."""
