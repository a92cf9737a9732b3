//===- AbsentKeys.cpp - What the shapes tell of absent keys ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/AbsentKeys.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/detect/DetectOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/norm/NormOps.h"
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

/// Pads of an axis together, so that the result has \p out elements of it.
static int64_t padsFor(Operation *op, WindowAxis axis, int64_t in,
                       int64_t out) {
  if (isa<ConvTransposeOp, ConvTranspose3DOp>(op))
    return (in - 1) * axis.stride + axis.span() +
           intKey(op, axis.keys->outputPadding) - out;
  auto winograd = op->getAttrOfType<BoolAttr>("with_winograd");
  bool isTile = axis.name == 'x' ||
                (axis.name == 'y' && intsKey(op, keys::Fmnrs).size() > 2);
  if (winograd && winograd.getValue() && isTile) {
    // Kernel and stride are those of tiles: m + r - 1 and m, for a kernel of r.
    axis.kernel -= axis.stride - 1;
    axis.stride = 1;
  }
  return (out - 1) * axis.stride + axis.span() - in;
}

/// With ceil_mode a last window that sticks out needs no pads.
static bool sticksOut(Operation *op, const WindowAxis &axis, int64_t pads) {
  auto ceil = op->getAttrOfType<BoolAttr>("ceil_mode");
  return ceil && ceil.getValue() && pads < axis.stride;
}

/// "If not present, compute and output the same shape": the least pads that
/// explain the declared shape, half of them, rounded down, in front.
static void fillPads(Operation *op, SmallVectorImpl<std::string> &reported) {
  bool isVolume = isa<Convolution3DOp, ConvTranspose3DOp, Pooling3DOp>(op);
  if (!isVolume &&
      !isa<ConvolutionOp, DepthwiseConvOp, ConvTransposeOp, ConvIntegerOp,
           DilationOp, ErosionOp, PoolingOp, MaxPoolingWithArgMaxOp>(op))
    return;
  unsigned spatial = isVolume ? 3 : 2;
  if (op->getNumOperands() == 0 || inputShape(op, 0).size() != spatial + 2 ||
      declaredShape(op, 0).size() != spatial + 2)
    return;
  ElementsAttr attr = tensorKey(op, keys::weights);
  auto weights = attr ? viewConstant(attr) : std::nullopt;
  if (weights && weights->shape.size() != spatial + 2)
    return;
  Builder b(op->getContext());
  for (const WindowAxis &axis :
       windowAxes(op, spatial, weights ? &*weights : nullptr)) {
    IntKey before = axis.keys->before, after = axis.keys->after;
    bool hasBefore = op->hasAttr(before), hasAfter = op->hasAttr(after);
    if ((hasBefore && hasAfter) || axis.kernel < 1 || axis.stride < 1)
      continue;
    int64_t pads = padsFor(op, axis, inputShape(op, 0)[axis.dataAxis],
                           declaredShape(op, 0)[axis.dataAxis]);
    // More would make windows of nothing but padding: the shape is wrong.
    if (pads > 2 * (axis.span() - 1) || sticksOut(op, axis, pads))
      continue;
    pads = std::max<int64_t>(pads, 0);
    int64_t front = hasBefore  ? axis.before
                    : hasAfter ? std::max<int64_t>(pads - axis.after, 0)
                               : pads / 2;
    auto set = [&](StringRef key, int64_t value) {
      if (op->hasAttr(key))
        return;
      op->setAttr(key, b.getI64IntegerAttr(value));
      reported.push_back((key + "=" + Twine(value)).str());
    };
    set(before, front);
    set(after, std::max<int64_t>(pads - front, 0));
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The shape of the bias, where the operator has one; nothing where it has
/// none.
static SmallVector<int64_t> biasShape(Operation *op,
                                      const ConstantView &weights) {
  if (weights.shape.empty())
    return {};
  int64_t rows = weights.shape[0];
  if (isa<ConvTransposeOp, ConvTranspose3DOp>(op))
    return {rows * std::max<int64_t>(intKey(op, keys::group), 1)};
  if (isa<ConvolutionOp, DepthwiseConvOp, Convolution3DOp, FullyConnectedOp,
          BasicLSTMOp, GRUv3Op>(op))
    return {rows};
  if (isa<GRUv1Op>(op)) // the hidden gate's two products have one each
    return {rows / 3 * 4};
  if (isa<BatchNormOp, LayerNormOp, GroupNormOp, InstanceNormOp>(op))
    return weights.shape;
  return {};
}

/// "If bias is necessary, a bias vector will be added".
static void fillBias(Operation *op) {
  ElementsAttr attr = tensorKey(op, keys::weights);
  auto weights = attr ? viewConstant(attr) : std::nullopt;
  if (!weights || op->hasAttr("biases"))
    return;
  SmallVector<int64_t> shape = biasShape(op, *weights);
  if (shape.empty())
    return;
  StoredType type;
  if (isIntegerLayer(op))
    type = {DType::I32};
  else if (dtypeIsFloat(weights->dtype))
    type = weights->storedType();
  else // weights alone are stored as integers
    type = {DType::F32};
  size_t sizeBytes = product(shape) * kernels::dtypeBytes(type.dtype);
  op->setAttr("biases", makeConstant(op->getContext(),
                                     (layerNameOf(op) + ".biases").str(), shape,
                                     type, std::vector<char>(sizeBytes)));
}

/// Elements of \p from in the order of \p shape, to which it broadcasts.
static std::vector<char> broadcastBytes(const ConstantView &from,
                                        ArrayRef<int64_t> shape) {
  size_t bytes = kernels::dtypeBytes(from.dtype);
  std::vector<char> result;
  result.reserve(product(shape) * bytes);
  for (int64_t i = 0, e = product(shape); i < e; ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      int64_t index = rest % shape[axis];
      rest /= shape[axis];
      size_t lead = shape.size() - from.shape.size();
      if (axis < lead)
        continue;
      int64_t length = from.shape[axis - lead];
      at += (length == 1 ? 0 : index) * stride;
      stride *= length;
    }
    const char *element = from.bytes.data() + at * bytes;
    result.insert(result.end(), element, element + bytes);
  }
  return result;
}

static bool broadcasts(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from.size() > to.size())
    return false;
  for (auto [a, b] : llvm::zip(llvm::reverse(from), llvm::reverse(to)))
    if (a != b && a != 1)
      return false;
  return true;
}

/// Lengths of the axes that gamma and beta are of; empty if the layer has none.
static SmallVector<int64_t> affineShape(Operation *op) {
  if (op->getNumOperands() == 0)
    return {};
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t rank = x.size();
  SmallVector<int64_t> axes;
  if (isa<LayerNormOp>(op))
    axes = intsKey(op, keys::axis);
  else if (isa<GroupNormOp>(op))
    axes = {intKey(op, keys::axis)};
  else if (isa<InstanceNormOp>(op))
    axes = {-1};
  for (int64_t &axis : axes) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
      return {};
  }
  llvm::sort(axes);
  return llvm::map_to_vector(axes, [&](int64_t axis) { return x[axis]; });
}

/// Gamma and beta are "broadcastable or the same shape as the input tensor's
/// dimension that axis specifies".
static void spreadAffine(Operation *op) {
  SmallVector<int64_t> shape = affineShape(op);
  if (shape.empty())
    return;
  for (TensorKey key : {keys::weights, keys::biases}) {
    ElementsAttr attr = tensorKey(op, key);
    auto view = attr ? viewConstant(attr) : std::nullopt;
    if (!view || view->numElements() == product(shape) ||
        !broadcasts(view->shape, shape))
      continue;
    op->setAttr(key,
                makeConstant(op->getContext(),
                             (layerNameOf(op) + "." + key).str(), shape,
                             view->storedType(), broadcastBytes(*view, shape)));
  }
}

/// The one table that the definition's DecodeBox has for all that the tools
/// write apart.
static void cutBoxTable(Operation *op) {
  ElementsAttr attr = isa<DecodeBoxOp>(op) && op->getNumOperands() > 1
                          ? tensorKey(op, keys::weights)
                          : nullptr;
  auto all = attr ? viewConstant(attr) : std::nullopt;
  constexpr int64_t kEntries = 256;
  ArrayRef<int64_t> deltas;
  if (all)
    deltas = inputShape(op, 1);
  if (deltas.size() != 3 || all->numElements() != 4 * (deltas[1] + kEntries) ||
      op->hasAttr("xcenter"))
    return;
  ArrayRef<char> rest = all->bytes;
  for (StringRef key : {"xcenter", "ycenter", "ha", "wa", "ty_lut", "tx_lut",
                        "th_lut", "tw_lut"}) {
    int64_t length = key.ends_with("_lut") ? kEntries : deltas[1];
    ArrayRef<char> part =
        rest.take_front(length * kernels::dtypeBytes(all->dtype));
    rest = rest.drop_front(part.size());
    op->setAttr(key,
                makeConstant(op->getContext(),
                             (layerNameOf(op) + "." + key).str(), {length},
                             all->storedType(), {part.begin(), part.end()}));
  }
  op->removeAttr("weights");
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static void fillLists(Operation *op) {
  Builder b(op->getContext());
  if (isa<MVNOp>(op) && !op->hasAttr("axis"))
    op->setAttr("axis", b.getDenseI64ArrayAttr({0, 1, 2}));
  // "By default, the tensor is split to the equal sized parts."
  if (isa<SplitOp>(op) && !op->hasAttr("splits") && op->getNumOperands() != 0) {
    ArrayRef<int64_t> x = inputShape(op, 0);
    int64_t axis = intKey(op, keys::axis), parts = op->getNumResults();
    axis += axis < 0 ? int64_t(x.size()) : 0;
    if (axis >= 0 && axis < int64_t(x.size()) && x[axis] % parts == 0)
      op->setAttr("splits", b.getDenseI64ArrayAttr(
                                SmallVector<int64_t>(parts, x[axis] / parts)));
  }
}

std::string compass::fillAbsentKeys(Operation *op) {
  if (op->getNumResults() == 0)
    return "";
  SmallVector<std::string> reported;
  fillPads(op, reported);
  fillBias(op);
  spreadAffine(op);
  cutBoxTable(op);
  fillLists(op);
  return llvm::join(reported, ", ");
}
