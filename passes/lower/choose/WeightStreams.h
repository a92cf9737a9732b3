//===- WeightStreams.h - Weights as the DMA engine decodes them -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Weights in the code of isa/WeightStream.h, where the bus carries them in less
// time. Each set of weights is encoded once, however often a network is lowered
// with it.
//
//   WeightStreams streams(machine);
//   if (ArrayRef<char> stream = streams.of(bytes, cuts); !stream.empty()) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_WEIGHTSTREAMS_H
#define YARROW_PASSES_LOWER_CHOOSE_WEIGHTSTREAMS_H

#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <vector>

namespace yarrow::npu {

/// \p copy, of bytes in a row, from a stream.
isa::Copy streamedCopy(isa::Copy copy, uint64_t streamBytes);

class WeightStreams {
public:
  explicit WeightStreams(const isa::Machine &machine) : machine(machine) {}

  /// Empty if the machine decodes none, or none that spares the bus anything.
  /// What \p bytes hold changes at \p cuts.
  llvm::ArrayRef<char> of(llvm::ArrayRef<char> bytes,
                          llvm::ArrayRef<uint64_t> cuts);

private:
  isa::Machine machine;
  /// By the digest of the bytes, of 128 bits.
  std::map<std::pair<uint64_t, uint64_t>, std::vector<char>> streams;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_WEIGHTSTREAMS_H
