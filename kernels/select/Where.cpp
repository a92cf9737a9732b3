//===- Where.cpp - Choosing between two tensors ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/ElementSize.h"
#include "kernels/Epilogue.h"
#include "kernels/StripRequant.h"
#include "kernels/indexing/Flags.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

enum Operand : uint32_t { Condition, First, Second };

/// Consecutive output elements, over which each operand has one stride.
struct WhereRun {
  uint32_t out, n;
  int64_t at[3];
  int32_t stride[3];
};

/// Calls fn for runs of at most MaxRun that make up [begin, end).
template <uint32_t MaxRun = kChunk, typename Fn>
void forEachWhereRun(const WhereShape &s, uint32_t begin, uint32_t end, Fn fn) {
  uint32_t row = s.rank ? s.dims[s.rank - 1] : 1;
  WhereRun r;
  for (uint32_t i = 0; i < 3; ++i)
    r.stride[i] = s.rank ? s.strides[i][s.rank - 1] : 0;
  for (r.out = begin; r.out < end; r.out += r.n) {
    uint32_t rest = r.out / row, column = r.out % row;
    for (uint32_t i = 0; i < 3; ++i)
      r.at[i] = int64_t(column) * r.stride[i];
    for (uint32_t d = s.rank; d-- > 1;) {
      uint32_t index = rest % s.dims[d - 1];
      rest /= s.dims[d - 1];
      for (uint32_t i = 0; i < 3; ++i)
        r.at[i] += int64_t(index) * s.strides[i][d - 1];
    }
    r.n = row - column < end - r.out ? row - column : end - r.out;
    r.n = r.n < MaxRun ? r.n : MaxRun;
    fn(static_cast<const WhereRun &>(r));
  }
}

uint32_t countOf(const WhereShape &s) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < s.rank; ++d)
    count *= s.dims[d];
  return count;
}

/// holds[i] is not 0 where the condition of the run holds.
void loadCondition(DType type, int32_t zp, const void *condition,
                   const WhereRun &r, int32_t *holds) {
  int64_t at = r.at[Condition];
  if (zp == 0)
    return loadFlags(type, condition, at, r.n, holds, r.stride[Condition]);
  loadI32(type, condition, at, r.n, holds, r.stride[Condition]);
  // Of 32 bits, the sum may wrap; zero is still zero.
  for (uint32_t i = 0; i < r.n; ++i)
    holds[i] = int32_t(uint32_t(holds[i]) + uint32_t(zp));
}

template <typename T>
void chooseRun(const WhereRun &r, const int32_t *holds, const void *x1,
               const void *x2, void *output) {
  T a[kChunk], b[kChunk];
  loadLoop<T>(x1, r.at[First], r.stride[First], r.n, a);
  loadLoop<T>(x2, r.at[Second], r.stride[Second], r.n, b);
  T *to = static_cast<T *>(output) + r.out;
  for (uint32_t i = 0; i < r.n; ++i)
    to[i] = holds[i] != 0 ? a[i] : b[i];
}

/// As many bytes as a strip of int32 has.
constexpr uint32_t kByteStrip = 4 * kStrip;
typedef uint8_t ByteStrip __attribute__((vector_size(kByteStrip)));

/// Whole strips of bytes chosen by a byte; returns how many elements they have.
uint32_t chooseStrips(const WhereParams &p, const WhereRun &r,
                      const void *condition, const void *x1, const void *x2,
                      void *output) {
  int32_t strides = r.stride[Condition] | r.stride[First] | r.stride[Second];
  if (!isByte(p.conditionType) || p.elemBytes != 1 || (strides | 1) != 1)
    return 0;
  uint32_t done = 0;
  auto load = [&](const void *from, Operand operand, ByteStrip &to) {
    int32_t stride = r.stride[operand];
    auto *x = static_cast<const uint8_t *>(from) + r.at[operand] +
              int64_t(done) * stride;
    if (stride == 0)
      to = ByteStrip{} + *x;
    else
      __builtin_memcpy(&to, x, sizeof to);
  };
  for (; done + kByteStrip <= r.n; done += kByteStrip) {
    ByteStrip holds, a, b;
    load(condition, Condition, holds);
    load(x1, First, a);
    load(x2, Second, b);
    a = holds != 0 ? a : b;
    __builtin_memcpy(static_cast<uint8_t *>(output) + r.out + done, &a,
                     sizeof a);
  }
  return done;
}

/// \p n elements of \p r from \p first on.
WhereRun partOf(const WhereRun &r, uint32_t first, uint32_t n) {
  WhereRun part = r;
  part.out += first;
  part.n = n;
  for (uint32_t i = 0; i < 3; ++i)
    part.at[i] += int64_t(first) * r.stride[i];
  return part;
}

/// One operand of the run at the scale of the result.
void loadChoice(const WhereChoice &c, const Requant &r, const void *x,
                int64_t at, int32_t stride, uint32_t n, int32_t *y) {
  loadI32(c.type, x, at, n, y, stride);
  if (dtypeBytes(c.type) == 1 && c.shift >= 0) {
    for (uint32_t i = 0; i < n; ++i)
      y[i] += c.zp;
    return requantizeSmallChunk(y, n, c.scale, c.shift, r.zp, r.lo, r.hi);
  }
  int64_t wide[kChunk];
  for (uint32_t i = 0; i < n; ++i)
    wide[i] = int64_t(y[i]) + c.zp;
  requantizeChunk(wide, n, c.scale, c.shift, r, y);
}

/// Bytes that a byte chooses, in 32 bits, along which every operand lies as it
/// is or repeats.
bool areStripBytes(const WhereIntParams &p) {
  uint32_t inner = p.shape.rank - 1;
  auto isStep = [](int32_t stride) { return stride == 0 || stride == 1; };
  auto isSmall = [](const WhereChoice &c) {
    return isByte(c.type) && c.shift >= 0 && c.shift <= 62 && c.zp >= -512 &&
           c.zp <= 512;
  };
  return p.shape.rank > 0 && isStep(p.shape.strides[Condition][inner]) &&
         isStep(p.shape.strides[First][inner]) &&
         isStep(p.shape.strides[Second][inner]) && isByte(p.conditionType) &&
         isByte(p.requant.outType) && isSmall(p.choices[0]) &&
         isSmall(p.choices[1]);
}

/// A run of bytes of types C, A and B.
template <typename C, typename A, typename B>
void chooseRequantized(const WhereIntParams &p, const WhereRun &r,
                       const void *condition, const void *x1, const void *x2,
                       void *output) {
  auto requantOf = [&](const WhereChoice &c) {
    return StripRequant(c.scale, c.shift, p.requant.zp, p.requant.lo,
                        p.requant.hi, 255 + 512);
  };
  StripRequant first = requantOf(p.choices[0]),
               second = requantOf(p.choices[1]);
  forEachStrip(0, r.n, [&](uint32_t i, auto size) {
    Strip<int32_t> holds, a, b;
    auto at = [&](Operand operand) {
      return r.at[operand] + int64_t(i) * r.stride[operand];
    };
    loadStrip<C>(condition, at(Condition), r.stride[Condition], size, holds);
    loadStrip<A>(x1, at(First), r.stride[First], size, a);
    loadStrip<B>(x2, at(Second), r.stride[Second], size, b);
    first.apply(a += p.choices[0].zp);
    second.apply(b += p.choices[1].zp);
    a = holds + p.conditionZp != 0 ? a : b;
    storeStrip<uint8_t>(a, size, output, int64_t(r.out) + i);
  });
}

/// A run may be as long as this where strips take it.
constexpr uint32_t kStripRun = 1 << 20;

} // namespace

YARROW_KERNEL(yk_where, Where) {
  Share share = shareOf(countOf(p.shape), task, taskCount);
  auto chunk = [&](const WhereRun &r) {
    int32_t holds[kChunk];
    loadCondition(p.conditionType, 0, buffers.condition(), r, holds);
    withElement(p.elemBytes, [&](auto zero) {
      chooseRun<decltype(zero)>(r, holds, buffers.x1(), buffers.x2(),
                                buffers.output());
    });
  };
  forEachWhereRun<kStripRun>(
      p.shape, share.begin, share.end, [&](const WhereRun &r) {
        uint32_t done = chooseStrips(p, r, buffers.condition(), buffers.x1(),
                                     buffers.x2(), buffers.output());
        forEachChunk(done, r.n,
                     [&](uint32_t i, uint32_t n) { chunk(partOf(r, i, n)); });
      });
}

YARROW_KERNEL(yk_where_int, WhereInt) {
  Share share = shareOf(countOf(p.shape), task, taskCount);
  if (areStripBytes(p))
    return withByte(p.conditionType, [&](auto c) {
      withByte(p.choices[0].type, [&](auto a) {
        withByte(p.choices[1].type, [&](auto b) {
          forEachWhereRun<kStripRun>(
              p.shape, share.begin, share.end, [&](const WhereRun &r) {
                chooseRequantized<decltype(c), decltype(a), decltype(b)>(
                    p, r, buffers.condition(), buffers.x1(), buffers.x2(),
                    buffers.output());
              });
        });
      });
    });
  forEachWhereRun(p.shape, share.begin, share.end, [&](const WhereRun &r) {
    int32_t holds[kChunk], a[kChunk], b[kChunk];
    loadCondition(p.conditionType, p.conditionZp, buffers.condition(), r,
                  holds);
    loadChoice(p.choices[0], p.requant, buffers.x1(), r.at[First],
               r.stride[First], r.n, a);
    loadChoice(p.choices[1], p.requant, buffers.x2(), r.at[Second],
               r.stride[Second], r.n, b);
    for (uint32_t i = 0; i < r.n; ++i)
      a[i] = holds[i] != 0 ? a[i] : b[i];
    storeI32(p.requant.outType, buffers.output(), r.out, r.n, a);
  });
}
