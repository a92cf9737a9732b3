//===- CommandBytes.cpp - What a command reads and writes -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/CommandBytes.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

namespace {

/// [begin, end) of rows or columns.
struct Span {
  int64_t begin, end;
};

class Collector {
public:
  void operator()(const Copy &copy);
  void operator()(const Conv &conv);
  void operator()(const MatMul &product);
  void operator()(const Pool &pool);

  std::vector<ByteAccess> take() {
    std::stable_partition(accesses.begin(), accesses.end(),
                          [](const ByteAccess &a) { return !a.isWrite; });
    return std::move(accesses);
  }

private:
  void add(std::string_view what, bool isWrite, ByteSet set) {
    set.normalise();
    accesses.push_back({set, isWrite, what});
  }
  /// Consecutive bytes of the SRAM.
  void addRow(std::string_view what, bool isWrite, uint64_t offset,
              uint64_t sizeBytes) {
    add(what, isWrite,
        {.region = kSramRegion,
         .first = int64_t(offset),
         .runBytes = int64_t(sizeBytes)});
  }
  /// An image in SRAM: pixels of some bytes, by strides.
  void addImage(std::string_view what, bool isWrite, int64_t first,
                int64_t pixelBytes, int64_t rows, int64_t rowStride,
                int64_t columns, int64_t pixelStride) {
    ByteSet set{.region = kSramRegion, .first = first, .runBytes = pixelBytes};
    set.addAxis(columns, pixelStride);
    set.addAxis(rows, rowStride);
    add(what, isWrite, set);
  }
  template <typename D> void addWindows(const D &d);
  template <typename D> void addOutput(const D &d, ElementType type);

  std::vector<ByteAccess> accesses;
};

} // namespace

void Collector::operator()(const Copy &copy) {
  int64_t unit = copy.elementBytes;
  auto side = [&](uint32_t region, uint32_t first,
                  std::array<int64_t, 5> strides) {
    ByteSet set{.region = region, .first = first, .runBytes = unit};
    const int64_t sizes[] = {copy.size0, copy.size1, copy.size2, copy.size3,
                             copy.size4};
    for (unsigned axis = 0; axis < 5; ++axis)
      set.addAxis(sizes[axis], strides[axis]);
    return set;
  };
  if (copy.streamBytes != 0)
    add("src", false,
        {.region = copy.srcRegion,
         .first = copy.src,
         .runBytes = copy.streamBytes});
  else if (!copy.fill)
    add("src", false,
        side(copy.srcRegion, copy.src,
             {copy.srcStride0, copy.srcStride1, copy.srcStride2,
              copy.srcStride3, copy.srcStride4}));
  add("dst", true,
      side(copy.dstRegion, copy.dst,
           {copy.dstStride0, copy.dstStride1, copy.dstStride2, copy.dstStride3,
            copy.dstStride4}));
}

/// Of 0 to \p limit those that any window has: windows begin at -pad and so on
/// by strides, and have cells by dilations.
static std::vector<Span> touched(int64_t windows, int64_t stride, int64_t cells,
                                 int64_t dilation, int64_t pad, int64_t limit) {
  // Where windows follow one another without a gap, all between is touched.
  if (dilation == 1 && stride <= cells) {
    int64_t begin = std::max<int64_t>(0, -pad);
    int64_t end =
        std::min<int64_t>(limit, (windows - 1) * stride - pad + cells);
    if (begin >= end)
      return {};
    return {{begin, end}};
  }
  std::vector<bool> isTouched(static_cast<size_t>(limit), false);
  for (int64_t cell = 0; cell < cells; ++cell)
    for (int64_t w = 0; w < windows; ++w) {
      int64_t at = w * stride - pad + cell * dilation;
      if (at >= limit)
        break;
      if (at >= 0)
        isTouched[size_t(at)] = true;
    }
  std::vector<Span> spans;
  for (int64_t i = 0; i < limit; ++i) {
    if (!isTouched[size_t(i)])
      continue;
    if (spans.empty() || spans.back().end != i)
      spans.push_back({i, i});
    spans.back().end = i + 1;
  }
  return spans;
}

/// Spans of the same length at the same distance are one axis.
static bool isRegular(const std::vector<Span> &spans) {
  for (size_t i = 1; i < spans.size(); ++i)
    if (spans[i].end - spans[i].begin != spans[0].end - spans[0].begin ||
        spans[i].begin - spans[i - 1].begin != spans[1].begin - spans[0].begin)
      return false;
  return true;
}

template <typename D> void Collector::addWindows(const D &d) {
  std::vector<Span> rows = touched(d.outHeight, d.strideY, d.kernelY,
                                   d.dilationY, d.padTop, d.inHeight),
                    columns = touched(d.outWidth, d.strideX, d.kernelX,
                                      d.dilationX, d.padLeft, d.inWidth);
  int64_t pixelBytes = int64_t(elementBytes(d.inType)) * d.inChannels;
  auto addSpans = [&](const Span &row, int64_t numRows, int64_t rowStep,
                      const Span &column, int64_t numColumns,
                      int64_t columnStep) {
    ByteSet set{.region = kSramRegion,
                .first = int64_t(d.input) + row.begin * d.inRowStride +
                         column.begin * d.inPixelStride,
                .runBytes = pixelBytes};
    set.addAxis(column.end - column.begin, d.inPixelStride);
    set.addAxis(numColumns, columnStep * d.inPixelStride);
    set.addAxis(row.end - row.begin, d.inRowStride);
    set.addAxis(numRows, rowStep * d.inRowStride);
    add("input", false, set);
  };
  if (rows.empty() || columns.empty())
    return;
  auto step = [](const std::vector<Span> &spans) {
    return spans.size() > 1 ? spans[1].begin - spans[0].begin : 0;
  };
  if (isRegular(rows) && isRegular(columns))
    return addSpans(rows[0], int64_t(rows.size()), step(rows), columns[0],
                    int64_t(columns.size()), step(columns));
  for (const Span &row : rows)
    for (const Span &column : columns)
      addSpans(row, 1, 0, column, 1, 0);
}

template <typename D> void Collector::addOutput(const D &d, ElementType type) {
  addImage("output", true, d.output,
           int64_t(elementBytes(type)) * d.outChannels, d.outHeight,
           d.outRowStride, d.outWidth, d.outPixelStride);
}

/// Bytes of the filters, and of the tap shifts behind them.
static uint64_t weightBytes(const Conv &conv) {
  uint64_t cells = uint64_t(conv.kernelY) * conv.kernelX;
  if (conv.winograd == WinogradMode::F2_3)
    cells = 12;
  if (conv.winograd == WinogradMode::F2x2_3x3)
    cells = 16;
  uint64_t channels =
      conv.depthwise ? 1 : conv.inChannels / std::max<uint32_t>(1, conv.groups);
  uint64_t count = cells * channels * conv.outChannels;
  uint64_t bytes = conv.packedWeights ? (count + 1) / 2
                                      : count * elementBytes(conv.weightType);
  if (conv.hasTapShifts)
    bytes = (bytes + 15) / 16 * 16 + cells * conv.outChannels;
  return bytes;
}

void Collector::operator()(const Conv &conv) {
  addWindows(conv);
  addRow("weights", false, conv.weights, weightBytes(conv));
  uint64_t channels = conv.outChannels;
  uint64_t sums = uint64_t(conv.outHeight) * conv.outWidth * channels *
                  (elementBytes(conv.inType) == 2 ? 8 : 4);
  if (conv.accumulateIn)
    addRow("partials", false, conv.partials, sums);
  if (conv.accumulateOut)
    return addRow("partials", true, conv.partials, sums);
  addRow("bias", false, conv.bias, channels * (conv.wideBias ? 8 : 4));
  if (conv.perChannel) {
    addRow("scales", false, conv.scales, channels * (conv.wideScale ? 4 : 2));
    addRow("shifts", false, conv.shifts, channels);
  }
  if (conv.activation == Activation::PRelu ||
      (conv.hasResidual && conv.sumActivation == Activation::PRelu))
    addRow("slopes", false, conv.slopes, channels * 2);
  if (conv.hasResidual)
    addImage("residual", false, conv.residual,
             int64_t(elementBytes(conv.residualType)) *
                 (conv.residualPerPixel ? 1 : conv.outChannels),
             conv.outHeight, conv.residualRowStride, conv.outWidth,
             conv.residualPixelStride);
  if (conv.hasLut)
    addRow("lut", false, conv.lut,
           (uint64_t(1) << (conv.lutLog2Items & 31)) *
               elementBytes(conv.lutType));
  addOutput(conv, conv.hasLut ? conv.lutType : conv.outType);
}

void Collector::operator()(const MatMul &product) {
  auto operand = [&](std::string_view what, uint32_t first, ElementType type,
                     std::array<ByteSet::Axis, 3> axes) {
    ByteSet set{
        .region = kSramRegion, .first = first, .runBytes = elementBytes(type)};
    for (const ByteSet::Axis &axis : axes)
      set.addAxis(axis.count, axis.strideBytes);
    add(what, false, set);
  };
  operand("a", product.a, product.aType,
          {{{product.inner, product.aInnerStride},
            {product.rows, product.aRowStride},
            {product.batch, product.aBatchStride}}});
  operand("b", product.b, product.bType,
          {{{product.columns, product.bColumnStride},
            {product.inner, product.bInnerStride},
            {product.batch, product.bBatchStride}}});
  addImage("output", true, product.output,
           int64_t(elementBytes(product.outType)) * product.columns,
           product.batch, product.outBatchStride, product.rows,
           product.outRowStride);
}

void Collector::operator()(const Pool &pool) {
  addWindows(pool);
  if (pool.method == PoolMethod::Avg)
    addRow("reciprocals", false, pool.reciprocals,
           uint64_t(pool.kernelY) * pool.kernelX * 4);
  addOutput(pool, pool.outType);
}

std::vector<ByteAccess> prove::bytesOf(const AnyDescriptor &descriptor) {
  Collector collector;
  std::visit(collector, descriptor);
  return collector.take();
}
