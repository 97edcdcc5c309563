"""What a run showed, from its trace and from what the machine saw."""
