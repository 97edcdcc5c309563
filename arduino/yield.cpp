/*
 * yield(): other loops run by themselves, so there is nothing to give up. A library may bring its
 * own, which then replaces this file.
 */
void yield();

void yield() {}
