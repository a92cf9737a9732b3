//===- IntConv.cpp - Integer convolutions on the host ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The rows that windows see are copied with their padding, so that all windows
// are alike. Bytes with a sign get 128 added, words without one 32768 taken
// off: what sums begin with makes up for it.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/HostConv.h"

#ifdef __x86_64__
#include "kernels/Epilogue.h"
#include "kernels/host/HostRequant.h"
#include "kernels/host/WindowProducts.h"
#include <algorithm>
#include <memory>

using namespace yarrow::kernels;

/// What is called is a part of the function, in the vectors of the host.
#define YARROW_WIDE                                                            \
  __attribute__((target("arch=x86-64-v4"), min_vector_width(512), flatten))

namespace {

/// Bytes that may be read behind the copied rows.
constexpr std::size_t kReadPastEnd = 64;

/// Where windows see the input: rows with their padding, which lie without a
/// gap, as T = value + offset.
template <typename T> class PaddedRows {
public:
  PaddedRows(const Conv2DShape &s, int32_t offset)
      : s(s), offset(offset),
        columns((s.outW - 1) * s.strideW + (s.kernelW - 1) * s.dilationW + 1) {}

  /// Those that the output rows begin to end - 1 of an image see.
  template <typename In>
  void copy(const In *input, uint32_t image, uint32_t begin, uint32_t end,
            int32_t padValue) {
    uint32_t rows =
        (end - 1 - begin) * s.strideH + (s.kernelH - 1) * s.dilationH + 1;
    std::size_t size = std::size_t(rows) * rowElements() + kReadPastEnd;
    if (size > capacity)
      values.reset(new T[capacity = size]);
    for (uint32_t r = 0; r < rows; ++r) {
      int64_t y = int64_t(begin) * s.strideH - s.padTop + r;
      T *to = values.get() + r * rowElements();
      if (y < 0 || y >= s.inH) {
        std::fill_n(to, rowElements(), T(padValue + offset));
        continue;
      }
      copyRow(input + (int64_t(image) * s.inH + y) * s.inW * s.inC, padValue,
              to);
    }
    std::fill_n(values.get() + size - kReadPastEnd, kReadPastEnd, T());
  }

  int64_t rowElements() const { return int64_t(columns) * s.inC; }
  /// The first of the window of the output pixel x of row y, counted from
  /// `begin`.
  const T *window(uint32_t y, uint32_t x) const {
    return values.get() + y * int64_t(s.strideH) * rowElements() +
           x * int64_t(s.strideW) * s.inC;
  }

private:
  template <typename In>
  void copyRow(const In *from, int32_t padValue, T *to) const {
    int64_t left = std::clamp<int64_t>(s.padLeft, 0, columns),
            skipped = std::max<int64_t>(-s.padLeft, 0),
            inside = std::clamp<int64_t>(s.inW - skipped, 0, columns - left);
    T pad = T(padValue + offset);
    to = std::fill_n(to, left * s.inC, pad);
    from += skipped * s.inC;
    for (int64_t i = 0; i < inside * s.inC; ++i)
      to[i] = T(from[i] + offset);
    std::fill_n(to + inside * s.inC, (columns - left - inside) * s.inC, pad);
  }

  const Conv2DShape &s;
  const int32_t offset;
  const uint32_t columns;
  std::unique_ptr<T[]> values;
  std::size_t capacity = 0;
};

/// Calls fn(const In *).
template <typename Fn> void withInput(DType type, const void *input, Fn fn) {
  switch (type) {
  case DType::I8:
    return fn(static_cast<const int8_t *>(input));
  case DType::U8:
    return fn(static_cast<const uint8_t *>(input));
  case DType::I16:
    return fn(static_cast<const int16_t *>(input));
  default:
    return fn(static_cast<const uint16_t *>(input));
  }
}

/// Calls fn(image, begin, end) for the rows of each image that the task has.
template <typename Fn>
void forEachImage(const Conv2DShape &s, uint32_t task, uint32_t taskCount,
                  Fn fn) {
  Share share = shareOf(s.batch * s.outH, task, taskCount);
  for (uint32_t row = share.begin, end; row < share.end; row = end) {
    uint32_t image = row / s.outH;
    end = std::min(share.end, (image + 1) * s.outH);
    fn(image, row - image * s.outH, end - image * s.outH);
  }
}

bool isWithin(int32_t value, int32_t lowest, int32_t highest) {
  return lowest <= value && value <= highest;
}

/// How the products are made, and what is added to inputs; nullopt if they
/// cannot be.
struct Form {
  Products products;
  int32_t offset;
};
bool formOf(const Conv2DIntParams &p, Form &form) {
  bool isByte = dtypeBytes(p.inType) == 1;
  if (isByte && p.weightType == DType::I8) {
    form = {Products::Bytes, p.inType == DType::I8 ? 128 : 0};
    if (isWithin(p.padValue + form.offset, 0, 255))
      return true;
  }
  form = {isByte || p.weightType == DType::I8 ? Products::Words
                                              : Products::WordHalves,
          p.inType == DType::U16 ? -32768 : 0};
  // Padding counts as an input: of bytes by words it may have 9 bits, no more.
  int32_t most = isByte && p.weightType != DType::I8 ? 255 : 32767;
  return isWithin(p.padValue + form.offset, -most - (most == 32767), most);
}

/// The runs of the windows of a group, in the padded rows and in a filter.
std::vector<WindowRun> runsOf(const Conv2DShape &s, uint32_t group,
                              int64_t rowElements) {
  uint32_t depth = s.inC / s.groups;
  bool isDense = s.dilationW == 1 && s.groups == 1;
  std::vector<WindowRun> runs;
  for (uint32_t ky = 0; ky < s.kernelH; ++ky) {
    int64_t row = int64_t(ky) * s.dilationH * rowElements + group * depth,
            weight = int64_t(ky) * s.kernelW * depth;
    if (isDense) {
      runs.push_back({row, weight, s.kernelW * depth});
      continue;
    }
    for (uint32_t kx = 0; kx < s.kernelW; ++kx)
      runs.push_back({row + int64_t(kx) * s.dilationW * s.inC,
                      weight + int64_t(kx) * depth, depth});
  }
  return runs;
}

/// Some output rows of an image, in blocks of filters.
template <typename T> class ConvRows {
public:
  ConvRows(const HostConv &conv, const Form &form)
      : conv(conv), p(conv.p), s(p.shape), form(form), rows(s, form.offset),
        epilogue(p.requant, conv.scale, conv.shift, conv.slope),
        requant(p.requant, conv.scale, conv.shift, s.outC) {}

  void compute(uint32_t image, uint32_t begin, uint32_t end) {
    withInput(p.inType, conv.input, [&](auto *input) {
      rows.copy(input, image, begin, end, p.padValue);
    });
    uint32_t perGroup = s.outC / s.groups;
    for (uint32_t group = 0; group < s.groups; ++group) {
      std::vector<WindowRun> runs = runsOf(s, group, rows.rowElements());
      Filters filters(form.products, p.weightType, conv.weights,
                      int64_t(s.kernelH) * s.kernelW * (s.inC / s.groups),
                      runs);
      for (uint32_t o = 0; o < perGroup; o += kMostFilters)
        computeBlock(filters, group * perGroup + o,
                     std::min(kMostFilters, perGroup - o), image, begin, end);
    }
  }

private:
  void computeBlock(Filters &filters, uint32_t first, uint32_t count,
                    uint32_t image, uint32_t begin, uint32_t end) {
    filters.pack(first, count);
    int64_t start[kMostFilters] = {}, sums[kMostWindows * kMostFilters];
    loadBias(p.biasType, conv.bias, first, count, start);
    for (uint32_t i = 0; i < count; ++i)
      start[i] -= form.offset * filters.sumOf(i);
    int64_t pitchBytes = int64_t(s.strideW) * s.inC * sizeof(T);
    uint32_t lanes = filters.vectors() * kFilterLanes;
    for (uint32_t y = begin; y < end; ++y)
      for (uint32_t x = 0; x < s.outW; x += kMostWindows) {
        uint32_t windows = std::min(kMostWindows, s.outW - x);
        for (uint32_t i = 0; i < windows; ++i)
          std::copy_n(start, lanes, sums + i * kMostFilters);
        addWindows(filters,
                   reinterpret_cast<const uint8_t *>(rows.window(y - begin, x)),
                   pitchBytes, windows, sums);
        int64_t pixel = (int64_t(image) * s.outH + y) * s.outW + x;
        store(sums, windows, first, count, pixel);
      }
  }

  YARROW_WIDE void store(int64_t *sums, uint32_t windows, uint32_t first,
                         uint32_t count, int64_t pixel) const {
    if (requant.fits()) {
      for (uint32_t i = 0; i < windows; ++i)
        requant.store(sums + i * kMostFilters, count, first,
                      (pixel + i) * s.outC + first, conv.output);
      return;
    }
    for (uint32_t i = 0; i < windows; ++i)
      epilogue.store(sums + i * kMostFilters, count, first,
                     (pixel + i) * s.outC + first, conv.output);
  }

  const HostConv &conv;
  const Conv2DIntParams &p;
  const Conv2DShape &s;
  const Form form;
  PaddedRows<T> rows;
  IntEpilogue epilogue;
  HostRequant requant;
};

template <typename T>
void convolve(const HostConv &conv, const Form &form, uint32_t task,
              uint32_t taskCount) {
  ConvRows<T> rows(conv, form);
  forEachImage(conv.p.shape, task, taskCount,
               [&](uint32_t image, uint32_t begin, uint32_t end) {
                 rows.compute(image, begin, end);
               });
}

} // namespace

bool yarrow::kernels::convolveOnHost(const HostConv &conv, uint32_t task,
                                     uint32_t taskCount) {
  const Conv2DShape &s = conv.p.shape;
  // Filters are put in order once for all windows, of which there should be
  // some; and lanes without a filter are lost.
  constexpr uint32_t kLeastWindows = 8, kLeastFilters = 4;
  Form form;
  if (!hostAddsProducts() || s.outH * s.outW < kLeastWindows ||
      s.outC / s.groups < kLeastFilters || !formOf(conv.p, form))
    return false;
  if (form.products == Products::Bytes)
    convolve<uint8_t>(conv, form, task, taskCount);
  else
    convolve<int16_t>(conv, form, task, taskCount);
  return true;
}

//===----------------------------------------------------------------------===//
// Depthwise
//===----------------------------------------------------------------------===//

namespace {

/// Channels side by side, of weights [tap][channel].
template <typename T, typename Sum> class DepthwiseRows {
public:
  explicit DepthwiseRows(const HostConv &conv)
      : conv(conv), p(conv.p), s(p.shape), rows(s, /*offset=*/0),
        weights(std::size_t(taps()) * s.outC + kLanes), biases(s.outC + kLanes),
        epilogue(p.requant, conv.scale, conv.shift, conv.slope),
        requant(p.requant, conv.scale, conv.shift, s.outC) {
    loadBias(p.biasType, conv.bias, 0, s.outC, biases.data());
    if (p.weightType == DType::I8)
      transpose(static_cast<const int8_t *>(conv.weights));
    else
      transpose(static_cast<const int16_t *>(conv.weights));
  }

  void compute(uint32_t image, uint32_t begin, uint32_t end) {
    withInput(p.inType, conv.input, [&](auto *input) {
      rows.copy(input, image, begin, end, p.padValue);
    });
    for (uint32_t y = begin; y < end; ++y)
      for (uint32_t x = 0; x < s.outW; ++x) {
        int64_t pixel = (int64_t(image) * s.outH + y) * s.outW + x;
        const T *window = rows.window(y - begin, x);
        if constexpr (sizeof(Sum) == 4)
          if (requant.fits()) {
            computePixel(window, pixel * s.outC);
            continue;
          }
        for (uint32_t o = 0; o < s.outC; o += kChunk)
          computeChunk(window + o, o, std::min(kChunk, s.outC - o),
                       pixel * s.outC + o);
      }
  }

private:
  uint32_t taps() const { return s.kernelH * s.kernelW; }

  template <typename Weight> void transpose(const Weight *from) {
    for (uint32_t o = 0; o < s.outC; ++o)
      for (uint32_t tap = 0; tap < taps(); ++tap)
        weights[std::size_t(tap) * s.outC + o] = from[o * taps() + tap];
  }

  /// Of sums in registers: 32 bits are enough for them.
  static constexpr uint32_t kLanes = 16;
  YARROW_WIDE void computePixel(const T *window, int64_t element) const {
    typedef T In __attribute__((vector_size(kLanes * sizeof(T))));
    typedef int32_t Sums __attribute__((vector_size(kLanes * 4)));
    typedef int32_t Half __attribute__((vector_size(kLanes * 2)));
    int64_t line = int64_t(s.dilationH) * rows.rowElements(),
            step = int64_t(s.dilationW) * s.inC;
    for (uint32_t o = 0; o < s.outC; o += kLanes) {
      Sums sums = {};
      const Sum *w = weights.data() + o;
      for (uint32_t ky = 0; ky < s.kernelH; ++ky) {
        const T *x = window + o + ky * line;
        for (uint32_t kx = 0; kx < s.kernelW; ++kx, x += step, w += s.outC) {
          In values;
          Sums factors;
          std::memcpy(&values, x, sizeof values);
          std::memcpy(&factors, w, sizeof factors);
          sums += __builtin_convertvector(values, Sums) * factors;
        }
      }
      Half halves[2];
      std::memcpy(halves, &sums, sizeof sums);
      uint32_t left = s.outC - o;
      for (uint32_t h = 0; h < 2 && left > h * HostRequant::kLanes; ++h) {
        uint32_t channel = o + h * HostRequant::kLanes;
        HostRequant::Sums acc;
        std::memcpy(&acc, biases.data() + channel, sizeof acc);
        acc += __builtin_convertvector(halves[h], HostRequant::Sums);
        requant.storeVector(acc,
                            std::min(HostRequant::kLanes, s.outC - channel),
                            channel, element + channel, conv.output);
      }
    }
  }

  YARROW_WIDE void computeChunk(const T *first, uint32_t o, uint32_t count,
                                int64_t element) const {
    Sum sums[kChunk];
    for (uint32_t i = 0; i < count; ++i)
      sums[i] = 0;
    const Sum *w = weights.data() + o;
    for (uint32_t ky = 0; ky < s.kernelH; ++ky) {
      const T *x = first + int64_t(ky) * s.dilationH * rows.rowElements();
      for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
        for (uint32_t i = 0; i < count; ++i)
          sums[i] += Sum(x[i]) * w[i];
        x += int64_t(s.dilationW) * s.inC;
        w += s.outC;
      }
    }
    int64_t acc[kChunk];
    loadBias(p.biasType, conv.bias, o, count, acc);
    for (uint32_t i = 0; i < count; ++i)
      acc[i] += sums[i];
    epilogue.store(acc, count, o, element, conv.output);
  }

  const HostConv &conv;
  const Conv2DIntParams &p;
  const Conv2DShape &s;
  PaddedRows<T> rows;
  /// With as many behind the last ones as fill a vector.
  std::vector<Sum> weights;
  std::vector<int64_t> biases;
  IntEpilogue epilogue;
  HostRequant requant;
};

template <typename T, typename Sum>
void convolveDepthwise(const HostConv &conv, uint32_t task,
                       uint32_t taskCount) {
  DepthwiseRows<T, Sum> rows(conv);
  forEachImage(conv.p.shape, task, taskCount,
               [&](uint32_t image, uint32_t begin, uint32_t end) {
                 rows.compute(image, begin, end);
               });
}

} // namespace

bool yarrow::kernels::convolveDepthwiseOnHost(const HostConv &conv,
                                              uint32_t task,
                                              uint32_t taskCount) {
  const Conv2DIntParams &p = conv.p;
  const Conv2DShape &s = p.shape;
  // Sums of so many products of 24 bits fit 32.
  constexpr uint32_t kMostTaps = 256;
  bool isUnsigned = p.inType == DType::U16;
  if (!hostAddsProducts() || s.outC != s.inC || s.outH * s.outW == 1 ||
      !isWithin(p.padValue, isUnsigned ? 0 : -32768,
                isUnsigned ? 65535 : 32767))
    return false;
  bool isNarrow =
      s.kernelH * s.kernelW <= kMostTaps &&
      (p.weightType == DType::I8 ||
       (dtypeBytes(p.inType) == 1 && isWithin(p.padValue, -255, 255)));
  if (isUnsigned)
    isNarrow ? convolveDepthwise<uint16_t, int32_t>(conv, task, taskCount)
             : convolveDepthwise<uint16_t, int64_t>(conv, task, taskCount);
  else
    isNarrow ? convolveDepthwise<int16_t, int32_t>(conv, task, taskCount)
             : convolveDepthwise<int16_t, int64_t>(conv, task, taskCount);
  return true;
}

#endif
