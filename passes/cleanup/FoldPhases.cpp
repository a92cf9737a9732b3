//===- FoldPhases.cpp - An image cut into phases before a convolution -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Detectors begin with a "focus": every second row and column, from each of
// the 2 x 2 places to begin, one image after the other along the channels, for
// a convolution with a kernel of k x k. Each weight meets one pixel of the
// whole image, so that the same is a convolution with a kernel of 2k x 2k and
// twice the stride over the image, with the weights in another order. Integers
// give the same bits.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"

#include <cstring>

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// Every steps[i]-th index along axis i, from first[i] on, of \p source.
struct Part {
  Value source;
  SmallVector<int64_t> first, steps;

  /// What \p value is of the tensor before all the slices that make it.
  static std::optional<Part> of(Value value) {
    std::size_t rank = shapeOf(value).size();
    Part part = {value, SmallVector<int64_t>(rank, 0),
                 SmallVector<int64_t>(rank, 1)};
    while (auto slice = part.source.getDefiningOp<SliceOp>())
      if (!part.readThrough(slice))
        return std::nullopt;
    return part;
  }

private:
  bool readThrough(SliceOp slice) {
    Value x = slice->getOperand(0);
    SmallVector<int64_t> begin = intsKey(slice, keys::begin),
                         strides = intsKey(slice, keys::strides);
    strides.resize(strides.empty() ? first.size() : strides.size(), 1);
    if (begin.size() != first.size() || strides.size() != first.size() ||
        getElementTypeOrSelf(x) != getElementTypeOrSelf(slice->getResult(0)))
      return false;
    for (std::size_t i = 0; i < first.size(); ++i) {
      int64_t length = shapeOf(x)[i];
      int64_t from = begin[i] < 0 ? begin[i] + length : begin[i];
      if (from < 0 || from >= length || strides[i] <= 0)
        return false;
      first[i] = from + first[i] * strides[i];
      steps[i] *= strides[i];
    }
    source = x;
    return true;
  }
};

/// Where the channels of a layer's operand come from: channel c is channel
/// places[c].channel of the pixel (row, column) in each cell of rows x columns
/// pixels of the image.
struct Phases {
  struct Place {
    int64_t row, column, channel;
  };
  Value image;
  SmallVector<int64_t> perm; ///< of the transpose that makes the image NHWC
  int64_t rows = 0, columns = 0;
  std::vector<Place> places;

  static std::optional<Phases> before(Operation *op) {
    Phases phases;
    phases.perm = {0, 1, 2, 3};
    Value value = op->getOperand(0);
    if (auto transpose = value.getDefiningOp<TransposeOp>();
        transpose && value.hasOneUse() &&
        getElementTypeOrSelf(transpose->getOperand(0)) ==
            getElementTypeOrSelf(value)) {
      phases.perm = intsKey(transpose, keys::perm);
      value = transpose->getOperand(0);
    } else if (auto blocks = value.getDefiningOp<SpaceToDepthOp>()) {
      bool isAlone =
          value.hasOneUse() && getElementTypeOrSelf(blocks->getOperand(0)) ==
                                   getElementTypeOrSelf(value);
      return isAlone ? std::optional(ofBlocks(blocks)) : std::nullopt;
    }
    auto concat = value.getDefiningOp<ConcatOp>();
    if (!concat || !value.hasOneUse() || shapeOf(value).size() != 4 ||
        axisOf(concat, "axis", 4) != phases.perm[3])
      return std::nullopt;
    for (Value branch : concat->getOperands())
      if (getElementTypeOrSelf(branch) != getElementTypeOrSelf(value) ||
          !phases.add(branch))
        return std::nullopt;
    return phases.isWhole(shapeOf(op->getOperand(0))) ? std::optional(phases)
                                                      : std::nullopt;
  }

private:
  static Phases ofBlocks(SpaceToDepthOp blocks) {
    Phases phases = {blocks->getOperand(0),
                     {0, 1, 2, 3},
                     intKey(blocks, keys::block_size_y),
                     intKey(blocks, keys::block_size_x),
                     {}};
    for (int64_t row = 0; row < phases.rows; ++row)
      for (int64_t column = 0; column < phases.columns; ++column)
        for (int64_t c = 0; c < shapeOf(phases.image)[3]; ++c)
          phases.places.push_back({row, column, c});
    return phases;
  }

  bool add(Value branch) {
    auto part = Part::of(branch);
    if (!part)
      return false;
    int64_t stepDown = part->steps[std::size_t(perm[1])],
            stepRight = part->steps[std::size_t(perm[2])],
            step = part->steps[std::size_t(perm[3])];
    if (!image)
      image = part->source, rows = stepDown, columns = stepRight;
    if (part->source != image || stepDown != rows || stepRight != columns ||
        part->first[std::size_t(perm[0])] != 0)
      return false;
    Place place = {part->first[std::size_t(perm[1])],
                   part->first[std::size_t(perm[2])],
                   part->first[std::size_t(perm[3])]};
    int64_t channels = shapeOf(branch)[std::size_t(perm[3])];
    for (int64_t c = 0; c < channels; ++c, place.channel += step)
      places.push_back(place);
    return true;
  }

  /// Each value of the image, of which \p cut has one pixel a cell, is at one
  /// place.
  bool isWhole(ArrayRef<int64_t> cut) const {
    auto length = [&](int i) {
      return shapeOf(image)[std::size_t(perm[std::size_t(i)])];
    };
    if (rows * columns == 1 || length(0) != cut[0] ||
        length(1) != cut[1] * rows || length(2) != cut[2] * columns ||
        int64_t(places.size()) != rows * columns * length(3))
      return false;
    std::vector<bool> seen(places.size());
    for (const Place &p : places) {
      if (p.row >= rows || p.column >= columns)
        return false;
      auto index =
          std::size_t((p.row * columns + p.column) * length(3) + p.channel);
      if (seen[index])
        return false;
      seen[index] = true;
    }
    return true;
  }
};

/// Weights [output, kernel, kernel, channel of the phases] as those for the
/// image.
ElementsAttr placedWeights(Operation *op, const ConstantView &old,
                           const Phases &phases) {
  int64_t outputs = old.shape[0], tall = old.shape[1], wide = old.shape[2],
          depth = old.shape[3];
  int64_t channels = depth / (phases.rows * phases.columns);
  SmallVector<int64_t> shape = {outputs, tall * phases.rows,
                                wide * phases.columns, channels};
  std::vector<char> bytes(old.bytes.size());
  auto size = std::size_t(kernels::dtypeBytes(old.dtype));
  const char *from = old.bytes.data();
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t y = 0; y < tall; ++y)
      for (int64_t x = 0; x < wide; ++x)
        for (const Phases::Place &p : phases.places) {
          int64_t row = y * phases.rows + p.row,
                  column = x * phases.columns + p.column;
          int64_t to =
              ((o * shape[1] + row) * shape[2] + column) * channels + p.channel;
          std::memcpy(bytes.data() + std::size_t(to) * size, from, size);
          from += size;
        }
  return makeConstant(op->getContext(), (layerNameOf(op) + ".weights").str(),
                      shape, old.storedType(), std::move(bytes));
}

struct PhasesIntoConv : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    auto phases = Phases::before(op);
    if (!phases)
      return rewriter.notifyMatchFailure(op, "no whole image in phases");
    ElementsAttr weights = tensorKey(op, keys::weights);
    auto view = weights ? viewConstant(weights) : std::nullopt;
    WindowKeys keys = windowKeys(op);
    // Integer weights between floats may have a scale for each block of inputs.
    bool isFloat = describe(op->getOperand(0)).isFloat();
    if (!view || dtypeIsFloat(view->dtype) != isFloat ||
        view->shape.size() != 4 || intKey(op, keys::group) != 1 ||
        boolKey(op, keys::with_winograd) || keys.dilationY != 1 ||
        keys.dilationX != 1 || view->shape[1] != keys.kernelY ||
        view->shape[2] != keys.kernelX)
      return rewriter.notifyMatchFailure(op, "not all channels of a window");
    constexpr int64_t kMost = 32767; // of checkWindow
    if (std::max({keys.kernelY, keys.strideY, keys.padTop, keys.padBottom}) >
            kMost / phases->rows ||
        std::max({keys.kernelX, keys.strideX, keys.padLeft, keys.padRight}) >
            kMost / phases->columns)
      return rewriter.notifyMatchFailure(op, "the window becomes too large");
    moveInto(op, *phases, *view, keys, rewriter);
    return success();
  }

private:
  static void moveInto(ConvolutionOp op, const Phases &phases,
                       const ConstantView &weights, const WindowKeys &keys,
                       PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(op);
    Value image = phases.image;
    if (phases.perm != ArrayRef<int64_t>({0, 1, 2, 3})) {
      auto moved = TransposeOp::create(
          rewriter, op->getOperand(0).getLoc(), image,
          rewriter.getNamedAttr(keys::perm,
                                rewriter.getDenseI64ArrayAttr(phases.perm)));
      setTensorName(moved, tensorNameOf(op->getOperand(0)) + "_whole");
      image = moved.getY();
    }
    ElementsAttr placed = placedWeights(op, weights, phases);
    rewriter.modifyOpInPlace(op, [&] {
      auto set = [&](StringRef key, int64_t value) {
        op->setAttr(key, rewriter.getI64IntegerAttr(value));
      };
      set("kernel_y", keys.kernelY * phases.rows);
      set("kernel_x", keys.kernelX * phases.columns);
      set("stride_y", keys.strideY * phases.rows);
      set("stride_x", keys.strideX * phases.columns);
      set("pad_top", keys.padTop * phases.rows);
      set("pad_bottom", keys.padBottom * phases.rows);
      set("pad_left", keys.padLeft * phases.columns);
      set("pad_right", keys.padRight * phases.columns);
      op->setAttr(keys::weights, placed);
      op->setOperand(0, image);
    });
  }
};

} // namespace

void addFoldPhases(RewritePatternSet &patterns) {
  patterns.add<PhasesIntoConv>(patterns.getContext());
}

} // namespace yarrow::cleanup
