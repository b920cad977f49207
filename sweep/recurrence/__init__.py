"""From a schedule's list of events to its batch kernel: planned, written, compiled, kept."""
