"""What compiler and linker say, as one message about the sketch."""
