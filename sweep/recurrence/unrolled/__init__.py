"""A kernel written out for one description: loops, rings and turns of one CTA in program order."""
