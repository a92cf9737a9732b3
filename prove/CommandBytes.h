//===- CommandBytes.h - What a command reads and writes ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Written from docs/isa.md, field by field. It does not use the extents of
// isa/Descriptors.td, by which the compiler schedules: an error in them would
// go unnoticed.
//
//   std::vector<ByteAccess> accesses = bytesOf(descriptor);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_COMMANDBYTES_H
#define YARROW_PROVE_COMMANDBYTES_H

#include "isa/Descriptors.h"
#include "prove/ByteSet.h"
#include <string_view>
#include <vector>

namespace yarrow::prove {

struct ByteAccess {
  ByteSet bytes; ///< In normal form.
  bool isWrite = false;
  std::string_view what; ///< The field, as messages call it.
};

/// Reads first. A command reads all before it writes where both overlap.
std::vector<ByteAccess> bytesOf(const isa::AnyDescriptor &descriptor);

} // namespace yarrow::prove

#endif // YARROW_PROVE_COMMANDBYTES_H
