"""Parts that hands press and turn."""
