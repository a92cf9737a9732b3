//===- LoneLayers.h - Layers that compute the float network's inputs ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a layer of an integer network loses by itself shows where it computes
// the float network's tensors, stored as it wants them, and not what the layers
// before have left. Its result then differs from the float network's by its own
// error alone, and by the rounding of its inputs.
//
//   auto layers = LoneLayers::create(intModule);
//   layers->compute(signalOf, constants,
//                   [&](mlir::Operation *op, auto operands, auto results) {
//                     ...
//                   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_LONELAYERS_H
#define YARROW_QUANTIZER_METRICS_LONELAYERS_H

#include "dialects/compass/network/Evaluator.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <span>
#include <vector>

namespace yarrow {

using TensorsByValue = llvm::DenseMap<mlir::Value, compass::TensorBytes>;

class LoneLayers {
public:
  /// The float network's tensor for one of the integer network; empty if there
  /// is none of as many elements: a layer that clean-up changed has another
  /// shape, or no counterpart.
  using SignalOf = llvm::function_ref<std::span<const float>(mlir::Value)>;
  using Visit = llvm::function_ref<void(
      mlir::Operation *op, llvm::ArrayRef<compass::TensorBytes> operands,
      llvm::ArrayRef<compass::TensorBytes> results)>;

  /// The layers of @main, but those that call sub-graphs and those without
  /// inputs. Nullopt, with an error on the layer, if nothing computes one.
  static std::optional<LoneLayers> create(mlir::ModuleOp intModule);

  /// Computes every layer whose operands are known, in their order: tensors of
  /// the float network; \p constants; and of layers that quantization added,
  /// what they have computed. May be called from several threads.
  void compute(SignalOf signalOf, const TensorsByValue &constants,
               Visit visit) const;

private:
  struct Layer {
    mlir::Operation *op;
    compass::BoundProgram program;
  };
  std::vector<Layer> layers;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_LONELAYERS_H
