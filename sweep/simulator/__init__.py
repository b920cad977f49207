"""The second account: agents, FIFO resources and barriers, event by event."""
