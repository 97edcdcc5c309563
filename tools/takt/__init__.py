"""The command line tools of Takt."""

GARBAGE_AFTER = (
    100_000  # objects: most of what is read is no garbage, and looking for it takes time
)
