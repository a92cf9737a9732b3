//===- ResizePlan.h - How the engines make a resized image ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A resize has several forms (ResizeBand.h, ResizeProducts.h). The fastest form
// is chosen by the cost model of the simulator, or none if the TECs are faster.
//
//   auto plan = planResize(layer, {.isInputInSram = true}, freeBytes, machine);
//   for (const ResizePlan::Band &band : plan->bands) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_RESIZEPLAN_H
#define YARROW_PASSES_LOWER_CHOOSE_RESIZEPLAN_H

#include "isa/Machine.h"
#include "passes/lower/describe/ResizeProducts.h"

namespace yarrow::npu {

struct ResizePlan {
  /// Rows that are made at once: by convolutions or by products.
  struct Band {
    RowBand rows, input;
    std::vector<isa::Conv> commands;
    std::vector<ResizeRow> products;
    std::vector<char> constants; ///< Of this band alone.
  };
  std::vector<Band> bands;     ///< Of one image.
  std::vector<char> constants; ///< Of all bands.
  uint64_t cycles = 0;         ///< Of all queues, one after the other.
};

struct ResizeResidents {
  bool isInputInSram = false, isOutputInSram = false;
};

std::optional<ResizePlan> planResize(const ResizeLayer &layer,
                                     const ResizeResidents &resident,
                                     uint64_t freeBytes,
                                     const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_RESIZEPLAN_H
