//===- FloatTile.cpp - Products of floats with the host's vectors ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One binary serves hosts with and without wide vectors. Products and sums stay
// two operations in all of them, so that their bits are the same.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatTile.h"

#ifdef __x86_64__

using namespace yarrow::kernels;

namespace {

/// 32 registers of 16 floats: 16 hold the sums of 8 rows.
__attribute__((target("arch=x86-64-v4"), min_vector_width(512))) void
addProductsV4(uint32_t width, const TileRows &x, const TileColumns &w,
              uint32_t n, float *sums) {
  addProductsIn<8>(width, x, w, n, sums);
}

/// 16 registers of 8 floats: 12 hold the sums of 3 rows.
__attribute__((target("arch=x86-64-v3"))) void
addProductsV3(uint32_t width, const TileRows &x, const TileColumns &w,
              uint32_t n, float *sums) {
  addProductsIn<3>(width, x, w, n, sums);
}

/// 16 registers of 4 floats.
void addProductsV2(uint32_t width, const TileRows &x, const TileColumns &w,
                   uint32_t n, float *sums) {
  addProductsIn<1>(width, x, w, n, sums);
}

} // namespace

AddProducts *yarrow::kernels::addProductsOfHost() {
  if (__builtin_cpu_supports("x86-64-v4"))
    return addProductsV4;
  return __builtin_cpu_supports("x86-64-v3") ? addProductsV3 : addProductsV2;
}

#endif
