"""Virtual boards: one interface for our platform, libsimavr, QEMU and the host."""
