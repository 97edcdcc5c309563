"""Displays and lights: controllers as data sheets have them, parts that wire them, pictures."""
