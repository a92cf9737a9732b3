//===- Reserved.h - Source registers that V reserves ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Private to simulator/tec. V 5.2 reserves encodings that read a register as
// elements of two widths; a mask has a width of one bit:
//
//   vadd.vv v8, v0, v4, v0.t         # v0 as a mask and as elements
//   vwadd.wv v8, v12, v13            # v13, if LMUL is 1
//
// Handlers check their destinations. That their sources are such a pair depends
// on LMUL, but few encodings are one under any: only those are checked.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_RESERVED_H
#define YARROW_SIMULATOR_TEC_RESERVED_H

#include "simulator/tec/Core.h"

namespace yarrow::sim::tec {

/// True if \p inst reads a register in two widths under a legal vtype with
/// elements of 2^sewLog2 bytes and groups of 2^lmulLog2 registers.
bool readsTwoWidths(const Inst &inst, int sewLog2, int lmulLog2);

/// If that is so under some vtype, makes \p inst, a vector instruction, check
/// vtype before it executes.
void checkSources(Inst &inst);

} // namespace yarrow::sim::tec

#endif // YARROW_SIMULATOR_TEC_RESERVED_H
