"""Examples of support/diagnostics/Executables.def."""
from explain.kinds import shell

PROGRAM = """.globl _start
_start:
  li a0, 0
  li a7, 93
  ecall
"""

EXAMPLES = {
    "E0702": shell("mkdir vendor && "
                   "llvm-objcopy --remove-section=.yarrow.provenance aipu.bin vendor/aipu.bin"),
    "E0703": shell(also={"a.S": PROGRAM}),
}
