"""From a sketch to an image."""
