"""What a linked program is made of: read from its file and its machine code."""
