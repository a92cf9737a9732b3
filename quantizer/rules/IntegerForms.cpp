//===- IntegerForms.cpp - Layers that integers do not have ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/IntegerForms.h"

#include "dialects/compass/Records.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/norm/NormOps.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "dialects/compass/statistics/StatisticsOps.h"

using namespace yarrow::compass;

namespace yarrow {

std::string lacksIntegerForm(const LayerContext &layer) {
  mlir::Operation *op = layer.op;
  if (auto resize = llvm::dyn_cast<ResizeOp>(op); resize && hasOwnRatio(resize))
    return "integers resize by the ratio of the lengths, but the layer has "
           "another ratio";
  const OperatorRecord &record = *recordOf(op);
  if (record.rule == RuleClass::LayerNormRule && op->getNumResults() > 1)
    return "the mean and the deviation of " + record.layerType.str() +
           " have no integer form";
  // Integers divide by the whole window at the border, too
  // (docs/operators/norm.md, LRN), floats by its cells within the image.
  if (llvm::isa<LRNOp>(op) && layer.word(keys::method) == "WITHIN_CHANNEL" &&
      layer.number(keys::size).value_or(1) > 1)
    return "windows of WITHIN_CHANNEL have fewer cells at the border, but "
           "integers count them in full";
  if (llvm::isa<SegmentReduceOp>(op) &&
      layer.word(keys::method, "SUM") == "PROD")
    return "the product of a segment has no integer form";
  if (llvm::isa<EmbeddingLookupSparseOp>(op) &&
      layer.word(keys::max_norm, "NONE") != "NONE")
    return "rows that are limited in length have no integer form";
  return "";
}

} // namespace yarrow
