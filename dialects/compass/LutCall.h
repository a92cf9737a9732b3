//===- LutCall.h - A look-up as a step of a program -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   KernelCall &call = callLut(program, describe(op->getOperand(0)),
//                              constant(*op.getLut()));
//   call["input"] = operand(0), call["output"] = result(0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LUTCALL_H
#define YARROW_DIALECTS_COMPASS_LUTCALL_H

#include "dialects/compass/LayerProgram.h"

namespace yarrow::compass {

/// yk_lut of all elements of \p in; input and output are to be bound. The table
/// has a power of two of entries, the first one of the value \p first, or of
/// the least one of the input's type.
KernelCall &callLut(LayerProgram &program, const TensorInfo &in,
                    const BufferBinding &table,
                    std::optional<int64_t> first = std::nullopt);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LUTCALL_H
