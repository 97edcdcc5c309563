"""takt lab: measurements beside what papers report."""
