/*
 * Names that headers of glibc since 2.38 give functions which read binary numbers as C23 has them.
 * musl's are called in their place.
 */
    .macro alias name
    .section .text.__isoc23_\name, "ax", @progbits
    .global __isoc23_\name
    .type __isoc23_\name, @function
__isoc23_\name:
    jmp     \name
    .endm

    .irp name, strtol, strtoul, strtoll, strtoull, strtoimax, strtoumax, sscanf, vsscanf, fscanf, \
        vfscanf, scanf, vscanf
    alias   \name
    .endr

    .section .note.GNU-stack, "", @progbits
