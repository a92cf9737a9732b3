# A program writes to both streams, asks for the time and ends with a status.

# RUN: %tec_cc %s -o %t.elf
# RUN: not yarrow tec %t.elf one two > %t.out 2> %t.err
# RUN: FileCheck %s --check-prefix=OUT < %t.out
# RUN: FileCheck %s --check-prefix=ERR < %t.err
# OUT: {{^}}to stdout
# ERR: {{^}}to stderr

# The status is 42 if argc is 3, an unknown stream gives -EBADF, a bad buffer
# -EFAULT, and the clocks have not reached a second.
# RUN: sh -c 'yarrow tec %t.elf one two; echo status $?' 2>&1 | FileCheck %s --check-prefix=STATUS
# STATUS: status 42

  .globl _start
_start:
  lw s0, 0(sp)
  li a0, 1
  la a1, first
  li a2, 10
  li a7, 64
  ecall
  li t0, 10
  bne a0, t0, fail
  li a0, 2
  la a1, second
  li a2, 10
  ecall
  li a0, 3
  ecall
  li t0, -9
  bne a0, t0, fail
  li a0, 1
  li a1, 0xd0000000
  ecall
  li t0, -14
  bne a0, t0, fail
  addi sp, sp, -16
  li a0, 1
  mv a1, sp
  li a7, 403
  ecall
  bnez a0, fail
  lw t0, 0(sp)
  lw t1, 8(sp)
  lw t2, 12(sp)
  or t0, t0, t2
  bnez t0, fail
  beqz t1, fail
  li a0, 1
  mv a1, sp
  li a7, 113
  ecall
  lw t0, 0(sp)
  lw t2, 4(sp)
  bnez t0, fail
  bleu t2, t1, fail
  li t0, 3
  bne s0, t0, fail
  li a0, 42
  li a7, 93
  ecall
fail:
  li a0, 1
  li a7, 94
  ecall

  .section .rodata
first: .ascii "to stdout\n"
second: .ascii "to stderr\n"
