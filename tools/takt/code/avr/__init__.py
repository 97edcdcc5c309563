"""Machine code of AVR."""
