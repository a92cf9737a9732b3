//===- HostRequant.h - Requantization in registers of the host --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What IntEpilogue does with sums of channels that lie side by side, for the
// usual layers: eight at a time, from the sums to the stored elements, without
// a chunk in memory after each step. For functions of hosts with x86-64-v4.
//
//   HostRequant requant(p.requant, scale, shift, s.outC);
//   if (requant.fits())
//     requant.store(sums, count, /*channel=*/o, /*element=*/i, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_HOST_HOSTREQUANT_H
#define YARROW_KERNELS_HOST_HOSTREQUANT_H

#include "kernels/Elements.h"
#include "kernels/Params.h"
#include "kernels/Signature.h"
#include "support/Numeric.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace yarrow::kernels {

class HostRequant {
public:
  static constexpr uint32_t kLanes = 8;
  typedef int64_t Sums __attribute__((vector_size(kLanes * sizeof(int64_t))));

  HostRequant(const Requant &r, const void *scale, const void *shift,
              uint32_t channels)
      : r(r), isFit(isUsual(r)) {
    if (!isFit)
      return;
    std::vector<int32_t> scales(channels, r.scale), shifts(channels, r.shift);
    if (r.perChannel) {
      loadI32(r.scaleType, scale, 0, channels, scales.data());
      loadI32(DType::I8, shift, 0, channels, shifts.data());
    }
    // Whole vectors are read from any channel on.
    each.resize(channels + kLanes);
    for (uint32_t c = 0; c < channels; ++c) {
      RoundShift s = makeRoundShift(shifts[c], r.rounding);
      isFit &= s.left == 0;
      each.scale[c] = scales[c];
      each.right[c] = s.right;
      each.bias[c] = s.bias;
      each.odd[c] = s.odd;
    }
  }

  /// Whether IntEpilogue's bytes are those of store().
  bool fits() const { return isFit; }

  /// Stores \p n sums of the channels from \p channel on, behind which there
  /// are as many as fill a vector, as elements \p element ... of \p out.
  __attribute__((always_inline)) void store(const int64_t *sums, uint32_t n,
                                            uint32_t channel, int64_t element,
                                            void *out) const {
    for (uint32_t i = 0; i < n; i += kLanes) {
      Sums x;
      std::memcpy(&x, sums + i, sizeof x);
      storeVector(x, std::min(kLanes, n - i), channel + i, element + i, out);
    }
  }
  /// The same of one vector.
  __attribute__((always_inline)) void storeVector(Sums x, uint32_t n,
                                                  uint32_t channel,
                                                  int64_t element,
                                                  void *out) const {
    apply(x, channel);
    if (dtypeBytes(r.outType) == 1)
      put(__builtin_convertvector(x, Bytes), n,
          static_cast<char *>(out) + element);
    else
      put(__builtin_convertvector(x, Words), n,
          static_cast<char *>(out) + 2 * element);
  }

private:
  typedef int8_t Bytes __attribute__((vector_size(kLanes)));
  typedef int16_t Words __attribute__((vector_size(kLanes * 2)));
  typedef uint64_t Bits __attribute__((vector_size(kLanes * sizeof(uint64_t))));

  static bool isUsual(const Requant &r) {
    bool isShort = contains(kInt8To16, r.outType);
    bool isPlain =
        r.act == Act::None || r.act == Act::Relu || r.act == Act::Relu6;
    return isShort && isPlain && r.rounding != Rounding::Double;
  }

  __attribute__((always_inline)) static Sums
  at(const std::vector<int64_t> &values, uint32_t channel) {
    Sums v;
    std::memcpy(&v, values.data() + channel, sizeof v);
    return v;
  }
  __attribute__((always_inline)) void apply(Sums &x, uint32_t channel) const {
    if (r.act != Act::None)
      x = __builtin_elementwise_max(x, Sums{});
    // Wraps, as wrapMul.
    x = Sums(Bits(x) * Bits(at(each.scale, channel)));
    Sums right = at(each.right, channel);
    x = Sums(Bits(x) + Bits(at(each.bias, channel)) +
             Bits((x >> right) & at(each.odd, channel))) >>
        right;
    x = __builtin_elementwise_max(x, Sums{} + (int64_t(r.lo) + r.zp));
    x = __builtin_elementwise_min(x, Sums{} + (int64_t(r.hi) + r.zp));
    x -= r.zp;
  }

  template <typename Elements>
  __attribute__((always_inline)) static void put(const Elements &y, uint32_t n,
                                                 char *to) {
    if (n == kLanes)
      std::memcpy(to, &y, sizeof y);
    else
      std::memcpy(to, &y, n * sizeof(y[0]));
  }

  /// By channel.
  struct Each {
    std::vector<int64_t> scale, right, bias, odd;
    void resize(std::size_t n) {
      for (auto *list : {&scale, &right, &bias, &odd})
        list->resize(n);
    }
  };

  const Requant &r;
  bool isFit;
  Each each;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_HOST_HOSTREQUANT_H
