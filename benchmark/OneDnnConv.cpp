//===- OneDnnConv.cpp - oneDNN's convolution as a yardstick ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/OneDnnConv.h"

#include <dnnl.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#if DNNL_CPU_RUNTIME != DNNL_RUNTIME_OMP
#error "this file limits oneDNN to one thread through OpenMP only"
#endif

// Of the OpenMP library that oneDNN itself uses. Declared here since the
// compiler at hand need not have OpenMP headers of its own.
extern "C" void omp_set_num_threads(int);
extern "C" int omp_get_max_threads(void);

using namespace yarrow::benchmark;
using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

namespace {

/// With two threads on a busy host oneDNN's spinning barriers cost up to a
/// factor 30, and the simulator side of the comparison is one thread too.
class OneThread {
  int before = omp_get_max_threads();

public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before); }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;
};

/// A convolution with its data, ready to run.
class OneDnnConv {
public:
  explicit OneDnnConv(const ConvShape &shape)
      : shape(shape), engine(dnnl::engine::kind::cpu, 0), stream(engine),
        primitiveDesc(makeDesc(), engine), primitive(primitiveDesc),
        source(primitiveDesc.src_desc(), engine),
        weights(primitiveDesc.weights_desc(), engine),
        destination(primitiveDesc.dst_desc(), engine) {
    fill();
  }

  void run() {
    primitive.execute(stream, {{DNNL_ARG_SRC, source},
                               {DNNL_ARG_WEIGHTS, weights},
                               {DNNL_ARG_DST, destination}});
    stream.wait();
  }

  std::string kernel() const { return primitiveDesc.impl_info_str(); }

  /// The outputs, NHWC.
  std::vector<int32_t> result() {
    std::vector<int32_t> values(destinationDims()[1] * shape.outHeight() *
                                shape.outWidth());
    memory plain({destinationDims(), Type::s32, Tag::nhwc}, engine,
                 values.data());
    reorder(destination, plain);
    return values;
  }

  std::vector<int32_t> expected() const;

private:
  ConvShape shape;
  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::convolution_forward::primitive_desc primitiveDesc;
  dnnl::convolution_forward primitive;
  memory source, weights, destination;
  // NHWC and OHWI; u8 sources are the s8 values with the sign bit flipped.
  std::vector<int8_t> sourceValues, weightValues;

  /// Of the values that it is filled with.
  Type storedType() const { return shape.unsignedInput ? Type::u8 : Type::s8; }
  Type sourceType() const { return shape.isFloat ? Type::f32 : storedType(); }
  Type weightType() const { return shape.isFloat ? Type::f32 : Type::s8; }
  Type sumType() const { return shape.isFloat ? Type::f32 : Type::s32; }
  memory::dims sourceDims() const {
    return {1, shape.inChannels, shape.inHeight, shape.inWidth};
  }
  memory::dims weightDims() const {
    return {shape.outChannels, shape.inChannels, shape.kernelHeight,
            shape.kernelWidth};
  }
  memory::dims destinationDims() const {
    return {1, shape.outChannels, shape.outHeight(), shape.outWidth()};
  }

  dnnl::convolution_forward::desc makeDesc() const {
    return {dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct,
            memory::desc(sourceDims(), sourceType(), Tag::any),
            memory::desc(weightDims(), weightType(), Tag::any),
            memory::desc(destinationDims(), sumType(), Tag::any),
            {shape.stride, shape.stride},
            {shape.padTop, shape.padLeft},
            {shape.padBottom, shape.padRight}};
  }

  void reorder(memory &from, memory &to) {
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  }

  void fill();
  int sourceAt(int y, int x, int channel) const {
    int value =
        sourceValues[(size_t(y) * shape.inWidth + x) * shape.inChannels +
                     channel];
    return shape.unsignedInput ? value + 128 : value;
  }
};

void OneDnnConv::fill() {
  // A quarter of the values are -128 and another 127, so that an intermediate
  // of too few bits shows.
  std::mt19937 random(1);
  auto draw = [&] {
    uint32_t bits = random();
    return bits % 4 == 0   ? int8_t(-128)
           : bits % 4 == 1 ? int8_t(127)
                           : int8_t(bits >> 8);
  };
  sourceValues.resize(size_t(shape.inHeight) * shape.inWidth *
                      shape.inChannels);
  weightValues.resize(size_t(shape.outChannels) * shape.kernelHeight *
                      shape.kernelWidth * shape.inChannels);
  std::generate(sourceValues.begin(), sourceValues.end(), draw);
  std::generate(weightValues.begin(), weightValues.end(), draw);

  std::vector<int8_t> stored = sourceValues;
  if (shape.unsignedInput)
    for (int8_t &value : stored)
      value = int8_t(value ^ 0x80);
  memory plainSource({sourceDims(), storedType(), Tag::nhwc}, engine,
                     stored.data());
  // ohwi names the layout; the dimensions stay in oneDNN's order O, I, H, W.
  memory plainWeights({weightDims(), Type::s8, Tag::ohwi}, engine,
                      weightValues.data());
  reorder(plainSource, source);
  reorder(plainWeights, weights);
}

std::vector<int32_t> OneDnnConv::expected() const {
  std::vector<int32_t> values;
  for (int y = 0; y < shape.outHeight(); ++y)
    for (int x = 0; x < shape.outWidth(); ++x)
      for (int out = 0; out < shape.outChannels; ++out) {
        int32_t sum = 0;
        const int8_t *weight =
            &weightValues[size_t(out) * shape.kernelHeight * shape.kernelWidth *
                          shape.inChannels];
        for (int ky = 0; ky < shape.kernelHeight; ++ky)
          for (int kx = 0; kx < shape.kernelWidth; ++kx) {
            int iy = y * shape.stride + ky - shape.padTop;
            int ix = x * shape.stride + kx - shape.padLeft;
            bool inside =
                iy >= 0 && iy < shape.inHeight && ix >= 0 && ix < shape.inWidth;
            for (int in = 0; in < shape.inChannels; ++in, ++weight)
              if (inside)
                sum += sourceAt(iy, ix, in) * *weight;
          }
        values.push_back(sum);
      }
  return values;
}

/// Calls \p action on the convolution; nothing if oneDNN has none for it,
/// which it says by an exception.
template <typename Action>
auto withConv(const ConvShape &shape, Action action)
    -> std::optional<decltype(action(std::declval<OneDnnConv &>()))> {
  OneThread oneThread;
  try {
    OneDnnConv conv(shape);
    return action(conv);
  } catch (const dnnl::error &) {
    return std::nullopt;
  }
}

double bestSeconds(OneDnnConv &conv, int repeats) {
  using Clock = std::chrono::steady_clock;
  auto time = [&](int64_t calls) {
    Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < calls; ++i)
      conv.run();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  // Small layers take 2 us, near the cost of reading the clock, so a sample
  // is as many calls as fill 200 us. The doubling also warms caches and clock.
  int64_t calls = 1;
  while (time(calls) < 200e-6)
    calls *= 2;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < std::max(repeats, 1); ++i)
    best = std::min(best, time(calls) / calls);
  return best;
}

} // namespace

double yarrow::benchmark::timeOneDnnConv(const ConvShape &shape, int repeats) {
  std::optional<double> seconds = withConv(
      shape, [&](OneDnnConv &conv) { return bestSeconds(conv, repeats); });
  return seconds ? shape.macs() / *seconds * 1e-9 : 0;
}

bool yarrow::benchmark::oneDnnConvIsExact(const ConvShape &shape) {
  return withConv(shape,
                  [](OneDnnConv &conv) {
                    conv.run();
                    return conv.result() == conv.expected();
                  })
      .value_or(false);
}

std::string yarrow::benchmark::oneDnnConvKernel(const ConvShape &shape) {
  return withConv(shape, [](OneDnnConv &conv) { return conv.kernel(); })
      .value_or("");
}
