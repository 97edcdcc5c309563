"""Where calls through pointers go."""
