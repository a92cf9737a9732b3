//===- SampleSet.cpp - Sample inputs for the float network ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Format.h"

using namespace yarrow::compass;

namespace yarrow {

NpyType npyTypeOf(DType type) {
  switch (type) {
  case DType::Bool:
    return NpyType::Bool;
  case DType::I8:
    return NpyType::Int8;
  case DType::U8:
    return NpyType::UInt8;
  case DType::I16:
    return NpyType::Int16;
  case DType::U16:
  case DType::BF16: // as bits
    return NpyType::UInt16;
  case DType::I32:
    return NpyType::Int32;
  case DType::U32:
    return NpyType::UInt32;
  case DType::I64:
    return NpyType::Int64;
  case DType::U64:
    return NpyType::UInt64;
  case DType::F16:
    return NpyType::Float16;
  case DType::F32:
    return NpyType::Float32;
  case DType::F64:
    return NpyType::Float64;
  }
  assert(false && "element type out of range");
  return NpyType::UInt8;
}

static SampleInput sampleInputOf(mlir::Value value, const std::string &name) {
  TensorInfo info = describe(value);
  SampleInput input;
  input.name = name;
  input.shape.assign(info.shape.begin(), info.shape.end());
  input.numElements = std::size_t(info.numElements());
  input.type = npyTypeOf(info.dtype);
  input.isBfloat = info.dtype == DType::BF16;
  input.scale = info.scale;
  input.zeroPoint = info.zp;
  if (info.isInteger())
    std::tie(input.min, input.max) = info.isQuantized()
                                         ? std::pair(info.lo, info.hi)
                                         : dtypeRange(info.storedType());
  input.text = input.name + ": " + dtypeName(info.storedType()).str() +
               shapeText(input.shape);
  return input;
}

std::unique_ptr<SampleSet> SampleSet::create(mlir::ModuleOp module,
                                             const std::vector<NpyView> &arrays,
                                             DiagnosticEngine &diags,
                                             SampleOptions options) {
  std::vector<SampleInput> inputs;
  std::vector<std::string> names = inputNames(module);
  llvm::SmallVector<mlir::Value> values = graphInputs(mainGraph(module));
  for (unsigned i : callerInputs(mainGraph(module)))
    inputs.push_back(sampleInputOf(values[i], names[i]));
  std::optional<SampleArrays> samples =
      SampleArrays::create(arrays, std::move(inputs), options, diags);
  if (!samples)
    return nullptr;
  std::unique_ptr<SampleSet> set(new SampleSet(std::move(*samples)));
  return set->findStates(module, diags) ? std::move(set) : nullptr;
}

std::vector<std::vector<char>> SampleSet::inputsOf(std::size_t sample) const {
  Bytes inputs = samples.inputsOf(sample);
  for (std::size_t s = 0; s < stateInputs.size(); ++s)
    inputs.insert(inputs.begin() + std::ptrdiff_t(stateInputs[s]),
                  states[sample][s]);
  return inputs;
}

/// What each run begins with. False after errors.
bool SampleSet::findStates(mlir::ModuleOp module, DiagnosticEngine &diags) {
  llvm::SmallVector<GraphState> kept = graphStates(mainGraph(module));
  if (kept.empty())
    return true;
  std::unique_ptr<Evaluator> evaluator = Evaluator::create(module, diags);
  if (!evaluator)
    return false;
  Bytes initial;
  for (const GraphState &state : kept) {
    stateInputs.push_back(state.input);
    initial.push_back(initialBytes(state));
  }
  Bytes now;
  for (std::size_t run = 0; run < count(); ++run) {
    if (samples.isFirstOfSequence(run))
      now = initial;
    states.push_back(now);
    if (run + 1 == count() || samples.isFirstOfSequence(run + 1))
      continue;
    Bytes inputs = inputsOf(run);
    std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
    std::vector<TensorBytes> outputs;
    if (EvaluationStop stop = evaluator->run(refs, outputs)) {
      stop.report(diags);
      return false;
    }
    for (auto [s, state] : llvm::enumerate(kept))
      now[s].assign(outputs[state.output].begin(), outputs[state.output].end());
  }
  return true;
}

} // namespace yarrow
