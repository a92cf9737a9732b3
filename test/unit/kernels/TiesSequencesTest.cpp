//===- TiesSequencesTest.cpp - Halves in recurrent and rotary kernels -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/TiesTesting.h"

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

/// NNAPI's LSTM: what a cell keeps and what it adds go away from 0, each.
TEST(Ties, CellsOfStoredLstm) {
  constexpr int32_t kHalf[] = {1 << 14}, kNone[] = {0}, kOne[] = {1};
  auto odd = stored(DType::I16, kOdd), half = stored(DType::I16, kHalf),
       none = stored(DType::I16, kNone), y = room(DType::I16);
  StoredLstmCellParams p{.count = kCount};
  runKernel("yk_stored_lstm_cell", p,
            {half.data(), none.data(), none.data(), odd.data(), y.data()});
  expectValues(DType::I16, y, kFromZero);
  runKernel("yk_stored_lstm_cell", p,
            {none.data(), half.data(), odd.data(), none.data(), y.data()});
  expectValues(DType::I16, y, kFromZero);
  // Two roundings: of the product upwards, of the shift away from 0.
  auto x = stored(DType::I8, kOne, 1, 0, 1), projected = room(DType::I8);
  for (auto [factor, shift, want] :
       {std::tuple{1, 31, kUpwards}, std::tuple{2, 32, kFromZero}}) {
    StoredLstmProjectionParams r{.units = 1, .outputs = kCount};
    r.scale = {1 << 30, shift};
    auto weights = stored(DType::I8, kOdd, factor);
    runKernel("yk_stored_lstm_projection", r,
              {x.data(), weights.data(), nullptr, projected.data()});
    expectValues(DType::I8, projected, {want, 8});
  }
}

/// Both values of a pair, and what is not turned.
TEST(Ties, Rotary) {
  for (uint32_t rotated : {2 * kCount, 0u}) {
    RotaryIntParams p;
    p.shape = {.size = 2 * kCount, .rotated = rotated};
    p.shape.batchStride = p.shape.headStride = p.shape.stepStride = 2 * kCount;
    p.shape.cacheWidth = kCount;
    p.cosFactor = p.sinFactor = p.keptFactor = 0.5f;
    constexpr int32_t kOne[] = {1}, kNone[] = {0};
    auto x = stored(DType::I8, kOdd, 1, 0, 2 * kCount),
         one = stored(DType::I8, kOne), none = stored(DType::I8, kNone),
         y = room(DType::I8, 2 * kCount);
    runKernel("yk_rotary_int", p,
              {x.data(), one.data(), none.data(), nullptr, y.data()});
    expectValues(DType::I8, y, kToEven);
  }
}
