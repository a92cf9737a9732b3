//===- JointForward.h - Two forms of a network, layer by layer --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs a float network and its integer form side by side on some samples, one
// layer after the other over all samples, and stops before each layer: there
// its operands in both networks are known, and the integer layer can still be
// changed. Later layers see the changed layer.
//
//   JointForward forward;
//   if (!forward.create(floatModule, intModule, arrays, 256, diags)) ...
//   forward.run([&](const JointLayer &layer) {
//     FloatValues x = layer.intOperand(sample, 0);
//   });
//
// It holds the live tensors of all samples: their number is chosen so that
// these take no more than kMostBytes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_JOINTFORWARD_H
#define YARROW_QUANTIZER_ROUNDING_JOINTFORWARD_H

#include "dialects/compass/BoundProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/rounding/LayerPairs.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace yarrow {

class JointForward;

/// A layer that is about to be computed, in both networks.
class JointLayer {
public:
  mlir::Operation *const floatOp, *const intOp;
  const std::size_t numSamples;

  /// Operand \p index as real numbers, until the layer is computed. May be
  /// called from several threads.
  FloatValues floatOperand(std::size_t sample, unsigned index) const;
  FloatValues intOperand(std::size_t sample, unsigned index) const;

private:
  friend JointForward;
  JointLayer(mlir::Operation *floatOp, mlir::Operation *intOp,
             const JointForward &forward);
  const JointForward &forward;
};

class JointForward {
public:
  /// Of live tensors.
  static constexpr uint64_t kMostBytes = uint64_t(96) << 20;

  JointForward();
  ~JointForward();

  /// Takes up to \p maxSamples samples that are spread over \p arrays. The
  /// modules are those before and after quantization and outlive this. False
  /// after errors, and without one if the network calls sub-graphs.
  bool create(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
              const std::vector<NpyView> &arrays, std::size_t maxSamples,
              DiagnosticEngine &diags);
  std::size_t numLayers() const { return layers.size(); }
  /// In the integer network's order.
  std::span<const LayerPair> pairs() const { return layers; }
  std::size_t numSamples() const { return count; }

  /// Once. False after errors.
  bool run(const std::function<void(const JointLayer &)> &atLayer,
           DiagnosticEngine &diags);

  /// Behind run(): the outputs of the integer network as it has become, for a
  /// sample of the arrays; none if it is not one of those that were taken. May
  /// be called from several threads.
  std::vector<std::vector<float>> intOutputs(std::size_t sample) const;

private:
  friend JointLayer;
  struct Network;
  uint64_t bytesOfSample() const;

  std::unique_ptr<Network> floats, integers;
  std::vector<LayerPair> layers;
  std::size_t count = 0;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_JOINTFORWARD_H
