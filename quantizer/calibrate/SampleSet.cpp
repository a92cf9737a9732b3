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
  for (auto [value, name] :
       llvm::zip_equal(graphInputs(mainGraph(module)), inputNames(module)))
    inputs.push_back(sampleInputOf(value, name));
  std::optional<SampleArrays> samples =
      SampleArrays::create(arrays, std::move(inputs), options, diags);
  return samples
             ? std::unique_ptr<SampleSet>(new SampleSet(std::move(*samples)))
             : nullptr;
}

} // namespace yarrow
