//===- FeatureMaps.h - The buffers an executable asks for -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Note "fmlist": sections of device memory and where their addresses go in the
// parameter block. Static sections are filled from the weights; reuse sections
// hold the workspace, inputs and outputs. There are two lists if the weights
// are in a file of their own: those of the second list.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_FEATUREMAPS_H
#define YARROW_RUNTIME_FEATUREMAPS_H

#include "isa/ElfLayout.h"
#include "runtime/ElfFile.h"

namespace yarrow::runtime {

struct MemorySubSection {
  isa::SubSection fields{};
  std::vector<uint32_t> patchOffsets; ///< In note "rodata", then "desc".
};

struct MemorySection {
  bool isStatic = false;
  uint32_t list = 0;
  uint32_t sourceOffset = 0; ///< Static: in note "weight".
  uint32_t sizeBytes = 0, alignBytes = 1;
  std::vector<MemorySubSection> parts;
};

struct FeatureMaps {
  uint32_t stackBytes = 0, stackAlign = 1;
  uint32_t numLists = 1;
  std::vector<MemorySection> sections; ///< Of each list the static ones first.
};

/// \p patchableBytes and \p weightBytes bound what the list refers to.
std::optional<FeatureMaps> parseFeatureMaps(std::string_view note,
                                            uint64_t patchableBytes,
                                            uint64_t weightBytes,
                                            const std::string &fileName,
                                            DiagnosticEngine &diags);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_FEATUREMAPS_H
