/* Stacks in bytes, made by the build. */
.section .takt.stacks.takt_stack_handlers, "aw", %nobits
.balign 1
.global takt_stack_handlers, takt_stack_handlers_end
takt_stack_handlers:
.space 64
takt_stack_handlers_end:
.section .takt.stacks.takt_stack_interrupts, "aw", %nobits
.balign 1
.global takt_stack_interrupts, takt_stack_interrupts_end
takt_stack_interrupts:
.space 64
takt_stack_interrupts_end:
.section .takt.stacks.takt_stack_isr, "aw", %nobits
.balign 1
.global takt_stack_isr, takt_stack_isr_end
takt_stack_isr:
.space 166
takt_stack_isr_end:
.section .takt.stacks.takt_stack_loop, "aw", %nobits
.balign 1
.global takt_stack_loop, takt_stack_loop_end
takt_stack_loop:
.space 64
takt_stack_loop_end:
.section .takt.stacks.takt_stack_loop_1, "aw", %nobits
.balign 1
.global takt_stack_loop_1, takt_stack_loop_1_end
takt_stack_loop_1:
.space 104
takt_stack_loop_1_end:
.section .takt.stacks.takt_stack_loop_2, "aw", %nobits
.balign 1
.global takt_stack_loop_2, takt_stack_loop_2_end
takt_stack_loop_2:
.space 61
takt_stack_loop_2_end:
.section .takt.stacks.takt_stack_tasks, "aw", %nobits
.balign 1
.global takt_stack_tasks, takt_stack_tasks_end
takt_stack_tasks:
.space 133
takt_stack_tasks_end:
.section .takt.stacks.takt_stack_tone, "aw", %nobits
.balign 1
.global takt_stack_tone, takt_stack_tone_end
takt_stack_tone:
.space 64
takt_stack_tone_end:
