"""One file per schedule; a file here that defines ``SCHEDULE`` is found without any list."""
