"""What surrounds a board in a run."""
