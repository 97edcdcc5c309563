"""Parts that do something."""
