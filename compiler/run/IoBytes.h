//===- IoBytes.h - Inputs or outputs of a run in memory ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_IOBYTES_H
#define YARROW_COMPILER_RUN_IOBYTES_H

#include <vector>

namespace yarrow {

/// Bytes of each input or output, in the executable's order.
using IoBytes = std::vector<std::vector<char>>;

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_IOBYTES_H
