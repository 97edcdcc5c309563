"""CAN frames, and USB adapters for them."""
