//===- Pointwise.cpp - Functions of single elements on the engine ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/Pointwise.h"
#include "isa/CommandRules.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Of the descriptor's 16-bit fields; a multiple of every array's pixels.
static constexpr uint64_t kMostExtent = 1 << 15;
/// Where they are many, the TECs need less time than the commands.
static constexpr size_t kMostParts = 64;
/// Channels with a weight and a bias each.
static constexpr uint64_t kMostChannels = 1 << 13;

uint32_t Pointwise::outBytes() const {
  return isa::elementBytes(isa::writtenType(stage));
}

/// Whether \p outer goes on where \p inner ends, in every tensor.
static bool continues(const PointAxis &outer, const PointAxis &inner) {
  auto goesOn = [&](int64_t PointAxis::*step) {
    return outer.*step == inner.*step * int64_t(inner.size);
  };
  return goesOn(&PointAxis::in) && goesOn(&PointAxis::other) &&
         goesOn(&PointAxis::out);
}

SmallVector<PointAxis, 4> npu::joinedAxes(ArrayRef<PointAxis> axes,
                                          bool hasSlopes) {
  SmallVector<PointAxis, 4> joined;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    bool isKept = hasSlopes && i + 1 == axes.size();
    if (axis.size == 1 && !isKept)
      continue;
    if (!isKept && !joined.empty() && continues(joined.back(), axis)) {
      uint64_t size = joined.back().size * axis.size;
      joined.back() = axis;
      joined.back().size = size;
    } else {
      joined.push_back(axis);
    }
  }
  return joined;
}

namespace {
/// Cuts axes into commands.
class PointCutter {
public:
  PointCutter(bool hasSlopes, const isa::MacArray &array)
      : hasSlopes(hasSlopes), array(array) {}

  std::vector<PointPart> parts;
  bool isTooMuch = false;

  void cutChannels(SmallVector<PointAxis, 4> axes, PointPart at);

private:
  void cutPixels(SmallVector<PointAxis, 4> axes, PointPart at);
  /// Calls \p cut for the axes with the last of them in blocks, and for what is
  /// left.
  template <typename Cut>
  void inBlocks(SmallVector<PointAxis, 4> axes, uint64_t block, PointPart at,
                Cut cut);

  bool hasSlopes;
  const isa::MacArray &array;
};
} // namespace

static void advance(PointPart &at, const PointAxis &axis, uint64_t count) {
  at.in += count * axis.in;
  at.other += count * axis.other;
  at.out += count * axis.out;
}

template <typename Cut>
void PointCutter::inBlocks(SmallVector<PointAxis, 4> axes, uint64_t block,
                           PointPart at, Cut cut) {
  PointAxis whole = axes.pop_back_val();
  uint64_t blocks = whole.size / block, rest = whole.size % block;
  if (blocks != 0) {
    SmallVector<PointAxis, 4> some = axes;
    int64_t step = int64_t(block);
    some.push_back(
        {blocks, whole.in * step, whole.other * step, whole.out * step});
    some.push_back(whole);
    some.back().size = block;
    cut(some, at);
  }
  if (rest != 0) {
    advance(at, whole, blocks * block);
    axes.push_back(whole);
    axes.back().size = rest;
    cut(axes, at);
  }
}

void PointCutter::cutChannels(SmallVector<PointAxis, 4> axes, PointPart at) {
  // Channels touch, and have an element of the other operand each or all one.
  auto areChannels = [](const PointAxis &axis) {
    return axis.in == 1 && axis.out == 1 &&
           (axis.other == 0 || axis.other == 1);
  };
  if (axes.empty() || (!areChannels(axes.back()) && axes.back().size != 1))
    axes.push_back({1, 1, 0, 1});
  uint64_t pixels = 1;
  for (const PointAxis &axis : ArrayRef(axes).drop_back())
    pixels *= axis.size;
  // Few pixels leave most of the array idle, and very many channels take long
  // constants: channels become pixels.
  if (!hasSlopes &&
      (pixels < array.pixels || axes.back().size > kMostChannels) &&
      axes.back().size >= 2 * array.inputLanes)
    return inBlocks(axes, array.inputLanes, at,
                    [&](SmallVector<PointAxis, 4> some, PointPart place) {
                      cutPixels(std::move(some), place);
                    });
  cutPixels(std::move(axes), at);
}

void PointCutter::cutPixels(SmallVector<PointAxis, 4> axes, PointPart at) {
  if (isTooMuch)
    return;
  at.channels = axes.pop_back_val();
  // Of the axes around the channels the two longest are the command's.
  auto order = llvm::to_vector<4>(llvm::seq<size_t>(0, axes.size()));
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return axes[a].size > axes[b].size; });
  SmallVector<PointAxis, 4> kept, outer;
  for (auto [i, axis] : llvm::enumerate(axes))
    (llvm::is_contained(ArrayRef(order).take_front(2), i) ? kept : outer)
        .push_back(axis);
  if (kept.size() < 2 && !kept.empty() && kept.back().size > kMostExtent)
    return inBlocks(kept, kMostExtent, at,
                    [&](SmallVector<PointAxis, 4> some, PointPart place) {
                      some.push_back(at.channels);
                      cutPixels(std::move(some), place);
                    });
  uint64_t count = 1;
  for (const PointAxis &axis : outer)
    count *= axis.size;
  isTooMuch = count > kMostParts || parts.size() + count > kMostParts ||
              llvm::any_of(kept, [](const PointAxis &axis) {
                return axis.size > UINT16_MAX;
              });
  if (isTooMuch)
    return;
  at.pixels = kept.empty() ? PointAxis() : kept.back();
  at.rows = kept.size() < 2 ? PointAxis() : kept.front();
  for (uint64_t i = 0; i < count; ++i) {
    PointPart part = at;
    uint64_t rest = i;
    for (const PointAxis &axis : llvm::reverse(outer)) {
      advance(part, axis, rest % axis.size);
      rest /= axis.size;
    }
    parts.push_back(part);
  }
}

std::vector<PointPart> npu::partsOf(ArrayRef<PointAxis> axes, bool hasSlopes,
                                    const isa::MacArray &array) {
  PointCutter cutter(hasSlopes, array);
  cutter.cutChannels(joinedAxes(axes, hasSlopes), PointPart());
  return cutter.isTooMuch ? std::vector<PointPart>() : std::move(cutter.parts);
}

isa::Conv npu::commandOf(const Pointwise &f, const PointPart &part) {
  isa::Conv d = f.stage;
  d.depthwise = true;
  d.kernelY = d.kernelX = d.strideY = d.strideX = 1;
  d.dilationY = d.dilationX = d.groups = 1;
  d.inChannels = d.outChannels = uint32_t(part.channels.size);
  d.inHeight = d.outHeight = uint16_t(part.rows.size);
  d.inWidth = d.outWidth = uint16_t(part.pixels.size);
  auto stride = [](const PointAxis &axis, int64_t step, uint64_t bytes) {
    return axis.size == 1 ? 0 : uint32_t(step * int64_t(bytes));
  };
  d.inRowStride = stride(part.rows, part.rows.in, f.inBytes());
  d.inPixelStride = stride(part.pixels, part.pixels.in, f.inBytes());
  d.outRowStride = stride(part.rows, part.rows.out, f.outBytes());
  d.outPixelStride = stride(part.pixels, part.pixels.out, f.outBytes());
  d.input = uint32_t(part.in * f.inBytes());
  d.output = uint32_t(part.out * f.outBytes());
  if (!d.hasResidual)
    return d;
  d.residualPerPixel = part.channels.size > 1 && part.channels.other == 0;
  d.residualRowStride = stride(part.rows, part.rows.other, f.otherBytes());
  d.residualPixelStride =
      stride(part.pixels, part.pixels.other, f.otherBytes());
  d.residual = uint32_t(part.other * f.otherBytes());
  return d;
}
