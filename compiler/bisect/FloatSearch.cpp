//===- FloatSearch.cpp - The first layer that loses too much --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/FloatSearch.h"

#include "dialects/compass/ChannelFactors.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/metrics/LoneLayers.h"
#include "support/diagnostics/Operators.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

std::optional<std::vector<IsolatedLoss>>
yarrow::layerLosses(const NetworkRun &floats, const Execution &floatRun,
                    const NetworkRun &integers, DiagnosticEngine &diags) {
  compass::DiagnosticForwarder forward(integers.module()->getContext(), diags,
                                       diag::OpInvalid);
  auto layers = LoneLayers::create(integers.module());
  if (!layers)
    return std::nullopt;
  // Values of the integer network that the float one has too.
  llvm::DenseMap<mlir::Value, std::vector<float>> signals;
  llvm::DenseMap<mlir::Value, const NetworkTensor *> tensorOf;
  TensorsByValue constants;
  for (const NetworkTensor &t : integers.tensors()) {
    tensorOf[t.value] = &t;
    const NetworkTensor *other = floats.find(t.name);
    const LayerResult *values = floatRun.find(t.name);
    if (other && values && values->bytes &&
        other->info.numElements() == t.info.numElements()) {
      FloatValues real(other->value, *values->bytes);
      signals[t.value].assign(real.get().begin(), real.get().end());
      compass::toChannelsOf(t.value, signals[t.value]);
    }
  }
  std::vector<IsolatedLoss> losses;
  auto signalOf = [&](mlir::Value v) -> std::span<const float> {
    auto it = signals.find(v);
    return it == signals.end() ? std::span<const float>() : it->second;
  };
  layers->compute(
      signalOf, constants,
      [&](mlir::Operation *op, llvm::ArrayRef<compass::TensorBytes> operands,
          llvm::ArrayRef<compass::TensorBytes> results) {
        for (auto [value, bytes] : llvm::zip(op->getResults(), results)) {
          std::span<const float> signal = signalOf(value);
          const NetworkTensor *tensor = tensorOf.lookup(value);
          if (signal.empty() || !tensor)
            continue;
          Similarity similarity;
          FloatValues real(value, bytes);
          similarity.add(signal, real.get());
          IsolatedLoss loss{
              resultOf(*tensor, bytes),
              resultOf(*tensor, storedValues(tensor->info, signal)),
              similarity,
              {}};
          for (auto [operand, stored] : llvm::zip(op->getOperands(), operands))
            if (const NetworkTensor *input = tensorOf.lookup(operand))
              loss.inputs.push_back({input->name, stored});
          losses.push_back(std::move(loss));
        }
      });
  return losses;
}

double yarrow::medianDb(const std::vector<IsolatedLoss> &losses) {
  std::vector<double> ratios;
  for (const IsolatedLoss &loss : losses)
    ratios.push_back(loss.similarity.sqnrDb());
  if (ratios.empty())
    return INFINITY;
  auto middle = ratios.begin() + ptrdiff_t(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

std::optional<std::size_t>
yarrow::firstLossy(const std::vector<IsolatedLoss> &losses,
                   const LossLimits &limits) {
  double median = medianDb(losses);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    double ratio = losses[i].similarity.sqnrDb();
    // A result that is zero in both has no signal and no noise.
    bool isFar = ratio < limits.goodDb && ratio < median - limits.mostDropDb;
    if ((isFar || ratio < limits.leastDb) &&
        losses[i].found.bytes != losses[i].expected.bytes)
      return i;
  }
  return std::nullopt;
}
