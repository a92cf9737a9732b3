//===- Eltwise.cpp - Elementwise kernels on the tensor engine -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/arithmetic/Eltwise.h"
#include "dialects/compass/LayerKeys.h"
#include "kernels/Broadcast.h"
#include "kernels/activation/Activation.h"
#include "kernels/convert/Convert.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/Pointwise.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;
using kernels::DType;

std::optional<compass::ConstantView>
npu::constantOf(const Step &step, const BufferBinding &bound) {
  if (bound.part)
    return std::nullopt;
  if (bound.kind == BufferBinding::Kind::Constant)
    return bound.view;
  if (bound.kind == BufferBinding::Kind::Operand)
    return compass::constantInput(step.op, bound.index);
  return std::nullopt;
}

/// What the kernel makes of each value of 8 bits, the least one first, with a
/// constant for the other operand.
static std::vector<char> tableOf(const KernelCall &call, bool isFirst,
                                 ArrayRef<char> constant) {
  auto p = call.paramsOf<kernels::EltwiseInt>();
  std::array<char, 256> values;
  for (int i = 0; i < 256; ++i)
    values[i] = char((isFirst ? p.typeA : p.typeB) == DType::I8 ? i - 128 : i);
  p.shape = {.rank = 1,
             .dims = {256},
             .strideA = {isFirst ? 1 : 0},
             .strideB = {isFirst ? 0 : 1}};
  std::vector<char> table(256 * kernels::dtypeBytes(p.requant.outType));
  void *one = const_cast<char *>(constant.data());
  void *a = isFirst ? values.data() : one, *b = isFirst ? one : values.data();
  void *buffers[] = {a, b, nullptr, table.data()};
  call.getKernel().fn(&p, buffers, /*task=*/0, /*taskCount=*/1);
  return table;
}

/// Whether all its elements are the same.
static bool isUniform(const compass::ConstantView &constant) {
  size_t sizeBytes =
      constant.bytes.size() / std::max<size_t>(1, constant.numElements());
  ArrayRef<char> first = constant.bytes.take_front(sizeBytes);
  for (size_t at = sizeBytes; at < constant.bytes.size(); at += sizeBytes)
    if (constant.bytes.slice(at, sizeBytes) != first)
      return false;
  return true;
}

bool Lowering::lowerEltwise(const Step &step) {
  auto p = step.call.paramsOf<kernels::EltwiseInt>();
  Tensor out = tensorOf(step, "output");
  // A number that is known makes a table of the other operand's bytes, whatever
  // the function.
  for (bool isFirst : {true, false}) {
    DType type = isFirst ? p.typeA : p.typeB;
    auto constant = constantOf(step, step.call[isFirst ? "b" : "a"]);
    if (!constant || !isUniform(*constant) ||
        p.requant.act == kernels::Act::PRelu)
      continue;
    kernels::BroadcastShape shape = p.shape;
    std::ranges::fill(isFirst ? shape.strideB : shape.strideA, 0);
    shape = kernels::mergedShape(shape);
    Pointwise f;
    if (shape.rank != 1 || (isFirst ? shape.strideA : shape.strideB)[0] != 1 ||
        !describeByteTable(type, p.requant.outType, shape.dims[0], f))
      continue;
    std::vector<char> table = tableOf(step.call, isFirst, constant->bytes);
    if (emitPointwise(step, f, tensorOf(step, isFirst ? "a" : "b"), Tensor(),
                      out,
                      [&](StringRef name) { return newConstant(table, name); }))
      return true;
  }
  Pointwise f;
  std::array<uint8_t, 4> truths;
  return (describeEltwise(step.call, machine, f) ||
          describeComparison(step.call, machine, f, truths)) &&
         emitPointwise(step, f, tensorOf(step, f.in), tensorOf(step, f.other),
                       out, [&](StringRef name) {
                         return newConstant(
                             std::vector<char>(truths.begin(), truths.end()),
                             name);
                       });
}

bool Lowering::lowerTable(const Step &step) {
  Pointwise f;
  return describeLookup(step.call, f) &&
         emitPointwise(step, f, tensorOf(step, "input"), Tensor(),
                       tensorOf(step, "output"), [&](StringRef name) {
                         return newConstant(step.call["table"], name);
                       });
}

bool Lowering::lowerUnary(const Step &step) {
  const KernelCall &call = step.call;
  Pointwise f;
  bool isKnown = call.is<kernels::PReluInt>() ? describePRelu(call, machine, f)
                 : call.is<kernels::Cast>()
                     ? describeCast(call, machine, f)
                     : describeActivation(call, machine, f);
  return isKnown && emitPointwise(step, f, tensorOf(step, "input"), Tensor(),
                                  tensorOf(step, "output"), {});
}
