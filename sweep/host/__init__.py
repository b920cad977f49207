"""What the machine offers: files, memory, processors, a terminal's progress."""
