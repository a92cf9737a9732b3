//===- FormLoss.cpp - What Winograd's form costs, layer by layer ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/metrics/FormLoss.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/network/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cassert>
#include <memory>

using namespace yarrow::compass;

namespace yarrow {

namespace {

/// One layer as a network of its own.
class IsolatedLayer {
public:
  /// False after a diagnostic.
  bool create(mlir::Operation *layer, DiagnosticEngine &diags);
  /// Its result as real numbers. May be called from several threads.
  std::vector<float> run(TensorBytesRef input) const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Evaluator> evaluator;
};

struct Candidate {
  mlir::Value input, result; ///< in the direct network
  IsolatedLayer changed, original;
};

} // namespace

bool IsolatedLayer::create(mlir::Operation *layer, DiagnosticEngine &diags) {
  mlir::Location loc = layer->getLoc();
  module = mlir::ModuleOp::create(loc);
  auto b = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto func = mlir::func::FuncOp::create(
      b, loc, kMainGraph, b.getFunctionType({}, layer->getResultTypes()));
  b.setInsertionPointToEnd(func.addEntryBlock());
  mlir::OperationState input(loc, InputOp::getOperationName());
  input.addTypes(layer->getOperand(0).getType());
  mlir::IRMapping mapping;
  mapping.map(layer->getOperand(0), b.create(input)->getResult(0));
  mlir::Operation *copy = b.clone(*layer, mapping);
  mlir::func::ReturnOp::create(b, loc, copy->getResults());
  evaluator = Evaluator::create(*module, diags);
  return evaluator != nullptr;
}

std::vector<float> IsolatedLayer::run(TensorBytesRef input) const {
  std::vector<TensorBytes> outputs;
  evaluator->run({input}, outputs);
  FloatValues values(evaluator->outputs()[0], outputs[0]);
  return {values.get().begin(), values.get().end()};
}

using LayersByResult = llvm::StringMap<mlir::Operation *>;

static LayersByResult layersOf(mlir::ModuleOp module) {
  LayersByResult layers;
  module.walk([&](CompassOp layer) {
    mlir::Operation *op = layer;
    if (op->getNumOperands() && op->getNumResults())
      layers[tensorNameOf(op->getResult(0))] = op;
  });
  return layers;
}

/// nullopt after errors.
static std::optional<std::vector<Candidate>>
findCandidates(mlir::ModuleOp floatModule, mlir::ModuleOp directModule,
               mlir::ModuleOp changedModule,
               llvm::function_ref<bool(mlir::Operation *)> isInForm,
               std::vector<FormLoss> &losses, DiagnosticEngine &diags) {
  LayersByResult floats = layersOf(floatModule);
  LayersByResult others = layersOf(changedModule);
  std::vector<Candidate> candidates;
  bool ok = true;
  directModule.walk([&](CompassOp layer) {
    mlir::Operation *direct = layer;
    if (!direct->getNumResults())
      return;
    std::string name = tensorNameOf(direct->getResult(0));
    mlir::Operation *changed = others.lookup(name);
    if (!changed || !isInForm(changed) || isInForm(direct))
      return;
    mlir::Operation *original = floats.lookup(name);
    assert(original && "the networks come from one float network");
    assert(changed->getOperand(0).getType() ==
               direct->getOperand(0).getType() &&
           changed->getResultTypes() == direct->getResultTypes() &&
           "and from one calibration");
    Candidate c{direct->getOperand(0), direct->getResult(0), {}, {}};
    ok &= c.changed.create(changed, diags);
    ok &= c.original.create(original, diags);
    candidates.push_back(std::move(c));
    losses.push_back({layerNameOf(direct).str(), {}, {}});
  });
  if (!ok)
    return std::nullopt;
  return candidates;
}

std::optional<std::vector<FormLoss>>
measureFormLoss(mlir::ModuleOp floatModule, mlir::ModuleOp directModule,
                mlir::ModuleOp changedModule,
                llvm::function_ref<bool(mlir::Operation *)> isInForm,
                const std::vector<NpyView> &arrays, std::size_t maxSamples,
                DiagnosticEngine &diags) {
  std::vector<FormLoss> losses;
  auto candidates = findCandidates(floatModule, directModule, changedModule,
                                   isInForm, losses, diags);
  auto samples = SampleSet::create(directModule, arrays, diags);
  auto evaluator = Evaluator::create(directModule, diags);
  if (!candidates || !samples || !evaluator)
    return std::nullopt;
  if (losses.empty())
    return losses;
  // A layer's input is needed again when its result is there, and its buffer
  // may be gone by then.
  llvm::DenseMap<mlir::Value, std::vector<std::size_t>> byInput;
  llvm::DenseMap<mlir::Value, std::size_t> byResult;
  for (std::size_t i = 0; i < candidates->size(); ++i) {
    byInput[(*candidates)[i].input].push_back(i);
    byResult[(*candidates)[i].result] = i;
  }

  std::size_t count = std::min(maxSamples, samples->count());
  std::vector<std::vector<FormLoss>> perSample(
      count, std::vector<FormLoss>(losses.size()));
  parallelFor(count, [&](std::size_t index) {
    std::size_t sample = samples->spread(index, count);
    std::vector<std::shared_ptr<std::vector<char>>> inputs(losses.size());
    auto onTensor = [&](mlir::Value v, TensorBytesRef bytes) {
      if (auto it = byResult.find(v); it != byResult.end()) {
        const Candidate &c = (*candidates)[it->second];
        FormLoss &loss = perSample[index][it->second];
        TensorBytesRef input = *inputs[it->second];
        FloatValues real(c.input, input), direct(v, bytes);
        std::vector<float> signal =
            c.original.run({reinterpret_cast<const char *>(real.get().data()),
                            real.get().size_bytes()});
        loss.direct.add(signal, direct.get());
        loss.changed.add(signal, c.changed.run(input));
        inputs[it->second].reset();
      }
      if (auto it = byInput.find(v); it != byInput.end()) {
        auto copy =
            std::make_shared<std::vector<char>>(bytes.begin(), bytes.end());
        for (std::size_t i : it->second)
          inputs[i] = copy;
      }
    };
    std::vector<std::vector<char>> data = samples->inputsOf(sample);
    std::vector<TensorBytesRef> refs(data.begin(), data.end());
    std::vector<TensorBytes> outputs;
    evaluator->run(refs, outputs, onTensor);
  });
  for (const std::vector<FormLoss> &sample : perSample)
    for (std::size_t i = 0; i < losses.size(); ++i) {
      losses[i].direct.merge(sample[i].direct);
      losses[i].changed.merge(sample[i].changed);
    }
  return losses;
}

} // namespace yarrow
