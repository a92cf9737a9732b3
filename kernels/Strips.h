//===- Strips.h - Elements that stay in registers ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A chunk (Elements.h) is loaded, computed and stored by a loop each, with the
// stack between them, which for a few operations an element is most of the
// time. A strip of 32 elements is one value: all of it is loaded, computed and
// stored in vector registers, with one loop around. So strips are for what is
// common and simple; the rest, and the elements that are left over, are done in
// chunks.
//
//   Strip<int32_t> x;
//   loadStrip<int8_t>(input, i, x);
//   x += zp;
//   storeStrip<uint8_t>(x, output, i);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_STRIPS_H
#define YARROW_KERNELS_STRIPS_H

#include "kernels/Elements.h"
#include "kernels/Params.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

/// 32-bit elements of four vector registers, as many as LLVM's loops use.
constexpr uint32_t kStrip = 32;

template <typename T> struct StripOf {
  typedef T Type __attribute__((vector_size(kStrip * sizeof(T))));
};
template <typename T> using Strip = typename StripOf<T>::Type;

/// to = src[index ...], elements of type T.
template <typename T, typename Vector>
inline void loadStrip(const void *src, int64_t index, Vector &to) {
  Strip<T> from;
  __builtin_memcpy(&from, static_cast<const T *>(src) + index, sizeof from);
  to = __builtin_convertvector(from, Vector);
}

/// The same of an operand with a stride of 1 or, one element for all, of 0.
template <typename T, typename Vector>
inline void loadStrip(const void *src, int64_t index, int32_t stride,
                      Vector &to) {
  if (stride == 0)
    to = Vector{} + static_cast<const T *>(src)[index];
  else
    loadStrip<T>(src, index, to);
}

/// dst[index ...] = v; integers lose their high bits.
template <typename T, typename Vector>
inline void storeStrip(const Vector &v, void *dst, int64_t index) {
  Strip<T> to = __builtin_convertvector(v, Strip<T>);
  __builtin_memcpy(static_cast<T *>(dst) + index, &to, sizeof to);
}

/// Calls fn(T()) with the type of \p type; for what isByte says so.
template <typename Fn> inline void withByte(DType type, Fn fn) {
  if (type == DType::I8)
    fn(int8_t());
  else
    fn(uint8_t());
}
constexpr bool isByte(DType type) { return dtypeBytes(type) == 1; }

/// clip(RNE(x * scale / 2^shift) - zp, lo, hi) of strips, 0 <= shift <= 62,
/// x of which no magnitude is greater than `most`: where products fit, in 32
/// bits, as requantizeSmallChunk.
class StripRequant {
public:
  StripRequant(int32_t scale, int32_t shift, int32_t zp, int32_t lo, int32_t hi,
               int64_t most)
      : scale(scale), shift(shift), zp(zp), lo(lo), hi(hi),
        isSmall(most * scale <= int64_t(1) << 29) {}

  void apply(Strip<int32_t> &x) const {
    if (isSmall)
      roundShift(x *= scale, shift < 30 ? shift : 30);
    else
      narrow(x);
    x -= zp;
    x = __builtin_elementwise_max(x, Strip<int32_t>{} + lo);
    x = __builtin_elementwise_min(x, Strip<int32_t>{} + hi);
  }

private:
  /// roundRightShift's formula (support/Numeric.h), of lanes.
  template <typename Vector> static void roundShift(Vector &x, int32_t right) {
    using T = __remove_cvref(decltype(x[0]));
    T odd = right > 0, bias = ((T(1) << right) >> 1) - odd;
    x = (x + bias + ((x >> right) & odd)) >> right;
  }

  void narrow(Strip<int32_t> &x) const {
    Strip<int64_t> wide = __builtin_convertvector(x, Strip<int64_t>) * scale;
    roundShift(wide, shift);
    // 2^30 and its negative are beyond all zero points and limits.
    constexpr int64_t kMost = int64_t(1) << 30;
    wide = __builtin_elementwise_max(wide, Strip<int64_t>{} - kMost);
    wide = __builtin_elementwise_min(wide, Strip<int64_t>{} + kMost);
    x = __builtin_convertvector(wide, Strip<int32_t>);
  }

  int32_t scale, shift, zp, lo, hi;
  bool isSmall;
};

/// Requantizes the run of n bytes, x + zpIn being what is scaled, and says how
/// many it did: all whole strips, or none if this is not a requantization of
/// bytes to bytes with a shift to the right.
inline uint32_t requantizeBytes(DType inType, const void *src, int64_t from,
                                int32_t zpIn, bool isRelu, DType outType,
                                void *dst, int64_t to, uint32_t n,
                                int32_t scale, int32_t shift, int32_t zp,
                                int32_t lo, int32_t hi) {
  if (!isByte(inType) || !isByte(outType) || shift < 0 || shift > 62 ||
      zpIn < -512 || zpIn > 512)
    return 0;
  StripRequant requant(scale, shift, zp, lo, hi, 255 + 512);
  uint32_t done = 0;
  withByte(inType, [&](auto zero) {
    for (; done + kStrip <= n; done += kStrip) {
      Strip<int32_t> x;
      loadStrip<decltype(zero)>(src, from + done, x);
      x += zpIn;
      if (isRelu)
        x = __builtin_elementwise_max(x, Strip<int32_t>{});
      requant.apply(x);
      storeStrip<uint8_t>(x, dst, to + done);
    }
  });
  return done;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_STRIPS_H
