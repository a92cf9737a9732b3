//===- SampleSet.cpp - Sample inputs for the float network ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Half.h"

#include <cmath>
#include <cstring>

using namespace yarrow::compass;

namespace yarrow {

/// The inputs of @main in input_index order.
static std::vector<mlir::Value> inputsOf(mlir::ModuleOp module) {
  std::vector<InputOp> ops;
  module.walk([&](InputOp op) { ops.push_back(op); });
  llvm::stable_sort(ops, [](InputOp a, InputOp b) {
    return a.getInputIndex() < b.getInputIndex();
  });
  std::vector<mlir::Value> values;
  for (InputOp op : ops)
    values.push_back(op->getResult(0));
  return values;
}

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t d : shape)
    text += (text.size() > 1 ? "," : "") + std::to_string(d);
  return text + "]";
}

std::unique_ptr<SampleSet> SampleSet::create(mlir::ModuleOp module,
                                             const std::vector<NpyView> &arrays,
                                             DiagnosticEngine &diags) {
  std::vector<mlir::Value> values = yarrow::inputsOf(module);
  if (arrays.size() != values.size()) {
    diags
        .report(DiagId::QuantCalibration, {},
                "the number of sample arrays differs from the network's inputs")
        .found(std::to_string(arrays.size()) + " arrays")
        .expected(std::to_string(values.size()) + ", one per input");
    return nullptr;
  }
  auto set = std::make_unique<SampleSet>();
  bool ok = true;
  for (auto [value, array] : llvm::zip(values, arrays)) {
    TensorInfo info = describe(value);
    auto elements = std::size_t(info.numElements());
    std::size_t runs = array.numElements / elements;
    Place place{.layer = layerNameOf(value.getDefiningOp()).str()};
    if (runs == 0 || array.numElements % elements) {
      diags
          .report(DiagId::QuantCalibration, place,
                  "sample data do not fit the input " + tensorNameOf(value))
          .found(array.str())
          .expected("whole samples of shape " + shapeText(info.shape));
      ok = false;
      continue;
    }
    // Same element count but another layout is the commonest slip of all.
    llvm::ArrayRef<int64_t> sample(array.shape);
    llvm::SmallVector<int64_t> plain, found;
    for (int64_t d : llvm::ArrayRef<int64_t>(info.shape)
                         .drop_front(info.shape.empty() ? 0 : 1))
      if (d != 1)
        plain.push_back(d);
    for (int64_t d : sample.drop_front(sample.empty() ? 0 : 1))
      if (d != 1)
        found.push_back(d);
    llvm::SmallVector<int64_t> sortedPlain(plain), sortedFound(found);
    llvm::sort(sortedPlain);
    llvm::sort(sortedFound);
    if (plain != found && sortedPlain == sortedFound) {
      diags
          .report(DiagId::QuantCalibration, place,
                  "sample data of input " + tensorNameOf(value) +
                      " have their axes in another order")
          .found(array.str())
          .expected("samples of shape " + shapeText(info.shape))
          .hint("NCHW data for an NHWC input? Transpose the array");
      ok = false;
      continue;
    }
    if (set->samples && set->samples != runs) {
      diags
          .report(DiagId::QuantCalibration, place,
                  "inputs have different numbers of samples")
          .found(std::to_string(runs))
          .expected(std::to_string(set->samples));
      ok = false;
      continue;
    }
    set->samples = runs;
    set->inputs.push_back({array, elements, value.getType()});
  }
  if (!ok)
    return nullptr;
  if (values.empty())
    set->samples = 1;
  return set;
}

/// Whether the array holds the input's stored integers, not real numbers.
static bool holdsStorage(NpyType array, DType input) {
  switch (array) {
  case NpyType::Int8:
    return input == DType::I8;
  case NpyType::UInt8:
    return input == DType::U8;
  case NpyType::Int16:
    return input == DType::I16;
  case NpyType::UInt16:
    return input == DType::U16;
  default:
    return false;
  }
}

/// One element as the input's type; floats are rounded to integers.
static void storeElement(DType t, double value, char *at) {
  auto store = [&](auto x) { std::memcpy(at, &x, sizeof(x)); };
  switch (t) {
  case DType::F32:
    return store(float(value));
  case DType::F16:
    return store(floatToHalf(float(value)));
  case DType::BF16:
    return store(floatToBfloat(float(value)));
  case DType::I8:
    return store(int8_t(std::nearbyint(value)));
  case DType::U8:
    return store(uint8_t(std::nearbyint(value)));
  case DType::Bool:
    return store(uint8_t(value != 0));
  case DType::I16:
    return store(int16_t(std::nearbyint(value)));
  case DType::U16:
    return store(uint16_t(std::nearbyint(value)));
  case DType::I32:
    return store(int32_t(std::nearbyint(value)));
  case DType::U32:
    return store(uint32_t(std::nearbyint(value)));
  case DType::I64:
    return store(int64_t(std::nearbyint(value)));
  case DType::F64:
    return store(value);
  case DType::U64:
    return store(uint64_t(std::nearbyint(value)));
  }
}

std::vector<std::vector<char>> SampleSet::inputsOf(std::size_t sample) const {
  std::vector<std::vector<char>> result;
  for (const Input &input : inputs) {
    TensorInfo info = describe(input.type);
    NpyView part = input.array;
    part.numElements = input.elements;
    part.data = static_cast<const char *>(input.array.data) +
                sample * input.elements * npyTypeBytes(part.type);
    std::vector<float> floats = part.toFloats();
    std::vector<char> bytes(info.sizeBytes());
    std::size_t size = kernels::dtypeBytes(info.dtype);
    if (info.dtype == DType::F32)
      std::memcpy(bytes.data(), floats.data(), bytes.size());
    else
      for (std::size_t i = 0; i < input.elements; ++i) {
        double value = floats[i];
        if (info.isQuantized() && !holdsStorage(part.type, info.dtype))
          value = double(
              quantizeValue(floats[i], info.scale, info.zp, info.lo, info.hi));
        storeElement(info.dtype, value, bytes.data() + i * size);
      }
    result.push_back(std::move(bytes));
  }
  return result;
}

} // namespace yarrow
