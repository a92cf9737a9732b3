//===- TecFloatBlock.h - A block of float products on a TEC -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// addBlock of FloatTile.h as a TEC does it fastest. A scalar load takes as long
// as four products of a register, so numbers of a row are loaded 8 at a time
// and spread by vrgather, which takes one cycle in single registers. All work
// is in single registers, as many of them for the columns as there are.
//
// 4 rows of 32 columns need 28 registers, if products are added as soon as they
// are computed. LLVM would compute all products first and would have to store
// them: orderAfter prevents that.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_TECFLOATBLOCK_H
#define YARROW_KERNELS_TECFLOATBLOCK_H

#include <riscv_vector.h>
#include <stdint.h>

namespace yarrow::kernels {

/// A register of floats, to compute with, and as intrinsics take it.
constexpr uint32_t kRegister = 8;
typedef float Register __attribute__((vector_size(kRegister * sizeof(float))));
typedef vfloat32m1_t FixedRegister __attribute__((riscv_rvv_vector_bits(256)));

__attribute__((always_inline)) inline vfloat32m1_t given(const Register &x) {
  return (FixedRegister)x;
}
__attribute__((always_inline)) inline void take(vfloat32m1_t from,
                                                Register &to) {
  to = (Register)(FixedRegister)from;
}

/// What is computed of x and y comes behind the four sums; no instruction.
__attribute__((always_inline)) inline void
orderAfter(Register *sums, Register &x, Register &y) {
  vfloat32m1_t a = given(sums[0]), b = given(sums[1]), c = given(sums[2]),
               d = given(sums[3]), e = given(x), f = given(y);
  asm volatile("" : "+vr"(a), "+vr"(b), "+vr"(c), "+vr"(d), "+vr"(e), "+vr"(f));
  take(a, sums[0]), take(b, sums[1]), take(c, sums[2]), take(d, sums[3]);
  take(e, x), take(f, y);
}

/// The sums of Rows rows and Width columns, each row's after the other.
template <uint32_t Width, uint32_t Rows> class TecFloatBlock {
public:
  /// Terms k to k + kRegister of rows `pitch` apart.
  __attribute__((always_inline)) inline void addTerms(const float *rows,
                                                      int64_t pitch,
                                                      const float *weights,
                                                      int64_t weightPitch) {
    Register x[Rows];
#pragma clang loop unroll(full)
    for (uint32_t row = 0; row < Rows; ++row)
      __builtin_memcpy(&x[row], rows + row * pitch, sizeof(Register));
#pragma clang loop unroll_count(2)
    for (uint32_t i = 0; i < kRegister; ++i)
      addTerm(
          weights + i * weightPitch,
          [&](uint32_t row, Register &spread) {
            take(__riscv_vrgather_vx_f32m1(given(x[row]), i, kRegister),
                 spread);
          },
          x);
  }

  /// The first term alone.
  __attribute__((always_inline)) inline void
  addTerm(const float *rows, int64_t pitch, const float *weights) {
    Register none[2] = {};
    addTerm(
        weights,
        [&](uint32_t row, Register &number) {
          number = rows[row * pitch] - Register{};
        },
        none);
  }

  static constexpr uint32_t kRegisters = Width / kRegister;
  Register sums[Rows * kRegisters] = {};

private:
  typedef float Columns __attribute__((vector_size(Width * sizeof(float))));

  /// A term's products: numberOf(row, x) sets all lanes of x. What it makes x
  /// of is `source`, for each row or for all.
  template <typename NumberOf, uint32_t Sources>
  __attribute__((always_inline)) inline void
  addTerm(const float *weights, NumberOf numberOf,
          Register (&source)[Sources]) {
    Columns columns;
    __builtin_memcpy(&columns, weights, sizeof(columns));
    Register w[kRegisters];
    __builtin_memcpy(w, &columns, sizeof(w));
#pragma clang loop unroll(full)
    for (uint32_t row = 0; row < Rows; ++row) {
      Register x;
      numberOf(row, x);
#pragma clang loop unroll(full)
      for (uint32_t i = 0; i < kRegisters; ++i)
        sums[row * kRegisters + i] += w[i] * x;
      // After as many rows as have four sums.
      constexpr uint32_t kGroup = 4 / kRegisters;
      if (Rows >= kGroup && row % kGroup == kGroup - 1)
        orderAfter(&sums[(row + 1 - kGroup) * kRegisters],
                   source[(row + 1) % Sources], source[(row + 2) % Sources]);
    }
  }
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_TECFLOATBLOCK_H
