"""Examples of support/diagnostics/Simulator.def."""
from explain.kinds import TEC_COMPILER, file, shell, tec

LONG = """.globl _start
_start:
  li t0, 10000
loop:
  addi t0, t0, -1
  bnez t0, loop
  li a0, 0
  li a7, 93
  ecall
"""

EXIT = """
li a0, 0
li a7, 93
ecall
.bss
buffer: .space 4
"""

# The instructions for the engines (docs/isa.md), which no assembler knows; in the place of a network's
# program, whose checksums are written again.
ENGINES = """.option norelax
.macro npu.submit queue, first, size
  .insn r 0x0b, 0, \\queue, x0, \\first, \\size
.endm
.macro npu.wait counter, count
  .insn r 0x0b, 2, \\counter, x0, \\count, x0
.endm
.macro npu.signal
  .insn r 0x0b, 3, 0, x0, x0, x0
.endm
.macro npu.end
  .insn r 0x0b, 4, 0, x0, x0, x0
.endm
.set load, 1
.set tec, 3
"""


def npu(template):
    return file("code.S", "sh $LIT/diagnostics/Inputs/hostile.sh aipu.bin code.S own.bin && "
                "yarrow run own.bin -i x.npy", ENGINES + template)


EXAMPLES = {
    "E0801": tec(),
    "E0802": tec(),
    "E0803": shell(f"{TEC_COMPILER} a.S -o long.elf", also={"a.S": LONG}),
    "E0804": tec(template="{}" + EXIT),
    "E0805": npu("npu.signal\n{}\nnpu.end\n"),
    "E0806": npu("{}\nnpu.end\n"),
}
