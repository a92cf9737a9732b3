//===- Dma.h - What a DMA channel copies ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Executes `copy` descriptors on the memory of the device. A region is where
// npu.setbase put it; region 0 is the SRAM.
//
//   if (Fault fault = executeCopy(copy, regions, memory))
//     ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_DMA_H
#define YARROW_SIMULATOR_ENGINE_DMA_H

#include "isa/Descriptors.h"
#include "simulator/Memory.h"
#include "simulator/engine/Effort.h"
#include "simulator/engine/Fault.h"
#include "simulator/engine/SramLoads.h"
#include <array>
#include <optional>
#include <vector>

namespace yarrow::sim {

/// Addresses [begin, end) of DDR that nothing may write.
struct ReadOnlyRange {
  uint64_t begin, end;
  const char *name;
};

/// Base addresses set so far.
struct Regions {
  std::array<std::optional<uint32_t>, isa::kMaxRegions> base;
  /// A program's text, constants, descriptors and parameters.
  std::vector<ReadOnlyRange> readOnly;
  /// Its constants alone; empty if there are none.
  ReadOnlyRange constants{};
  Regions() { base[isa::kSramRegion] = isa::kSramBaseAddress; }
};

/// One side of a copy: axis 0 is the innermost.
struct CopySide {
  bool isSram = false;
  std::array<int64_t, 5> strides{}; ///< Bytes.
};
CopySide sourceSide(const isa::Copy &copy);
CopySide destinationSide(const isa::Copy &copy);
std::array<uint32_t, 5> copySizes(const isa::Copy &copy);

/// Null for \p budget does not limit its work; null for \p loads: every copy is
/// made at once.
Fault executeCopy(const isa::Copy &copy, const Regions &regions, Memory &memory,
                  Budget *budget = nullptr, SramLoads *loads = nullptr);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_DMA_H
