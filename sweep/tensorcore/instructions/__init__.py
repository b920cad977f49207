"""What one instruction holds per lane, and computes."""
