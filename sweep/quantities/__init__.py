"""Every parameter and output: its name, unit, limits and labels."""
