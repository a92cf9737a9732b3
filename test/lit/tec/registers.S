# All registers at the end, one a line.

# RUN: %tec_cc %s -o %t.elf
# RUN: yarrow tec %t.elf --dump-registers | FileCheck %s
# RUN: yarrow tec %t.elf --dump-registers=%t.txt
# RUN: yarrow tec %t.elf --portable --dump-registers | cmp - %t.txt

# CHECK:      {{^}}x0 0x00000000
# CHECK:      {{^}}x5 0x00000004
# CHECK:      {{^}}f10 0xffffffff40800000
# CHECK:      {{^}}f31 0x
# CHECK-NEXT: {{^}}v0 0x{{0+$}}
# CHECK-NEXT: {{^}}v1 0x{{0+}}000003000000030000000300000003{{$}}
# CHECK:      {{^}}v31 0x
# CHECK-NEXT: {{^}}fcsr 0x00000040
# CHECK-NEXT: {{^}}vl 0x00000004
# CHECK-NEXT: {{^}}vtype 0x000000d0
# CHECK-NEXT: {{^}}vstart 0x00000000
# CHECK-NEXT: {{^}}vcsr 0x00000000

  .globl _start
_start:
  vsetivli t0, 4, e32, m1, ta, ma
  vmv.v.i v1, 3
  fcvt.s.w fa0, t0
  fsrmi 2
  li a0, 0
  li a7, 93
  ecall
