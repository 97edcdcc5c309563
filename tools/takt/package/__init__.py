"""What other tools build with: packages of Takt for Arduino's and PlatformIO."""
