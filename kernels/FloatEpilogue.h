//===- FloatEpilogue.h - Fused activation of float layers -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The last steps of float kernels: activation, rounding to the output's type
// and store, for strips in registers (FloatStrips.h) or for values in memory.
//
//   FloatEpilogue epilogue(p.act, p.outType, slope);
//   epilogue.store(sum, size, /*element=*/i, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_FLOATEPILOGUE_H
#define YARROW_KERNELS_FLOATEPILOGUE_H

#include "kernels/FloatStrips.h"

namespace yarrow::kernels {

class FloatEpilogue {
public:
  /// `slope` is read if a.act is PRelu.
  FloatEpilogue(const FloatAct &a, DType outType, const void *slope)
      : a(a), outType(outType), slope(slope) {}

  /// Stores elements `element` ... of `out`.
  template <typename Size, typename Floats>
  void store(Floats &y, Size size, int64_t element, void *out) const {
    switch (a.act) {
    case Act::None:
      break;
    case Act::Relu:
      clip(y, 0.0f, __builtin_huge_valf());
      break;
    case Act::Relu6:
      clip(y, 0.0f, 6.0f);
      break;
    case Act::Clip:
      clip(y, a.clipMin, a.clipMax);
      break;
    case Act::LeakyRelu:
      y = y < 0 ? y * a.slope : y;
      break;
    case Act::PRelu:
      Floats slopes;
      loadSlopes(element, size, slopes);
      y = y < 0 ? y * slopes : y;
      break;
    }
    storeFloats(outType, y, size, out, element);
  }

  /// The same of n values in memory.
  void storeValues(const float *values, uint32_t n, int64_t element,
                   void *out) const {
    forEachStrip(0, n, [&](uint32_t i, auto size) {
      Strip<float> y;
      loadStrip<float>(values, i, size, y);
      store(y, size, element + i, out);
    });
  }

private:
  // Comparisons, not fmin: NaN stays NaN.
  template <typename Floats> static void clip(Floats &y, float lo, float hi) {
    Floats least, most;
    fillFloats(lo, least), fillFloats(hi, most);
    y = y < least ? least : y;
    y = y > most ? most : y;
  }

  template <typename Size, typename Floats>
  void loadSlopes(int64_t element, Size size, Floats &slopes) const {
    uint32_t at = uint32_t(uint64_t(element) % a.slopeCount);
    if (a.slopeCount - at >= size.count)
      return loadFloats(a.slopeType, slope, at, size, slopes);
    float values[kStrip] = {};
    for (uint32_t done = 0, run; done < size.count; done += run, at = 0) {
      uint32_t left = size.count - done;
      run = a.slopeCount - at < left ? a.slopeCount - at : left;
      loadF32(a.slopeType, slope, at, run, values + done);
    }
    __builtin_memcpy(&slopes, values, sizeof(slopes));
  }

  const FloatAct &a;
  DType outType;
  const void *slope;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_FLOATEPILOGUE_H
