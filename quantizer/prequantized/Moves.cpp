//===- Moves.cpp - Layers that keep stored integers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "quantizer/prequantized/Forms.h"
#include "quantizer/prequantized/RealNumbers.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::compass;

/// A border holds the integer of its real value.
static void storeBorder(mlir::Operation *op, const StoredTensor &stored) {
  auto real = numberOf(op->getAttr(keys::constant_value));
  mlir::Builder b(op->getContext());
  op->setAttr(keys::constant_value,
              b.getF64FloatAttr(double(stored.nearest(real.value_or(0)))));
}

/// Whether results say where a value is, or how many there are: values that
/// another scale makes equal are not.
static bool returnsPositions(mlir::Operation *op) {
  return llvm::any_of(op->getResults(), [](mlir::Value result) {
    TensorInfo info = describe(result);
    return !info.isFloat() && !info.isQuantized();
  });
}

/// The layer sees its operands as they are, and what it makes of them comes to
/// the result's scale behind it.
static bool giveChoice(PrequantizedLayer &layer) {
  mlir::Operation *op = layer.op;
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("an operand is not stored");
  for (mlir::Value operand : op->getOperands())
    if (auto other = storedTensorOf(operand); other && !other->means(*in))
      return layer.hasNoForm("its operands have different scales");
  if (!isStored(op->getResult(0)) || in->means(layer.output))
    return true;
  return layer.castResult(*in);
}

bool yarrow::giveMove(PrequantizedLayer &layer) {
  mlir::Operation *op = layer.op;
  // Results that are stored mean the same: those of the first.
  for (mlir::Value result : op->getResults())
    if (auto stored = storedTensorOf(result);
        stored && !stored->means(layer.output))
      return layer.hasNoForm("its results have different scales");
  for (mlir::Value value : op->getOperands())
    if (describe(value).isFloat())
      return layer.hasNoForm("an operand is not stored");
  for (mlir::Value result : op->getResults().drop_front())
    if (describe(result).isFloat())
      return layer.hasNoForm("a result is not stored");
  if (returnsPositions(op))
    return giveChoice(layer);
  // Clamping the operands clamps what is picked of them.
  if (!layer.castOperands(/*clamps=*/true))
    return false;
  if (mlir::isa<PadOp>(op))
    storeBorder(op, layer.output);
  return true;
}

/// Whether \p rounding gives of every input what DOUBLE does.
static bool roundsLikeDouble(const StoredTensor &in, const StoredTensor &out,
                             Multiplier m, Rounding rounding) {
  auto requantized = [&](int64_t q, Rounding r) {
    return requantize(q - in.zero, m.scale, m.shift, int32_t(-out.zero),
                      int32_t(out.lo), int32_t(out.hi), r);
  };
  for (int64_t q = in.lo; q <= in.hi; ++q)
    if (requantized(q, rounding) != requantized(q, Rounding::Double))
      return false;
  return true;
}

/// TFLite changes scales by a multiplier that rounds twice; of 8 bits, which
/// are tried, mostly once is the same and engines do it.
static Rounding requantRounding(const PrequantizedLayer &layer,
                                const StoredTensor &in, Multiplier m) {
  bool isWide = std::max(in.type.bits(), layer.output.type.bits()) > 8;
  if (layer.options.rounding == PrequantizedRounding::Reference ||
      (isWide && layer.options.rounding == PrequantizedRounding::Once))
    return Rounding::Double;
  if (layer.saidRounding != "DOUBLE" || m.shift < 0)
    return Rounding::HalfEven;
  for (Rounding once : {Rounding::HalfEven, Rounding::HalfUp})
    if (roundsLikeDouble(in, layer.output, m, once))
      return once;
  return Rounding::Double;
}

/// Bits of the weights of a bilinear Resize.
static constexpr int64_t kResizeShift = 13;

/// Whether the weights of a bilinear Resize have so many bits: places of
/// pixels are fractions of a few powers of two.
static bool hasExactWeights(ResizeOp op) {
  std::string mode = wordKey(op, keys::mode, "HALF_PIXEL");
  if (mode == "ALIGN_CORNERS" || op.getAntialias())
    return false;
  auto in = describe(op.getOperand(0)).shape,
       out = describe(op.getResult(0)).shape;
  int64_t parts = 1; // of a pixel
  for (std::size_t axis : {1, 2}) {
    int64_t ratio = out[axis] / in[axis];
    if (out[axis] % in[axis] || (ratio & (ratio - 1)))
      return false;
    parts *= 2 * ratio;
  }
  return parts <= int64_t(1) << kResizeShift;
}

/// TFLite's kernels round weights, too, and differ by a step among themselves.
static bool giveBilinear(PrequantizedLayer &layer, ResizeOp resize) {
  auto in = layer.input(0);
  if (!in || !in->means(layer.output))
    return layer.hasNoForm("its operand has another scale");
  bool hasExact = hasExactWeights(resize);
  // Of 8 bits rounded weights are a sixteenth of a step off, of 16 bits several
  // steps.
  bool isNear = hasExact || in->type.bits() <= 8;
  // Stored integers are rounded to even ones, ONNX rounds what is without the
  // zero point.
  bool isExact = hasExact && in->zero % 2 == 0;
  if (in->type.bits() > 16 || resize.getAntialias() || !isNear ||
      (layer.options.rounding == PrequantizedRounding::Exact && !isExact))
    return layer.hasNoForm("its weights have no exact form");
  layer.setInt(keys::interp_shift_value, kResizeShift);
  return true;
}

bool yarrow::giveResize(PrequantizedLayer &layer) {
  auto resize = mlir::cast<ResizeOp>(layer.op);
  // Layers of integers know the ratio of the lengths alone.
  if (inRealNumbers(layer.op, [&] { return hasOwnRatio(resize); }))
    return layer.hasNoForm("its ratio is not the ratio of the lengths");
  return wordKey(layer.op, keys::method, "BILINEAR") == "NEAREST"
             ? giveMove(layer)
             : giveBilinear(layer, resize);
}

/// A Cast in the place of \p op that clamps by the range of its result.
bool yarrow::giveRequantization(PrequantizedLayer &layer) {
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("its input is not stored");
  if (in->type.bits() > 32)
    return layer.hasNoForm("its input has more than 32 bits");
  auto m = requantOf(*in, layer.output);
  if (!m)
    return layer.hasNoForm("its scales are too far apart");
  if (!mlir::isa<CastOp>(layer.op)) {
    mlir::OpBuilder builder(layer.op);
    auto cast =
        CastOp::create(builder, layer.op->getLoc(), layer.op->getResultTypes(),
                       layer.op->getOperands());
    cast->setAttr(kTopNamesAttr, layer.op->getAttr(kTopNamesAttr));
    layer.op->replaceAllUsesWith(cast->getResults());
    layer.op->erase();
    layer.op = cast;
  }
  layer.setWord(keys::to_dtype, dtypeName(layer.output.type));
  layer.setRequant(*m);
  Rounding rounding = requantRounding(layer, *in, *m);
  if (rounding != Rounding::HalfEven)
    layer.setWord(keys::requant_rounding,
                  rounding == Rounding::Double ? "DOUBLE" : "HALF_UP");
  return true;
}
