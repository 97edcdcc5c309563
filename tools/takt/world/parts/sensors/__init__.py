"""Parts that measure."""
