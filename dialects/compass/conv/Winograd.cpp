//===- Winograd.cpp - Convolutions with transformed weights ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/Winograd.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/ZeroPoints.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static_assert(kernels::kMaxWinogradTile == kMaxWinogradTile);

namespace {

/// F(outputs, kernel) of one axis as the keys have it, of any size.
struct Sizes {
  int64_t outputs, kernel;
  int64_t tile() const { return outputs + kernel - 1; }
  std::string text() const {
    return ("F(" + Twine(outputs) + "," + Twine(kernel) + ")").str();
  }
};
struct Fmnrs {
  Sizes y, x;
  bool is2D;
};

} // namespace

static constexpr KeyName kIntegerKeys[] = {keys::winograd_tap_shift,
                                           keys::winograd_output_shift};

static Fmnrs fmnrsOf(Operation *op, const ConstantView &weights) {
  SmallVector<int64_t> f = intsKey(op, keys::Fmnrs);
  if (f.size() == 4)
    return {{f[1], f[3]}, {f[0], f[2]}, /*is2D=*/true};
  if (f.size() != 2)
    f = {2, 3}; // what the reference tools make
  return {{1, weights.shape[1]}, {f[0], f[1]}, /*is2D=*/false};
}

bool compass::isWinogradLayer(Operation *op) {
  return boolKey(op, keys::with_winograd); // a key of Convolution alone
}

SmallVector<StringRef> compass::ownWinogradKeys(Operation *op) {
  SmallVector<StringRef> keys;
  if (!isWinogradLayer(op))
    return keys;
  if (SmallVector<int64_t> f = intsKey(op, keys::Fmnrs);
      !f.empty() && ArrayRef<int64_t>(f) != ArrayRef<int64_t>({2, 3}))
    keys.push_back("Fmnrs");
  for (KeyName key : kIntegerKeys)
    if (op->hasAttr(key))
      keys.push_back(key);
  return keys;
}

std::optional<WinogradForm> compass::winogradOf(Operation *op) {
  if (!isWinogradLayer(op))
    return std::nullopt;
  ElementsAttr attr = tensorKey(op, keys::weights);
  auto weights = attr ? viewConstant(attr) : std::nullopt;
  if (!weights || weights->shape.size() != 4)
    return std::nullopt;
  Fmnrs f = fmnrsOf(op, *weights);
  for (const Sizes &axis : {f.y, f.x})
    if (axis.outputs < 1 || axis.kernel < 1 || axis.tile() > kMaxWinogradTile)
      return std::nullopt;
  WinogradForm form;
  form.y = winogradMatrices(f.y.outputs, f.y.kernel);
  form.x = winogradMatrices(f.x.outputs, f.x.kernel);
  form.is2D = f.is2D;
  if (ElementsAttr shifts = tensorKey(op, keys::winograd_tap_shift))
    if (auto view = viewConstant(shifts))
      form.tapShifts = {reinterpret_cast<const uint8_t *>(view->bytes.data()),
                        view->bytes.size()};
  form.outputShift = intKey(op, keys::winograd_output_shift);
  return form;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The line of IR text that shows a key: constants have one for each property.
static std::string lineOf(Operation *op, KeyName key) {
  bool isConstant = bool(op->getAttrOfType<ElementsAttr>(key));
  return (key + (isConstant ? "_shape" : "")).str();
}

static LogicalResult checkNoWinogradKeys(Operation *op) {
  LayerCheck check(op);
  for (KeyName key : kIntegerKeys)
    if (op->hasAttr(key))
      check
          .problem(diag::OpBadAttribute, lineOf(op, key),
                   "the key " + key + " applies only to Winograd layers")
          .found("with_winograd=false or absent")
          .expected("with_winograd=true")
          .hint("remove the keys of " + key +
                ", or set with_winograd=true if the weights are transformed");
  return success(check.ok());
}

static void checkTapShifts(Operation *op, LayerCheck &check,
                           const ConstantView &weights) {
  constexpr TensorKey key = keys::winograd_tap_shift;
  ElementsAttr attr = tensorKey(op, key);
  auto shifts = attr ? viewConstant(attr) : std::nullopt;
  if (!shifts)
    return;
  auto expected = ArrayRef<int64_t>(weights.shape).take_front(3);
  if (ArrayRef<int64_t>(shifts->shape) != expected)
    check
        .problem(diag::OpIntegerParameters, (key + "_shape").str(),
                 "winograd_tap_shift is not one value per output channel and "
                 "tap")
        .found(shapeText(shifts->shape))
        .expected(shapeText(expected) + ": all but the last length of the "
                                        "weights");
  if (shifts->dtype != DType::U8) {
    check
        .problem(diag::OpIntegerParameters, (key + "_type").str(),
                 "winograd_tap_shift has a wrong element type")
        .found(dtypeName(shifts->storedType()))
        .expected(dtypeName(DType::U8));
    return;
  }
  int64_t taps = std::max<int64_t>(weights.shape[1] * weights.shape[2], 1);
  for (int64_t i = 0; i < shifts->numElements(); ++i)
    if (int64_t shift = shifts->intAt(i); shift > kMaxWinogradTapShift) {
      check
          .problem(diag::OpIntegerParameters, (key + "_offset").str(),
                   "winograd_tap_shift holds a shift that is out of range")
          .found(Twine(shift) + " of output channel " + Twine(i / taps) +
                 ", tap " + Twine(i % taps))
          .expected("0 to " + Twine(kMaxWinogradTapShift));
      return; // one of many is enough
    }
}

/// The keys of one axis that is cut in tiles.
static void checkTiles(LayerCheck &check, const WindowAxis &axis,
                       const Sizes &sizes) {
  if (axis.kernel != sizes.tile())
    check
        .problem(diag::OpInvalid, axis.keys->kernel,
                 "the kernel is not the tile of " + sizes.text())
        .found(Twine(axis.kernel))
        .expected(Twine(sizes.tile()));
  if (axis.stride != sizes.outputs)
    check
        .problem(diag::OpInvalid, axis.keys->stride,
                 "the stride is not that of the tiles of " + sizes.text())
        .found(Twine(axis.stride))
        .expected(Twine(sizes.outputs));
}

LogicalResult compass::undoWinograd(Operation *op, const ConstantView &weights,
                                    MutableArrayRef<WindowAxis> axes) {
  if (!isWinogradLayer(op))
    return checkNoWinogradKeys(op);
  LayerCheck check(op);
  size_t count = intsKey(op, keys::Fmnrs).size();
  if (count != 0 && count != 2 && count != 4)
    return check
        .problem(diag::OpBadAttribute, keys::Fmnrs,
                 "the key Fmnrs has a wrong number of values")
        .found(Twine(count))
        .expected("[m,r] or [m,n,r,s]");
  Fmnrs f = fmnrsOf(op, weights);
  for (WindowAxis &axis : axes) {
    bool isX = axis.name == 'x';
    if (axis.dilation != 1)
      check
          .problem(diag::OpInvalid, axis.keys->dilation,
                   "a Winograd layer cannot have dilation")
          .found(Twine(axis.dilation))
          .expected("1");
    if (!isX && !f.is2D)
      continue;
    const Sizes &sizes = isX ? f.x : f.y;
    checkTiles(check, axis, sizes);
    axis.kernel = sizes.kernel, axis.stride = 1;
  }
  if (int64_t group = intKey(op, keys::group); group != 1)
    check
        .problem(diag::OpInvalid, keys::group,
                 "a Winograd layer cannot have groups")
        .found(Twine(group))
        .expected("1");
  if (check.isInteger())
    checkTapShifts(op, check, weights);
  return success(check.ok());
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

static LayerError notExecuted(Operation *op, StringRef key,
                              const Twine &message) {
  return layerError(op, diag::OpUnsupported, key, message);
}

static kernels::WinogradAxis axisOf(const WinogradMatrices &f) {
  kernels::WinogradAxis axis;
  axis.outputs = f.outputs, axis.kernel = f.kernel;
  auto entry = [](const Rational &r) {
    assert(r.isInteger() && llvm::isInt<8>(r.num));
    return int8_t(r.num);
  };
  for (unsigned j = 0; j < f.tile(); ++j) {
    for (unsigned k = 0; k < f.tile(); ++k)
      axis.inputTransform[j][k] = entry(f.bt(j, k));
    for (unsigned i = 0; i < f.outputs; ++i)
      axis.outputTransform[i][j] = entry(f.at(i, j));
  }
  return axis;
}

/// The largest sum of magnitudes of a row.
template <typename Entry>
static uint64_t gain(unsigned rows, unsigned columns, Entry entry) {
  uint64_t most = 0;
  for (unsigned i = 0; i < rows; ++i) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < columns; ++k)
      sum += std::abs(entry(i, k).num);
    most = std::max(most, sum);
  }
  return most;
}

/// The kernel sums in 64 bits: is that enough for any input and any weights of
/// these types?
static LogicalResult checkFormSums(Operation *op, const WinogradForm &form,
                                   const kernels::Conv2DIntParams &conv) {
  unsigned shift = 0;
  for (uint8_t s : form.tapShifts)
    shift = std::max<unsigned>(shift, s);
  uint64_t product = conv.shape.inC;
  auto times = [&](uint64_t factor) {
    product = llvm::SaturatingMultiply(product, factor);
  };
  times(kernels::dtypeBytes(conv.inType) == 1 ? 255 : 65535);
  times(conv.weightType == DType::I8 ? 128 : 32768);
  times(uint64_t(1) << shift);
  for (const WinogradMatrices *f : {&form.y, &form.x}) {
    unsigned tile = f->tile();
    times(gain(tile, tile, [&](auto i, auto k) { return f->bt(i, k); }));
    times(gain(f->outputs, tile, [&](auto i, auto k) { return f->at(i, k); }));
  }
  if (product <= uint64_t(INT64_MAX))
    return success();
  return notExecuted(op, "winograd_tap_shift_shape",
                     "the sums of this Winograd layer can exceed 64 bits")
      .found("shifts up to " + Twine(shift))
      .expected("a product of channels, largest input and weight, 2^shift and "
                "the gains of the transforms below 2^63");
}

FailureOr<kernels::Conv2DWinogradParams>
compass::winogradParams(Operation *op, const kernels::Conv2DIntParams &conv) {
  if (hasWeightZeroPoint(op))
    return notExecuted(op, "weights_zp",
                       "Winograd layers whose weights have a zero point cannot "
                       "be executed")
        .expected("0");
  auto form = winogradOf(op);
  bool isIntegral = form && form->y.isIntegral() && form->x.isIntegral();
  if (!isIntegral) {
    LayerError error = notExecuted(
        op, "Fmnrs",
        form ? "Winograd's transforms of this size have fractional entries, so "
               "the layer has no exact integer form"
             : "Winograd layers with tiles of this size cannot be executed");
    error.found("tiles of " + Twine(conv.shape.kernelH) + " rows and " +
                Twine(conv.shape.kernelW) + " columns");
    error.expected("tiles of m+r-1 up to 6, such as F(2,3), F(4,3), "
                   "F(2x2,3x3), F(4x4,3x3); rows that are only summed up to " +
                   Twine(kMaxWinogradTile));
    return error;
  }
  if (!form->is2D && conv.shape.strideH != 1)
    return notExecuted(
               op, "stride_y",
               "1-D Winograd layers with a stride in rows cannot be executed")
        .found(Twine(conv.shape.strideH))
        .expected("1");
  if (failed(checkFormSums(op, *form, conv)))
    return failure();
  kernels::Conv2DWinogradParams p;
  p.conv = conv;
  p.conv.shape.kernelH = form->y.kernel, p.conv.shape.kernelW = form->x.kernel;
  p.conv.shape.strideH = p.conv.shape.strideW = 1;
  p.y = axisOf(form->y), p.x = axisOf(form->x);
  p.hasTapShifts = !form->tapShifts.empty();
  p.outputShift = form->outputShift;
  return p;
}
