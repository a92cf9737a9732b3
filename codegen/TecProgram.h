//===- TecProgram.h - The program of the vector cores -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Turns a list of kernel calls into the position-independent RISC-V program
// that all TECs of a core run. TEC 0 sets the engines' regions and starts the
// queues; then every TEC executes the steps: wait for the counters, do its
// share of the kernel, signal. Steps run on the TECs only, so a step that needs
// what an earlier step wrote waits for the TECs as well.
//
//   TecProgramInput input;
//   input.regionCount = 5; // SRAM, constants, workspace, one input, one output
//   input.steps.push_back({.symbol = "yk_lut",
//                          .params = bytesOf(lutParams),
//                          .buffers = {{3, 0}, {1, tableOffset}, {4, 0}}});
//   TecItem block{.numSteps = 1};
//   // One signal per TEC.
//   block.finalWaits[unsigned(isa::Unit::Tec)] = input.tecs;
//   input.groups = {{.programs = {{block}}}};
//   std::optional<TecProgram> program = buildTecProgram(input, diags);
//
// Kernels either come as machine code from the operator library (optimize =
// false: a link of a few milliseconds), or are specialized on their parameters
// (optimize = true: about 20 ms of LLVM for each different kernel and
// parameters). Results are the same to the last bit. Same input, same bytes;
// several threads may build programs at once.
//
// lld, which runs inside, resets every llvm::cl::opt of the process to its
// default: copy such options before you call this.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECPROGRAM_H
#define YARROW_CODEGEN_TECPROGRAM_H

#include "codegen/TecProgramInput.h"
#include "support/Diagnostics.h"
#include <optional>

namespace yarrow {

struct TecProgram {
  /// The contents of .text: 64 bytes of header, then the entry.
  std::vector<char> text;
  /// The same program as an EM_RISCV executable with symbols, for tools.
  std::vector<char> elf;
  /// Where the code of each step lies in `text`, in bytes.
  struct Range {
    uint32_t begin = 0, end = 0;
  };
  std::vector<Range> stepRanges;
};

std::optional<TecProgram> buildTecProgram(const TecProgramInput &input,
                                          DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_CODEGEN_TECPROGRAM_H
