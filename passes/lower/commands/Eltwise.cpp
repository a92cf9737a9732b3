//===- Eltwise.cpp - Elementwise layers on the tensor engine --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The output stage of a convolution adds a second tensor or looks results up.
// Where no convolution is before a sum or a table, one that changes nothing
// takes its place: depthwise, with a window of one cell and weights of 1. It
// does an element for each input lane and pixel of the array, where a TEC needs
// a few instructions for 32.
//
//===----------------------------------------------------------------------===//
#include "kernels/arithmetic/Eltwise.h"
#include "dialects/compass/LayerKeys.h"
#include "kernels/Broadcast.h"
#include "kernels/activation/Activation.h"
#include "passes/lower/choose/ConvTiling.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;
using kernels::Act;
using kernels::DType;

/// A convolution that changes nothing, of so many elements; false if the
/// descriptor has no room for them.
static bool describeIdentity(DType type, uint64_t elements,
                             const isa::Machine &machine, isa::Conv &d) {
  if (!isEngineType(type) || elements == 0)
    return false;
  uint64_t channels = 1, height = 1, width = elements;
  while (channels < machine.macArray.inputLanes && width % 2 == 0)
    channels *= 2, width /= 2;
  while (width > UINT16_MAX && width % 2 == 0 && height * 2 <= UINT16_MAX)
    height *= 2, width /= 2;
  if (width > UINT16_MAX)
    return false;
  uint64_t pixelBytes = channels * kernels::dtypeBytes(type);
  d.inType = d.outType = type;
  d.weightType = DType::I8;
  d.depthwise = true;
  d.inHeight = d.outHeight = height, d.inWidth = d.outWidth = width;
  d.inChannels = d.outChannels = channels;
  d.inPixelStride = pixelBytes, d.inRowStride = width * pixelBytes;
  d.kernelY = d.kernelX = d.strideY = d.strideX = 1;
  d.dilationY = d.dilationX = d.groups = 1;
  d.scale = 1;
  auto [low, high] = compass::dtypeRange(type);
  d.outMin = low, d.outMax = high;
  return true;
}

/// Its weights and biases.
static std::vector<char> identityBlob(isa::Conv &d) {
  uint64_t biasOffset = llvm::alignTo(d.outChannels, isa::kConstantAlignBytes);
  std::vector<char> blob(biasOffset + 4 * d.outChannels, 0);
  std::fill_n(blob.begin(), d.outChannels, 1);
  d.weights = 0, d.bias = biasOffset;
  return blob;
}

/// Where results are `elementBytes` long.
static void describeOutput(uint64_t elementBytes, isa::Conv &d) {
  d.outPixelStride = d.outChannels * elementBytes;
  d.outRowStride = d.outWidth * d.outPixelStride;
}

bool Lowering::emitIdentity(const Step &step, isa::Conv d, const Tensor &in,
                            const Tensor *residual, uint64_t lutBytes,
                            llvm::function_ref<Value(StringRef)> lut) {
  Tensor out = tensorOf(step, "output");
  std::vector<char> blob = identityBlob(d);
  uint64_t need = blob.size() + lutBytes + 5 * isa::kBufferAlignBytes;
  std::array<const Tensor *, 3> tensors = {&in, residual, &out};
  for (const Tensor *t : tensors)
    need += t && !t->inSram ? t->sizeBytes() : 0;
  if (need > freeSramBytes())
    return false;
  std::string name = compass::layerNameOf(step.op).str();
  // Calls of one layer share them.
  auto load = [&](Value constant, const std::string &what) {
    if (Value kept = keepConstant(constant, what))
      return kept;
    uint64_t sizeBytes = constant.getDefiningOp<BufferOp>().getSizeBytes();
    Value staged = newSram(sizeBytes, what);
    copyBytes(constant, 0, staged, 0, sizeBytes);
    return staged;
  };
  std::string ones = name + ".ones", table = name + ".lut";
  Value weights = load(newConstant(std::move(blob), ones), ones);
  Tensor stagedIn = stageIn(in), stagedOut = stageOut(out);
  SmallVector<FieldBuffer> buffers = {{"input", stagedIn.buffer},
                                      {"output", stagedOut.buffer},
                                      {"weights", weights},
                                      {"bias", weights}};
  d.input = stagedIn.offsetBytes, d.output = stagedOut.offsetBytes;
  if (d.hasLut)
    buffers.push_back({"lut", load(lut(table), table)});
  if (residual) {
    Tensor staged = stageIn(*residual);
    d.residual = staged.offsetBytes;
    buffers.push_back({"residual", staged.buffer});
  }
  emit(d, buffers);
  isa::WorkCost work;
  work.add(isa::Unit::TensorEngine, isa::costOf(d, machine));
  ConvTiling whole;
  whole.rows = d.outHeight, whole.channels = d.outChannels;
  tilings.push_back(tilingAttr(whole, work, currentLayer(),
                               /*isWholeLayer=*/false, builder));
  finishOut(stagedOut, out);
  return true;
}

/// The elements of an operand that is known now.
static std::optional<compass::ConstantView>
constantOf(const Step &step, const BufferBinding &bound) {
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

bool Lowering::lowerEltwise(const Step &step) {
  auto p = step.call.paramsOf<kernels::EltwiseInt>();
  kernels::BroadcastShape shape = kernels::mergedShape(p.shape);
  uint64_t elements = shape.dims[0];
  if (!options.fuseResidual || shape.rank != 1 ||
      !isEngineType(p.requant.outType) || p.requant.act == Act::PRelu)
    return false;
  isa::Conv d;
  bool isSum = p.op == kernels::BinaryOp::Add && !p.isStored && !p.isApart &&
               shape.strideA[0] == 1 && shape.strideB[0] == 1;
  if (isSum) {
    ConvLayer layer;
    if (!describeIdentity(p.typeA, elements, machine, layer.base) ||
        !isEngineSum(p, machine) || !describeResidual(p, 0, layer))
      return false;
    describeOutput(layer.outElem, layer.base);
    layer.base.residualPixelStride =
        layer.base.outChannels * layer.residualElem;
    layer.base.residualRowStride =
        layer.base.outWidth * layer.base.residualPixelStride;
    Tensor b = tensorOf(step, "b");
    return emitIdentity(step, layer.base, tensorOf(step, "a"), &b,
                        /*lutBytes=*/0, {});
  }
  for (bool isFirst : {true, false}) {
    DType type = isFirst ? p.typeA : p.typeB;
    auto constant = constantOf(step, step.call[isFirst ? "b" : "a"]);
    if (kernels::dtypeBytes(type) != 1 || !constant ||
        (isFirst ? shape.strideB : shape.strideA)[0] != 0 ||
        (isFirst ? shape.strideA : shape.strideB)[0] != 1 ||
        !describeIdentity(type, elements, machine, d))
      continue;
    d.hasLut = true;
    d.lutType = p.requant.outType;
    d.lutLog2Items = d.lutInputBits = 8;
    d.lutInputMin = d.outMin;
    describeOutput(kernels::dtypeBytes(d.lutType), d);
    std::vector<char> table = tableOf(step.call, isFirst, constant->bytes);
    return emitIdentity(
        step, d, tensorOf(step, isFirst ? "a" : "b"), /*residual=*/nullptr,
        table.size(), [&](StringRef name) { return newConstant(table, name); });
  }
  return false;
}

bool Lowering::lowerTable(const Step &step) {
  auto p = step.call.paramsOf<kernels::Lut>();
  ConvLayer layer;
  if (!options.fuseResidual ||
      !describeIdentity(p.inType, p.count, machine, layer.base) ||
      !describeTable(step.call, layer))
    return false;
  describeOutput(layer.outElem, layer.base);
  uint64_t lutBytes = layer.outElem << layer.base.lutLog2Items;
  return emitIdentity(
      step, layer.base, tensorOf(step, "input"), /*residual=*/nullptr, lutBytes,
      [&](StringRef name) { return newConstant(step.call["table"], name); });
}
