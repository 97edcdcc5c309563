"""The command line tools of Takt."""

GARBAGE_AFTER = 100_000  # objects: most that we make are kept, and looking for garbage takes time
