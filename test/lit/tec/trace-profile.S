# What a program did, instruction by instruction, and where its cycles went.

# RUN: %tec_cc %s -o %t.elf
# RUN: yarrow tec %t.elf --trace=%t.txt --profile 2>&1 | FileCheck %s --check-prefix=PROFILE
# RUN: FileCheck %s --check-prefix=TRACE < %t.txt

# A set-up, three instructions that run twice, and a return.
# PROFILE: 12 instructions, {{[0-9]+}} cycles
# PROFILE: {{^}}function {{ *}}instructions {{ *}}cycles {{ *}}share {{ *}}stalls: memory {{ *}}wait {{ *}}result
# PROFILE-DAG: {{^}}work {{ *}}8
# PROFILE-DAG: {{^}}_start {{ *}}4
# PROFILE: {{^}}total {{ *}}12

# TRACE:      {{^}}_start:
# TRACE-NEXT: {{^[0-9a-f]+ [0-9a-f]+}} jal {{.*}} ra=0x
# TRACE-NEXT: {{^}}work:
# TRACE-NEXT: addi t2, zero, 0x2 t2=0x00000002
# TRACE-NEXT: mul t3, t2, t2 t3=0x00000004
# TRACE-NEXT: addi t2, t2, -0x1 t2=0x00000001
# TRACE-NEXT: bne t2, zero, 0x

  .globl _start
  .type _start, @function
_start:
  jal work
  li a0, 0
  li a7, 93
  ecall
  .size _start, .-_start

  .type work, @function
work:
  li t2, 2
1:
  mul t3, t2, t2
  addi t2, t2, -1
  bnez t2, 1b
  ret
  .size work, .-work
