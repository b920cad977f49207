"""What a tile reuses, and how many stages fit."""
