//===- ScatterTest.cpp - Kernels that write at indices, in plain loops ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// ScatterElements, ScatterND and SlotUpdate with all reductions, and indices of
// which many are equal or out of range.
//
//===----------------------------------------------------------------------===//
#include "support/Numeric.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/RandomValues.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

constexpr int kScatterRounds = 40;
constexpr ScatterOp kOps[] = {ScatterOp::None, ScatterOp::Add, ScatterOp::Mul,
                              ScatterOp::Max, ScatterOp::Min};

template <typename T> T combined(ScatterOp op, T y, T u) {
  switch (op) {
  case ScatterOp::None:
    return u;
  case ScatterOp::Add:
    return y + u;
  case ScatterOp::Mul:
    return y * u;
  case ScatterOp::Max:
    return std::max(y, u);
  case ScatterOp::Min:
    return std::min(y, u);
  }
  return y;
}

int32_t wrapped(int32_t index, uint32_t size) {
  index = index < 0 ? index + int32_t(size) : index;
  return std::clamp(index, 0, int32_t(size) - 1);
}

/// A call and where its updates go.
struct Call {
  ScatterShape shape;
  std::vector<int32_t> indices;
  std::vector<uint32_t> places; ///< Element of the data of each update.
};

Call anyCall(Random &random) {
  uint32_t a = random.between(1, 5), b = random.between(1, 7),
           c = random.between(1, 150);
  Call call;
  call.shape.elements = a * b * c;
  if (random.oneIn(2)) { // [a, b] places of c elements
    uint32_t n = random.between(1, 12);
    call.shape.places = n, call.shape.inner = c, call.shape.rank = 2;
    call.shape.dims[0] = a, call.shape.dims[1] = b;
    call.indices = randomValues<int32_t>(random, 2 * n, 8);
    for (uint32_t i = 0; i < n * c; ++i) {
      auto *place = &call.indices[i / c * 2];
      call.places.push_back(
          (wrapped(place[0], a) * b + wrapped(place[1], b)) * c + i % c);
    }
    return call;
  }
  // Along one of three axes, of a corner of the data.
  uint32_t sizes[] = {a, b, c}, strides[] = {b * c, c, 1},
           axis = random.below(3), count = 1;
  call.shape.rank = 3;
  for (uint32_t d = 0; d < 3; ++d) {
    count *= call.shape.dims[d] =
        d == axis ? random.between(1, 9) : random.between(1, sizes[d]);
    call.shape.strides[d] = d == axis ? 0 : int32_t(strides[d]);
  }
  call.shape.axisSize = int32_t(sizes[axis]);
  call.shape.axisStride = int32_t(strides[axis]);
  call.indices = randomValues<int32_t>(random, count, 9);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t at[] = {i / (call.shape.dims[1] * call.shape.dims[2]),
                     i / call.shape.dims[2] % call.shape.dims[1],
                     i % call.shape.dims[2]};
    at[axis] = uint32_t(wrapped(call.indices[i], sizes[axis]));
    call.places.push_back(at[0] * b * c + at[1] * c + at[2]);
  }
  return call;
}

TEST(Scatter, FloatsAsInPlainLoops) {
  Random random(31);
  for (int round = 0; round < kScatterRounds; ++round)
    for (ScatterOp op : kOps) {
      Call call = anyCall(random);
      auto data = randomValues<float>(random, call.shape.elements, 3),
           updates = randomValues<float>(random, call.places.size(), 2);
      std::vector<float> y(data.size()), state(data.size()), expected = data;
      ScatterFloatParams p{.shape = call.shape, .op = op};
      runKernel("yk_scatter_float", p,
                {data.data(), call.indices.data(), updates.data(), y.data(),
                 state.data()},
                random.between(1, 5));
      for (size_t i = 0; i < updates.size(); ++i) {
        float &to = expected[call.places[i]];
        to = combined(op, to, updates[i]);
      }
      ASSERT_EQ(y, expected);
    }
}

/// One multiplication as the layers have it.
int64_t product(const ScatterIntParams &p, int64_t y, int64_t u) {
  int64_t v = y * u;
  int32_t k = 0;
  switch (p.mul) {
  case ScatterMul::Rounded:
    return roundShiftHalfEven(v, p.mulShift);
  case ScatterMul::Floored:
    return v >> p.mulShift;
  case ScatterMul::Halved:
    for (; v > 32767 || v < -32768; v >>= 1)
      ++k;
    v *= p.mulScale;
    return k > p.mulShift ? v * (int64_t(1) << (k - p.mulShift))
                          : v >> (p.mulShift - k);
  }
  return 0;
}

TEST(Scatter, IntegersAsInPlainLoops) {
  Random random(32);
  for (int round = 0; round < kScatterRounds; ++round)
    for (ScatterOp op : kOps) {
      Call call = anyCall(random);
      ScatterIntParams p{.shape = call.shape,
                         .op = op,
                         .stateType = DType::I64,
                         .dataZp = 3,
                         .updateZp = -1,
                         .dataScale = 90,
                         .updateScale = op == ScatterOp::Mul ? 1 : 70,
                         .dataShift = 5,
                         .stateBits = 16,
                         .stepBits = 32,
                         .mul =
                             random.of({ScatterMul::Halved, ScatterMul::Rounded,
                                        ScatterMul::Floored}),
                         .mulScale = 77,
                         .mulShift = int32_t(random.below(5)),
                         .floors = random.below(2)};
      p.requant.scale = 170, p.requant.shift = 14, p.requant.zp = 4;
      bool isHalved = op == ScatterOp::Mul && p.mul == ScatterMul::Halved;
      if (op != ScatterOp::Mul && op != ScatterOp::Add)
        p.stateType = DType::I32;
      auto data = randomValues<int8_t>(random, call.shape.elements, 127),
           updates = randomValues<int8_t>(random, call.places.size(),
                                          op == ScatterOp::Mul ? 3 : 127);
      std::vector<int8_t> y(data.size());
      std::vector<int64_t> buffer(data.size()), state;
      runKernel("yk_scatter_int", p,
                {data.data(), call.indices.data(), updates.data(), y.data(),
                 buffer.data()},
                random.between(1, 5));
      for (int8_t x : data) {
        int64_t value = (x + 3) * 90;
        value = isHalved ? roundShiftHalfEven(value, 5) : value;
        state.push_back(std::clamp<int64_t>(value, -32768, 32767));
      }
      for (size_t i = 0; i < updates.size(); ++i) {
        int64_t &to = state[call.places[i]];
        int64_t u = (updates[i] - 1) * p.updateScale;
        if (op == ScatterOp::Mul)
          to = product(p, to, u);
        else
          to = combined<int64_t>(op, to, std::clamp<int64_t>(u, -32768, 32767));
        to = std::clamp<int64_t>(to, INT32_MIN, INT32_MAX);
      }
      for (size_t i = 0; i < y.size(); ++i) {
        int64_t floored = ((state[i] * 170) >> 14) - 4;
        ASSERT_EQ(y[i], p.floors ? std::clamp<int64_t>(floored, -128, 127)
                                 : requantize(state[i], 170, 14, 4, -128, 127))
            << int(op);
      }
    }
}

TEST(Scatter, SlotsAddUp) {
  Random random(33);
  for (int round = 0; round < kScatterRounds; ++round) {
    SlotUpdateParams p{.batch = random.between(1, 2),
                       .lists = 2,
                       .slots = random.between(1, 9),
                       .inner = random.between(1, 200)};
    p.counts[0] = random.between(1, p.slots);
    p.counts[1] = random.between(1, p.slots);
    p.inZp = 3;
    p.requant.scale = 3, p.requant.shift = 2, p.requant.zp = -5;
    auto x = randomValues<int8_t>(random, p.batch * 2 * p.slots * p.inner, 100);
    std::vector<int32_t> indices[] = {
        randomValues<int32_t>(random, p.counts[0], 9),
        randomValues<int32_t>(random, p.counts[1], 9)};
    std::vector<int8_t> y(p.batch * p.slots * p.inner);
    std::vector<int32_t> state(y.size()), sums(y.size());
    runKernel("yk_slot_update", p,
              {x.data(), indices[0].data(), indices[1].data(), y.data(),
               state.data()},
              random.between(1, 5));
    for (uint32_t n = 0; n < p.batch; ++n)
      for (uint32_t list = 0; list < 2; ++list)
        for (uint32_t k = 0; k < p.counts[list]; ++k)
          for (uint32_t i = 0; i < p.inner; ++i)
            sums[(n * p.slots + wrapped(indices[list][k], p.slots)) * p.inner +
                 i] += x[((n * 2 + list) * p.slots + k) * p.inner + i] + 3;
    for (size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], requantize(sums[i], 3, 2, -5, -128, 127));
  }
}

} // namespace
