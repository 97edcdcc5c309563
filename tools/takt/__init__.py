"""The command line tools of Takt."""
