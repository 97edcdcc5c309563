"""A run as pictures, pages and files that other programs open."""
