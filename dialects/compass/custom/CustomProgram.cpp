//===- CustomProgram.cpp - The kernels of a plugin's layer ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/activation/UnaryKernels.h"
#include "dialects/compass/custom/CustomOps.h"
#include "dialects/compass/custom/PluginOperator.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "kernels/custom/Custom.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

uint32_t PluginOperator::paramsBytes() const {
  return uint32_t(sizeof(kernels::CustomTensor) *
                      (inputShapes.size() + outputShapes.size()) +
                  sizeof(kernels::CustomMultiplier) * numMultipliers() +
                  4 * numKeys);
}

static kernels::CustomTensor tensorOf(const TensorInfo &info) {
  kernels::CustomTensor tensor;
  tensor.type = info.dtype;
  tensor.count = uint32_t(info.numElements());
  tensor.rank = uint32_t(info.shape.size());
  for (auto [i, length] : llvm::enumerate(info.shape))
    tensor.dims[i] = uint32_t(length);
  tensor.scale = info.scale;
  tensor.zp = info.zp;
  tensor.lo = int32_t(std::max<int64_t>(info.lo, INT32_MIN));
  tensor.hi = int32_t(std::min<int64_t>(info.hi, INT32_MAX));
  return tensor;
}

/// A key as the kernels have it: 32 bits of an integer or a decimal, 0 or 1, or
/// the place of a word among the key's.
static uint32_t keyBits(Operation *op, const KeyRecord &key) {
  switch (key.kind) {
  case KeyKind::Float:
    return llvm::bit_cast<uint32_t>(float(floatKey(op, FloatKey(key))));
  case KeyKind::Bool:
    return boolKey(op, BoolKey(key));
  case KeyKind::Word: {
    std::string word = wordKey(op, WordKey(key), key.defaultText);
    const auto *it = llvm::find_if(key.words, [&](StringRef known) {
      return known.equals_insensitive(word);
    });
    assert(it != key.words.end() && "the verifier has looked");
    return uint32_t(it - key.words.begin());
  }
  default:
    return uint32_t(intKey(op, IntKey(key)));
  }
}

template <typename T>
static void append(std::vector<char> &bytes, const T &value) {
  const char *begin = reinterpret_cast<const char *>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

std::vector<char> compass::customParams(const PluginOperator &plugin,
                                        Operation *op,
                                        ArrayRef<TensorInfo> inputs,
                                        ArrayRef<TensorInfo> outputs) {
  std::vector<char> bytes;
  for (const TensorInfo &info : llvm::concat<const TensorInfo>(inputs, outputs))
    append(bytes, tensorOf(info));
  SmallVector<int64_t> scales = intsKey(op, keys::scale_value),
                       shifts = intsKey(op, keys::shift_value);
  for (unsigned i = 0; i < plugin.numMultipliers(); ++i) {
    kernels::CustomMultiplier multiplier;
    if (i < scales.size() && i < shifts.size())
      multiplier = {int32_t(scales[i]), int32_t(shifts[i])};
    append(bytes, multiplier);
  }
  for (unsigned i = 0; i < plugin.numKeys; ++i)
    append(bytes, keyBits(op, plugin.keys[i]));
  assert(bytes.size() == plugin.paramsBytes());
  return bytes;
}

LogicalResult CustomOp::buildProgram(LayerProgram &program) {
  Operation *op = getOperation();
  const PluginOperator &plugin = *recordOf(op)->plugin;
  auto arithmetic = arithmeticOf(op, /*maxInputBits=*/32);
  if (failed(arithmetic))
    return failure();
  bool isInteger = *arithmetic == Arithmetic::Integer;
  if (isInteger && plugin.quantization == PluginQuantization::Table)
    return buildLutKernel(op, keys::lut, LutOrigin::WidenedRangeMin, program);
  const kernels::KernelInfo *kernel =
      isInteger ? plugin.intKernel : plugin.floatKernel;
  if (!kernel)
    return refuseKernel(op);
  SmallVector<TensorInfo> inputs, outputs;
  for (Value v : op->getOperands())
    inputs.push_back(describe(v));
  for (Value v : op->getResults())
    outputs.push_back(describe(v));
  std::vector<char> params = customParams(plugin, op, inputs, outputs);
  KernelCall &call = program.call(*kernel, params.data());
  for (auto [i, tensor] : llvm::enumerate(plugin.inputs))
    call[tensor.name] = operand(unsigned(i));
  for (auto [i, tensor] : llvm::enumerate(plugin.outputs))
    call[tensor.name] = result(unsigned(i));
  return success();
}
