"""Machine code of ARM: Thumb."""
