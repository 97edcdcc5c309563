"""Whether a linked program keeps its promises, by the kernel's own C where that judges."""
