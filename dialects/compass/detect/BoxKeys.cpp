//===- BoxKeys.cpp - Keys of layers that decode boxes ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/detect/BoxKeys.h"
#include "dialects/compass/Keys.h"
#include "kernels/movement/DataMovement.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

double compass::numberKey(Operation *op, NumberKey name) {
  return numberOf(op->getAttr(name)).value_or(0);
}

std::array<float, 4> compass::fourNumbers(Operation *op, StringRef name,
                                          std::array<float, 4> fallback) {
  auto list = op->getAttrOfType<DenseF64ArrayAttr>(name);
  if (!list || list.size() != 4)
    return fallback;
  for (auto [number, value] : llvm::zip(fallback, list.asArrayRef()))
    number = float(value);
  return fallback;
}

std::array<float, 4> compass::multiboxFactors(Operation *op) {
  if (op->hasAttr(keys::variances))
    return fourNumbers(op, keys::variances, {0.1f, 0.1f, 0.2f, 0.2f});
  auto [x, y, w, h] = fourNumbers(op, keys::variance, {0.1f, 0.1f, 0.2f, 0.2f});
  return {y, x, h, w};
}

double compass::scoreThreshold(Operation *op) {
  NumberKey key = keys::score_threshold;
  if (!op->hasAttr(key))
    key = keys::score_threshold_value;
  return numberKey(op, key);
}

FailureOr<BufferBinding> compass::constantKey(Operation *op, TensorKey name) {
  ElementsAttr attr = tensorKey(op, name);
  BufferBinding binding = attr ? constant(attr) : BufferBinding();
  if (!binding) {
    missingKey(op, name);
    return failure();
  }
  return binding;
}

uint32_t compass::log2Of(const BufferBinding &table) {
  return llvm::Log2_64(uint64_t(table.view.numElements()));
}

FailureOr<std::array<BufferBinding, 4>>
compass::constantKeys(Operation *op, std::array<TensorKey, 4> names) {
  std::array<BufferBinding, 4> found;
  for (auto [name, binding] : llvm::zip(names, found)) {
    auto one = constantKey(op, name);
    if (failed(one))
      return failure();
    binding = *one;
    DType type = binding.view.dtype, first = found[0].view.dtype;
    if (type != first) {
      layerError(op, diag::OpElementType, (name + "_type").str(),
                 "the constants " + names[0] + " and " + name +
                     " are of different types")
          .found(dtypeName(type))
          .expected(dtypeName(first));
      return failure();
    }
  }
  return found;
}

FailureOr<std::array<BufferBinding, 4>> compass::deltaTables(Operation *op) {
  return constantKeys(op,
                      {keys::ty_lut, keys::tx_lut, keys::th_lut, keys::tw_lut});
}

void compass::bindDeltaTables(KernelCall &call,
                              ArrayRef<BufferBinding> tables) {
  call["yTable"] = tables[0], call["xTable"] = tables[1];
  call["heightTable"] = tables[2], call["widthTable"] = tables[3];
}

void compass::bindAnchors(KernelCall &call, StringRef first,
                          ArrayRef<BufferBinding> anchors) {
  call[first] = anchors[0], call["xCentres"] = anchors[1];
  call["heights"] = anchors[2], call["widths"] = anchors[3];
}

FailureOr<std::array<BufferBinding, 4>> compass::anchorCentres(Operation *op) {
  for (KeyName other :
       std::initializer_list<KeyName>{keys::weights, keys::feature_map})
    if (op->hasAttr(other) && !op->hasAttr(keys::ycenter)) {
      layerError(op, diag::OpUnsupported, other,
                 "anchors that only " + other + " gives are not supported yet")
          .expected("xcenter, ycenter, ha and wa");
      return failure();
    }
  return constantKeys(op, {keys::ycenter, keys::xcenter, keys::ha, keys::wa});
}

void compass::fillResult(Operation *op, LayerProgram &program, unsigned index,
                         int64_t value) {
  TensorInfo info = describe(op->getResult(index));
  TensorInfo one = info;
  one.shape = {1};
  std::vector<char> bytes(one.sizeBytes());
  if (info.isFloat()) {
    // Of any float type by way of float32's high half, exact for 0 and 1.
    auto number = float(value);
    uint32_t bits = __builtin_bit_cast(uint32_t, number);
    if (info.dtype == DType::F16)
      bits = value ? 0x3c00 : 0;
    else if (info.dtype == DType::BF16)
      bits >>= 16;
    std::memcpy(bytes.data(), &bits, std::min(bytes.size(), sizeof bits));
  } else {
    std::memcpy(bytes.data(), &value, bytes.size());
  }
  kernels::CopyParams p;
  p.elemBytes = kernels::dtypeBytes(info.dtype);
  p.rank = 1, p.dims[0] = uint32_t(info.numElements()), p.dstStride[0] = 1;
  KernelCall &call = program.call<kernels::Copy>(p);
  call["input"] = constant({1}, info.dtype, std::move(bytes));
  call["output"] = result(index);
}
