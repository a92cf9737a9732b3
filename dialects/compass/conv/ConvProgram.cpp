//===- ConvProgram.cpp - The kernels that compute convolutions ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/ConvProgram.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WeightsOnly.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/WindowParams.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvShapes.h"
#include "dialects/compass/conv/PackedWeights.h"
#include "dialects/compass/conv/Winograd.h"
#include "kernels/conv/Conv.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// Sums have 48 bits, which the bias is a part of.
static LogicalResult checkWideBiases(Operation *op) {
  auto biases = viewConstant(tensorKey(op, keys::biases));
  if (biases->dtype != DType::I64)
    return success();
  for (int64_t i = 0, e = biases->numElements(); i < e; ++i)
    if (int64_t bias = biases->intAt(i); !llvm::isInt<48>(bias))
      return layerError(op, diag::OpIntegerParameters, "biases_offset",
                        "a bias does not fit the 48 bits of a sum")
          .found(Twine(bias))
          .expected("-2^47 to 2^47 - 1");
  return success();
}

LogicalResult compass::checkWeightedTypes(Operation *op) {
  bool ok = true;
  auto check = [&](StringRef key, DType type, ArrayRef<DType> known) {
    if (llvm::is_contained(known, type))
      return;
    ok = false;
    std::string names;
    for (DType k : known)
      names += (names.empty() ? "" : " or ") + dtypeName(k).str();
    layerError(op, diag::OpUnsupported, key,
               "layers with this " + key + " cannot be executed")
        .found(dtypeName(type))
        .expected(names);
  };
  DType in = describe(op->getOperand(0)).dtype;
  DType weights = viewConstant(tensorKey(op, keys::weights))->dtype;
  DType bias = viewConstant(tensorKey(op, keys::biases))->dtype;
  constexpr DType kFloats[] = {DType::F32, DType::F16, DType::BF16};
  constexpr DType kIntegers[] = {DType::I8, DType::U8, DType::I16, DType::U16};
  if (isIntegerLayer(op)) {
    check("layer_bottom_type", in, kIntegers);
    check("weights_type", weights, kIntegers);
    // Winograd's kernel and the engine's mode have sums of 32 bits.
    if (boolKey(op, keys::with_winograd))
      check("biases_type", bias, {DType::I32});
    else
      check("biases_type", bias, {DType::I32, DType::I64});
    ok = ok && succeeded(checkWideBiases(op));
  } else {
    check("layer_bottom_type", in, kFloats);
    check("weights_type", weights,
          hasWeightsOnly(op) ? ArrayRef<DType>(kIntegers)
                             : ArrayRef<DType>(kFloats));
    check("biases_type", bias, kFloats);
  }
  return success(ok);
}

static LogicalResult addIntConv(Operation *op, const ConvCall &call,
                                const BufferBinding &weights,
                                LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::Conv2DIntParams p;
  p.shape = call.shape;
  p.inType = in.dtype;
  p.weightType = weights.view.dtype;
  p.biasType = viewConstant(tensorKey(op, keys::biases))->dtype;
  p.padValue = -in.zp;
  p.inZp = in.zp;
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  if (boolKey(op, keys::with_winograd)) {
    // How great its sums get the transformed weights do not tell.
    if (hasWideMultiplier(op))
      return layerError(op, diag::OpUnsupported, "scale_type",
                        "multipliers of more than 16 bits cannot be executed "
                        "with with_winograd=true");
    auto winograd = winogradParams(op, p);
    if (failed(winograd))
      return failure();
    program.call<kernels::Conv2DWinogradInt>(*winograd);
    return success();
  }
  if (failed(checkWeightedSums(op, p.requant, weights.view)))
    return failure();
  switch (call.kind) {
  case ConvKind::Direct:
    program.call<kernels::Conv2DInt>(p);
    break;
  case ConvKind::Depthwise:
    program.call<kernels::DepthwiseConv2DInt>(p);
    break;
  case ConvKind::Transposed:
    program.call<kernels::ConvTranspose2DInt>(p);
    break;
  }
  return success();
}

/// Packs the weights.
static LogicalResult addFloatConv(Operation *op, const ConvCall &call,
                                  BufferBinding &weights,
                                  LayerProgram &program) {
  if (boolKey(op, keys::with_winograd))
    return layerError(op, diag::OpUnsupported, keys::with_winograd,
                      "with_winograd=true can be executed only in integer IR")
        .hint("quantize the layer in its plain form");
  kernels::Conv2DFloatParams p;
  p.shape = call.shape;
  p.inType = describe(op->getOperand(0)).dtype;
  p.biasType = viewConstant(tensorKey(op, keys::biases))->dtype;
  p.outType = describe(op->getResult(0)).dtype;
  if (failed(buildFloatAct(op, p.act)))
    return failure();
  switch (call.kind) {
  case ConvKind::Direct:
    program.call<kernels::Conv2DFloat>(p);
    weights = packedFilters(weights.view, call.shape);
    break;
  case ConvKind::Depthwise:
    program.call<kernels::DepthwiseConv2DFloat>(p);
    weights = packedDepthwiseFilters(weights.view, call.shape);
    break;
  case ConvKind::Transposed:
    program.call<kernels::ConvTranspose2DFloat>(p);
    weights = packedTransposedFilters(weights.view, call.shape);
    break;
  }
  return success();
}

/// The stored biases of a transposed convolution hold the input's zero point
/// times all weights of a filter, which serves all groups
/// (docs/operators/conv.md, ConvTranspose). Kernel and engine expect the part
/// of the channel's group alone: the others' part is subtracted here.
static FailureOr<BufferBinding> biasesOfGroups(Operation *op,
                                               const kernels::Conv2DShape &s,
                                               const ConstantView &weights) {
  int64_t zp = describe(op->getOperand(0)).zp;
  auto stored = viewConstant(tensorKey(op, keys::biases));
  int64_t filters = s.outC / s.groups, depth = s.inC / s.groups,
          taps = int64_t(s.kernelH) * s.kernelW;
  bool isWide = stored->dtype == DType::I64;
  std::vector<char> bytes;
  for (int64_t o = 0; o < s.outC; ++o) {
    int64_t bias = stored->intAt(o);
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t c = 0; c < s.inC; ++c)
        if (c / depth != o / filters)
          bias -= zp * weights.intAt((o % filters * taps + tap) * s.inC + c);
    if (isWide ? !llvm::isInt<48>(bias) : !llvm::isInt<32>(bias))
      return layerError(op, diag::OpUnsupported, keys::biases,
                        Twine("a bias exceeds ") + (isWide ? "48" : "32") +
                            " bits without the input's zero point")
          .found(Twine(bias));
    // Little-endian hosts only: the low bytes are the encoding.
    const char *begin = reinterpret_cast<const char *>(&bias);
    bytes.insert(bytes.end(), begin, begin + (isWide ? 8 : 4));
  }
  return constant({int64_t(s.outC)}, stored->dtype, std::move(bytes));
}

LogicalResult compass::addConv(Operation *op, const ConvCall &call,
                               LayerProgram &program) {
  BufferBinding weights = call.weights;
  if (!weights) {
    auto constants = weightConstants(op);
    if (failed(constants))
      return failure();
    weights = *constants;
  }
  if (failed(isIntegerLayer(op) ? addIntConv(op, call, weights, program)
                                : addFloatConv(op, call, weights, program)))
    return failure();
  KernelCall &kernel = program.last();
  bindWeighted(op, kernel);
  kernel["weights"] = weights;
  if (call.kind == ConvKind::Transposed && call.shape.groups > 1 &&
      isIntegerLayer(op)) {
    auto biases = biasesOfGroups(op, call.shape, weights.view);
    if (failed(biases))
      return failure();
    kernel["bias"] = *biases;
  }
  if (call.input)
    kernel["input"] = call.input;
  if (kernel.has("tapShifts"))
    kernel["tapShifts"] = constant(tensorKey(op, keys::winograd_tap_shift));
  return success();
}

LogicalResult compass::buildImageConv(Operation *op, ConvKind kind,
                                      LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  int64_t group = kind == ConvKind::Depthwise ? 1 : intKey(op, keys::group);
  auto weights = weightsOf(op, 4, kind == ConvKind::Transposed ? group : 1);
  if (failed(weights))
    return failure();
  WindowKeys w = windowKeys(op);
  // The key may be absent: the weights tell it as well.
  w.kernelY = weights->shape[1], w.kernelX = weights->shape[2];
  if (failed(checkWindow(op, w)) || failed(checkWeightedTypes(op)))
    return failure();
  // With Winograd the window is a tile.
  ConvCall call{.kind = kind};
  kernels::Conv2DShape &s = call.shape;
  setWindow(s, in, out, w);
  s.inC = in.shape[3], s.outC = out.shape[3];
  s.groups = group;
  return addConv(op, call, program);
}
