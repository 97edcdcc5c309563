"""An Ethernet chip, and the network it is on."""
