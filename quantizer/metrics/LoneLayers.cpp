//===- LoneLayers.cpp - Layers that compute the float network's inputs ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/LoneLayers.h"

#include "dialects/compass/Records.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/calibrate/TensorValues.h"

using namespace yarrow;
using namespace yarrow::compass;

std::optional<LoneLayers> LoneLayers::create(mlir::ModuleOp intModule) {
  LoneLayers lone;
  bool ok = true;
  for (mlir::Operation &op :
       mainGraph(intModule).getBody().front().without_terminator()) {
    if (!recordOf(&op) || op.getNumOperands() == 0)
      continue;
    auto program = BoundProgram::create(&op);
    ok &= mlir::succeeded(program);
    if (mlir::succeeded(program) && program->getProgram().graphs().empty())
      lone.layers.push_back({&op, std::move(*program)});
  }
  if (!ok)
    return std::nullopt;
  return lone;
}

/// Operands as the layer stores them. False if one is not known.
static bool collectOperands(mlir::Operation *op, LoneLayers::SignalOf signalOf,
                            const TensorsByValue &constants,
                            const TensorsByValue &computed,
                            std::vector<TensorBytes> &operands) {
  for (mlir::Value operand : op->getOperands()) {
    std::span<const float> signal = signalOf(operand);
    if (auto it = constants.find(operand); it != constants.end())
      operands.push_back(it->second);
    else if (!signal.empty())
      operands.push_back(storedValues(describe(operand), signal));
    else if (auto made = computed.find(operand); made != computed.end())
      operands.push_back(made->second);
    else
      return false;
  }
  return true;
}

void LoneLayers::compute(SignalOf signalOf, const TensorsByValue &constants,
                         Visit visit) const {
  TensorsByValue computed;
  for (const Layer &layer : layers) {
    std::vector<TensorBytes> operands, results;
    if (!collectOperands(layer.op, signalOf, constants, computed, operands))
      continue;
    for (mlir::Value v : layer.op->getResults())
      results.emplace_back(describe(v).sizeBytes());
    std::vector<const char *> from;
    std::vector<char *> to;
    for (TensorBytes &bytes : operands)
      from.push_back(bytes.data());
    for (TensorBytes &bytes : results)
      to.push_back(bytes.data());
    if (!layer.program.run(from, to))
      continue;
    visit(layer.op, operands, results);
    for (auto [v, bytes] : llvm::zip(layer.op->getResults(), results))
      if (signalOf(v).empty())
        computed[v] = std::move(bytes);
  }
}
