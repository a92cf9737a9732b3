//===- PackedWeights.cpp - Weights of floats as kernels read them ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/PackedWeights.h"
#include "kernels/Elements.h"
#include "kernels/FloatTile.h"
#include "support/HugePages.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Reads a float of any type; bytes may lie anywhere.
class Floats {
public:
  explicit Floats(const ConstantView &view) : view(view) {}
  float operator[](int64_t i) const {
    if (view.dtype == DType::F32) {
      float value;
      std::memcpy(&value, view.bytes.data() + i * 4, 4);
      return value;
    }
    uint16_t half;
    std::memcpy(&half, view.bytes.data() + i * 2, 2);
    return view.dtype == DType::F16 ? kernels::halfToFloat(half)
                                    : kernels::bfloatToFloat(half);
  }

private:
  const ConstantView &view;
};

BufferBinding floats(ArrayRef<int64_t> shape,
                     llvm::function_ref<void(float *)> fill) {
  std::vector<char> bytes =
      zeroed(size_t(llvm::product_of(shape)) * sizeof(float));
  // operator new aligns them.
  fill(reinterpret_cast<float *>(bytes.data()));
  return constant(shape, DType::F32, std::move(bytes));
}

/// The terms of an output are \p runs times \p run neighbours in the weights,
/// the first of which at(group, output, i) tells.
template <typename At>
BufferBinding packed(const ConstantView &weights, uint32_t groups,
                     uint32_t outputs, uint32_t runs, uint32_t run, At at) {
  Floats from(weights);
  uint32_t columns = kernels::packedColumns(outputs), terms = runs * run;
  return floats({groups, columns, terms}, [&](float *to) {
    for (uint32_t g = 0; g < groups; ++g)
      for (uint32_t first = 0; first < outputs;) {
        uint32_t count = std::min(outputs - first, kernels::kTileColumns);
        uint32_t width = kernels::tileWidth(count);
        // So few terms at a time that their rows stay in the nearest cache
        // until all columns are there.
        constexpr uint32_t kBlock = 128;
        for (uint32_t r = 0; r < runs; ++r)
          for (uint32_t begin = 0; begin < run; begin += kBlock) {
            uint32_t end = std::min(begin + kBlock, run);
            for (uint32_t c = 0; c < count; ++c) {
              int64_t element = at(g, first + c, r);
              for (uint32_t k = begin; k < end; ++k)
                to[uint64_t(r * run + k) * width + c] = from[element + k];
            }
          }
        to += uint64_t(terms) * width;
        first += count;
      }
  });
}

} // namespace

BufferBinding compass::packedMatrix(const ConstantView &weights) {
  uint32_t terms = weights.shape[1];
  return packed(weights, 1, weights.shape[0], 1, terms,
                [&](uint32_t, uint32_t output, uint32_t) {
                  return int64_t(output) * terms;
                });
}

BufferBinding compass::packedFilters(const ConstantView &weights,
                                     const kernels::Conv2DShape &s) {
  uint32_t outputs = s.outC / s.groups,
           terms = s.kernelH * s.kernelW * (s.inC / s.groups);
  return packed(weights, s.groups, outputs, 1, terms,
                [&](uint32_t group, uint32_t output, uint32_t) {
                  return (int64_t(group) * outputs + output) * terms;
                });
}

BufferBinding compass::packedTransposedFilters(const ConstantView &weights,
                                               const kernels::Conv2DShape &s) {
  uint32_t depth = s.inC / s.groups, taps = s.kernelH * s.kernelW;
  return packed(weights, s.groups, s.outC / s.groups, taps, depth,
                [&](uint32_t group, uint32_t output, uint32_t tap) {
                  return (int64_t(output) * taps + tap) * s.inC + group * depth;
                });
}

BufferBinding compass::packedDepthwiseFilters(const ConstantView &weights,
                                              const kernels::Conv2DShape &s) {
  Floats from(weights);
  int64_t taps = int64_t(s.kernelH) * s.kernelW;
  return floats({taps, s.outC}, [&](float *to) {
    for (int64_t c = 0; c < s.outC; ++c)
      for (int64_t tap = 0; tap < taps; ++tap)
        to[tap * s.outC + c] = from[c * taps + tap];
  });
}
