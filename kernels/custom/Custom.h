//===- Custom.h - Kernels of plugins ----------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A plugin's C++ file includes this (docs/plugins.md) through the header that
// is generated from its record: SwishClip.h for layer type SwishClip, with the
// class SwishClip of the parameters, keys by name.
//
//   #include "SwishClip.h"
//
//   YARROW_CUSTOM_KERNEL(swish_clip_float, SwishClip) {
//     mapFloats(p, buffers, task, taskCount, [&](float x) {
//       return x < p.keys.limit ? x : p.keys.limit;
//     });
//   }
//
// buffers has the inputs and then the outputs. A kernel of integers sees
// q + zp of each input, real = (q + zp) / scale, and gives back real * scale of
// the output:
//
//   YARROW_CUSTOM_KERNEL(gate_int, Gate) { // quantize: {multipliers: product}
//     mapIntegers(p, buffers, task, taskCount, [&](int32_t x, int32_t gate) {
//       return p.multipliers[0].apply(int64_t(x) * gate);
//     });
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CUSTOM_CUSTOM_H
#define YARROW_KERNELS_CUSTOM_CUSTOM_H

#include "kernels/Elements.h"
#include "kernels/Params.h"

/// Defines a kernel of a plugin, with parameters `p` of class LAYER and
/// `buffers`, `task` and `taskCount` as kernels/Kernel.h has them.
#define YARROW_CUSTOM_KERNEL(SYMBOL, LAYER)                                    \
  static inline void SYMBOL##_body(const LAYER &p, void *const *buffers,       \
                                   uint32_t task, uint32_t taskCount);         \
  extern "C" void SYMBOL(const void *params, void *const *buffers,             \
                         uint32_t task, uint32_t taskCount) {                  \
    SYMBOL##_body(*static_cast<const LAYER *>(params), buffers, task,          \
                  taskCount);                                                  \
  }                                                                            \
  static inline void SYMBOL##_body(const LAYER &p, void *const *buffers,       \
                                   uint32_t task, uint32_t taskCount)

namespace yarrow::kernels {

/// An input or output. Scale, zero point and range are those of a quantized
/// tensor; of others 1, 0 and the type's range (of floats 0, 0).
struct CustomTensor {
  DType type = DType::F32;
  uint32_t count = 0; ///< Elements.
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  float scale = 1;
  int32_t zp = 0;
  int32_t lo = 0, hi = 0;
};
static_assert(sizeof(CustomTensor) == 60);

/// A ratio of scales.
struct CustomMultiplier {
  int32_t scale = 1, shift = 0;

  /// round(x * scale / 2^shift), ties to even; |x| <= 2^46.
  int64_t apply(int64_t x) const {
    return roundShiftHalfEven(x * scale, shift);
  }
};

/// The parameters of an operator's kernels. `multipliers` are of integer layers
/// that are quantized by a requantization: with `multipliers: product` the one
/// from the product of all inputs' scales to the output's, with `each` one from
/// each input's scale. Without any there is one that does nothing.
template <uint32_t Inputs, uint32_t Outputs, uint32_t Multipliers,
          typename KeyValues>
struct CustomLayer {
  static constexpr uint32_t kInputs = Inputs;
  CustomTensor inputs[Inputs];
  CustomTensor outputs[Outputs];
  CustomMultiplier multipliers[Multipliers];
  KeyValues keys;
};

/// output[i] = fn(input0[i], ...), by chunks that \p load and \p store move.
template <typename T, typename Layer, typename Load, typename Store,
          typename Fn>
inline void mapChunks(const Layer &p, uint32_t task, uint32_t taskCount,
                      Load load, Store store, Fn fn) {
  Share share = shareOf(p.outputs[0].count, task, taskCount);
  forEachChunk(share.begin, share.end, [&](uint32_t index, uint32_t n) {
    T x[Layer::kInputs][kChunk], y[kChunk];
    for (uint32_t i = 0; i < Layer::kInputs; ++i)
      load(i, index, n, x[i]);
    for (uint32_t k = 0; k < n; ++k) {
      if constexpr (Layer::kInputs == 1)
        y[k] = T(fn(x[0][k]));
      else if constexpr (Layer::kInputs == 2)
        y[k] = T(fn(x[0][k], x[1][k]));
      else if constexpr (Layer::kInputs == 3)
        y[k] = T(fn(x[0][k], x[1][k], x[2][k]));
      else
        y[k] = T(fn(x[0][k], x[1][k], x[2][k], x[3][k]));
    }
    store(index, n, y);
  });
}

/// output[i] = fn(input0[i], input1[i], ...) of up to four inputs of the
/// output's shape.
template <typename Layer, typename Fn>
inline void mapFloats(const Layer &p, void *const *buffers, uint32_t task,
                      uint32_t taskCount, Fn fn) {
  static_assert(Layer::kInputs <= 4);
  mapChunks<float>(
      p, task, taskCount,
      [&](uint32_t i, uint32_t index, uint32_t n, float *x) {
        loadF32(p.inputs[i].type, buffers[i], index, n, x);
      },
      [&](uint32_t index, uint32_t n, const float *y) {
        storeF32(p.outputs[0].type, buffers[Layer::kInputs], index, n, y);
      },
      fn);
}

/// The same of integers: fn gets q + zp of each input, and what it gives back
/// less the zero point is brought into the range of the output.
template <typename Layer, typename Fn>
inline void mapIntegers(const Layer &p, void *const *buffers, uint32_t task,
                        uint32_t taskCount, Fn fn) {
  static_assert(Layer::kInputs <= 4);
  const CustomTensor &out = p.outputs[0];
  mapChunks<int32_t>(
      p, task, taskCount,
      [&](uint32_t i, uint32_t index, uint32_t n, int32_t *x) {
        loadI32(p.inputs[i].type, buffers[i], index, n, x);
        for (uint32_t k = 0; k < n; ++k)
          x[k] += p.inputs[i].zp;
      },
      [&](uint32_t index, uint32_t n, const int32_t *y) {
        storeI32(out.type, buffers[Layer::kInputs], index, n, y);
      },
      [&](auto... x) {
        return clamp<int64_t>(int64_t(fn(x...)) - out.zp, out.lo, out.hi);
      });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CUSTOM_CUSTOM_H
