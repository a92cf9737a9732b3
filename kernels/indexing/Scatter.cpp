//===- Scatter.cpp - Writing at indices -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/indexing/Scatter.h"
#include "kernels/indexing/Indices.h"
#include "kernels/indexing/State.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Calls fn(to, from, n) for each run of updates in row-major order: n of them
/// from element `from` on go to the data's elements from `to` on.
template <typename Fn>
void forEachPlace(const ScatterShape &s, const void *indices, Fn fn) {
  forEachChunk(0, s.places, [&](uint32_t place, uint32_t n) {
    int32_t at[kChunk], index[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      at[i] = 0;
    for (uint32_t d = 0; d < s.rank; ++d) {
      loadIndices(s.indexType, indices, int64_t(place) * s.rank + d, n, index,
                  s.rank);
      wrapIndices(index, n, int32_t(s.dims[d]));
      for (uint32_t i = 0; i < n; ++i)
        at[i] = at[i] * int32_t(s.dims[d]) + index[i];
    }
    for (uint32_t i = 0; i < n; ++i)
      fn(int64_t(at[i]) * s.inner, int64_t(place + i) * s.inner, s.inner);
  });
}

template <typename Fn>
void forEachElement(const ScatterShape &s, const void *indices, Fn fn) {
  uint32_t rows = 1, width = s.rank ? s.dims[s.rank - 1] : 1;
  int32_t step = s.rank ? s.strides[s.rank - 1] : 0;
  for (uint32_t d = 0; d + 1 < s.rank; ++d)
    rows *= s.dims[d];
  for (uint32_t row = 0; row < rows; ++row) {
    int32_t base = 0;
    uint32_t rest = row;
    for (uint32_t d = s.rank; d-- > 1;) {
      base += int32_t(rest % s.dims[d - 1]) * s.strides[d - 1];
      rest /= s.dims[d - 1];
    }
    forEachChunk(0, width, [&](uint32_t column, uint32_t n) {
      int32_t at[kChunk];
      int64_t from = int64_t(row) * width + column;
      loadIndices(s.indexType, indices, from, n, at);
      wrapIndices(at, n, s.axisSize);
      for (uint32_t i = 0; i < n; ++i)
        at[i] = base + int32_t(column + i) * step + at[i] * s.axisStride;
      for (uint32_t i = 0; i < n; ++i)
        fn(at[i], from + i, 1u);
    });
  }
}

template <typename Fn>
void forEachUpdate(const ScatterShape &s, const void *indices, Fn fn) {
  if (s.axisSize)
    forEachElement(s, indices, fn);
  else
    forEachPlace(s, indices, fn);
}

struct Range {
  int64_t lo, hi;
};
Range rangeOf(uint32_t bits, bool isSigned) {
  if (bits >= 64)
    return {INT64_MIN, INT64_MAX};
  return isSigned ? Range{-(int64_t(1) << (bits - 1)),
                          (int64_t(1) << (bits - 1)) - 1}
                  : Range{0, (int64_t(1) << bits) - 1};
}

/// x >> shift rounding down; a negative shift multiplies.
int64_t floorShift(int64_t x, int32_t shift) {
  if (shift >= 0)
    return x >> (shift < 63 ? shift : 63);
  return int64_t(uint64_t(x) << (shift > -63 ? -shift : 63));
}

/// A product brought into the range by halving, then scaled. Of a negative one
/// no halving makes an unsigned number: that ends at -1.
int64_t halvedProduct(const ScatterIntParams &p, int64_t y, int64_t u) {
  Range range = rangeOf(16, p.isSigned);
  int64_t v = wrapMul(y, u);
  int32_t halvings = 0;
  for (; (v > range.hi || v < range.lo) && v != -1; v >>= 1)
    ++halvings;
  return floorShift(wrapMul(v, p.mulScale), p.mulShift - halvings);
}

/// state[i] becomes what comes of it and update u[i].
template <typename S>
void applyUpdates(const ScatterIntParams &p, const int64_t *u, uint32_t n,
                  S *state) {
  Range step = rangeOf(p.stepBits, p.isSigned);
  auto each = [&](auto fn) {
    for (uint32_t i = 0; i < n; ++i)
      state[i] =
          S(clamp(int64_t(fn(int64_t(state[i]), u[i])), step.lo, step.hi));
  };
  switch (p.op) {
  case ScatterOp::None:
    return each([](int64_t, int64_t v) { return v; });
  case ScatterOp::Add:
    return each([](int64_t y, int64_t v) { return y + v; });
  case ScatterOp::Max:
    return each([](int64_t y, int64_t v) { return y > v ? y : v; });
  case ScatterOp::Min:
    return each([](int64_t y, int64_t v) { return y < v ? y : v; });
  case ScatterOp::Mul:
    break;
  }
  switch (p.mul) {
  case ScatterMul::Halved:
    return each([&](int64_t y, int64_t v) { return halvedProduct(p, y, v); });
  case ScatterMul::Rounded:
    return each([&](int64_t y, int64_t v) {
      return roundShiftHalfEven(wrapMul(y, v), p.mulShift);
    });
  case ScatterMul::Floored:
    return each([&](int64_t y, int64_t v) {
      return floorShift(wrapMul(y, v), p.mulShift);
    });
  }
}

/// n of the data or of the updates at the scale of the state.
void loadScaled(DType type, const void *from, int64_t at, uint32_t n,
                int32_t zp, int32_t scale, const Range &range, int64_t *wide) {
  int32_t x[kChunk];
  loadI32(type, from, at, n, x);
  for (uint32_t i = 0; i < n; ++i)
    wide[i] = clamp((int64_t(x[i]) + zp) * scale, range.lo, range.hi);
}

bool isHalved(const ScatterIntParams &p) {
  return p.op == ScatterOp::Mul && p.mul == ScatterMul::Halved;
}

template <typename S>
void scatterInt(const ScatterIntParams &p, const ScatterIntBuffers &buffers,
                Share own) {
  S *state = static_cast<S *>(buffers.state());
  Range range = rangeOf(p.stateBits, p.isSigned);
  int64_t wide[kChunk];
  forEachChunk(own.begin, own.end, [&](uint32_t i, uint32_t n) {
    if (isHalved(p)) {
      loadScaled(p.dataType, buffers.data(), i, n, p.dataZp, p.dataScale,
                 rangeOf(64, true), wide);
      for (uint32_t lane = 0; lane < n; ++lane)
        wide[lane] = clamp(roundShiftHalfEven(wide[lane], p.dataShift),
                           range.lo, range.hi);
    } else {
      loadScaled(p.dataType, buffers.data(), i, n, p.dataZp, p.dataScale, range,
                 wide);
    }
    for (uint32_t lane = 0; lane < n; ++lane)
      state[i + lane] = S(wide[lane]);
  });
  // Factors are not limited.
  Range limit = p.op == ScatterOp::Mul ? rangeOf(64, true) : range;
  forEachUpdate(
      p.shape, buffers.indices(),
      [&](int64_t to, int64_t from, uint32_t count) {
        forOwned(own, to, count, [&](int64_t at, uint32_t skipped, uint32_t n) {
          loadScaled(p.updateType, buffers.updates(), from + skipped, n,
                     p.updateZp, p.updateScale, limit, wide);
          applyUpdates(p, wide, n, state + at);
        });
      });
  if (!p.floors)
    return requantizeState(p.requant, own, state, buffers.output());
  forEachChunk(own.begin, own.end, [&](uint32_t i, uint32_t n) {
    int32_t y[kChunk];
    for (uint32_t lane = 0; lane < n; ++lane) {
      int64_t v = floorShift(wrapMul(state[i + lane], p.requant.scale),
                             p.requant.shift);
      int64_t lo = int64_t(p.requant.lo) + p.requant.zp,
              hi = int64_t(p.requant.hi) + p.requant.zp;
      y[lane] = int32_t(clamp(v, lo, hi) - p.requant.zp);
    }
    storeI32(p.requant.outType, buffers.output(), i, n, y);
  });
}

void applyFloats(ScatterOp op, const float *u, uint32_t n, float *state) {
  auto each = [&](auto fn) {
    for (uint32_t i = 0; i < n; ++i)
      state[i] = canonicalNaN(fn(state[i], u[i]));
  };
  switch (op) {
  case ScatterOp::None:
    return each([](float, float v) { return v; });
  case ScatterOp::Add:
    return each([](float y, float v) { return y + v; });
  case ScatterOp::Mul:
    return each([](float y, float v) { return y * v; });
  // NaN of either side wins.
  case ScatterOp::Max:
    return each([](float y, float v) { return y > v || y != y ? y : v; });
  case ScatterOp::Min:
    return each([](float y, float v) { return y < v || y != y ? y : v; });
  }
}

template <typename S>
void slotUpdate(const SlotUpdateParams &p, const SlotUpdateBuffers &buffers,
                Share own, S *state) {
  clearState(own, state);
  for (uint32_t n = 0; n < p.batch; ++n)
    for (uint32_t list = 0; list < p.lists; ++list)
      for (uint32_t k = 0; k < p.counts[list]; ++k) {
        int32_t slot;
        loadIndices(p.indexType, buffers.indices(list), k, 1, &slot);
        wrapIndices(&slot, 1, int32_t(p.slots));
        int64_t to = (int64_t(n) * p.slots + slot) * p.inner,
                from = ((int64_t(n) * p.lists + list) * p.slots + k) * p.inner;
        forOwned(
            own, to, p.inner,
            [&](int64_t at, uint32_t skipped, uint32_t lanes) {
              if constexpr (__is_same(S, float)) {
                float x[kChunk];
                loadF32(p.inType, buffers.input(), from + skipped, lanes, x);
                applyFloats(ScatterOp::Add, x, lanes, state + at);
              } else {
                int32_t x[kChunk];
                loadI32(p.inType, buffers.input(), from + skipped, lanes, x);
                for (uint32_t i = 0; i < lanes; ++i)
                  state[at + i] += x[i] + p.inZp;
              }
            });
      }
}

} // namespace

YARROW_KERNEL(yk_scatter_int, ScatterInt) {
  Share own = shareOf(p.shape.elements, task, taskCount);
  if (p.stateType == DType::I32)
    scatterInt<int32_t>(p, buffers, own);
  else
    scatterInt<int64_t>(p, buffers, own);
}

YARROW_KERNEL(yk_scatter_float, ScatterFloat) {
  Share own = shareOf(p.shape.elements, task, taskCount);
  float *state = static_cast<float *>(buffers.state());
  forEachChunk(own.begin, own.end, [&](uint32_t i, uint32_t n) {
    loadF32(p.dataType, buffers.data(), i, n, state + i);
  });
  forEachUpdate(
      p.shape, buffers.indices(),
      [&](int64_t to, int64_t from, uint32_t count) {
        forOwned(own, to, count, [&](int64_t at, uint32_t skipped, uint32_t n) {
          float u[kChunk];
          loadF32(p.updateType, buffers.updates(), from + skipped, n, u);
          applyFloats(p.op, u, n, state + at);
        });
      });
  forEachChunk(own.begin, own.end, [&](uint32_t i, uint32_t n) {
    storeF32(p.outType, buffers.output(), i, n, state + i);
  });
}

YARROW_KERNEL(yk_slot_update, SlotUpdate) {
  Share own = shareOf(p.batch * p.slots * p.inner, task, taskCount);
  if (p.stateType == DType::F32) {
    float *state = static_cast<float *>(buffers.state());
    slotUpdate(p, buffers, own, state);
    return forEachChunk(own.begin, own.end, [&](uint32_t i, uint32_t n) {
      storeF32(p.requant.outType, buffers.output(), i, n, state + i);
    });
  }
  auto as = [&](auto *state) {
    slotUpdate(p, buffers, own, state);
    requantizeState(p.requant, own, state, buffers.output());
  };
  if (p.stateType == DType::I32)
    as(static_cast<int32_t *>(buffers.state()));
  else
    as(static_cast<int64_t *>(buffers.state()));
}
