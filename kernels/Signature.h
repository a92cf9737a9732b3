//===- Signature.h - The buffers and parameters of a kernel -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A kernel's signature is a record of its family's .def file:
//
//   KERNEL(Lut, yk_lut, LutParams,
//          IN(input, kInt8To16) IN(table, kInt8To16) OUT(output, kInt8To16))
//
// name, C symbol, parameter struct, and the buffers in the order of the array
// that the function gets: IN and OUT must be there, OPTIONAL may be null; of an
// UPDATE, the kernel writes a part and leaves the rest; MANY_IN and MANY_OUT
// are as many as the parameters say (variadicCount). From it come, in the
// header of the family (DeclareKernels.inc), the tag Lut for those who call the
// kernel and LutBuffers for the kernel itself, and the table of all kernels
// (Registry.h), with which calls are checked and printed.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SIGNATURE_H
#define YARROW_KERNELS_SIGNATURE_H

#include "kernels/Kernel.h"

/// Defines kernel NAME, whose C symbol is SYMBOL:
///   YARROW_KERNEL(yk_lut, Lut) { ... p.count ... buffers.table() ... }
/// The buffers come by value: a reference to them costs a TEC up to 3 % of its
/// cycles, as LLVM takes the struct apart later.
#define YARROW_KERNEL(SYMBOL, NAME)                                            \
  static inline void SYMBOL##_body(const NAME::Params &p,                      \
                                   NAME##Buffers buffers, uint32_t task,       \
                                   uint32_t taskCount);                        \
  extern "C" void SYMBOL(const void *params, void *const *buffers,             \
                         uint32_t task, uint32_t taskCount) {                  \
    const auto &p = *static_cast<const NAME::Params *>(params);                \
    SYMBOL##_body(p, NAME##Buffers{{buffers, variadicCount(p)}}, task,         \
                  taskCount);                                                  \
  }                                                                            \
  static inline void SYMBOL##_body(const NAME::Params &p,                      \
                                   NAME##Buffers buffers, uint32_t task,       \
                                   uint32_t taskCount)

namespace yarrow::kernels {

/// One bit for each DType.
using DTypeSet = uint32_t;

template <typename... Types> constexpr DTypeSet setOf(Types... types) {
  return ((1u << uint32_t(types)) | ...);
}
constexpr bool contains(DTypeSet set, DType type) {
  return set >> uint32_t(type) & 1;
}

constexpr DTypeSet kInt8To16 =
    setOf(DType::I8, DType::U8, DType::I16, DType::U16);
constexpr DTypeSet kInt8To32 = kInt8To16 | setOf(DType::I32);
constexpr DTypeSet kSmallInts = kInt8To32 | setOf(DType::U32);
constexpr DTypeSet kWeightInts = setOf(DType::I8, DType::I16);
constexpr DTypeSet kMultipliers = setOf(DType::U8, DType::U16);
constexpr DTypeSet kWideMultipliers = kMultipliers | setOf(DType::I32);
constexpr DTypeSet kShifts = setOf(DType::I8);
constexpr DTypeSet kInt32 = setOf(DType::I32);
constexpr DTypeSet kWholeNumbers = kSmallInts | setOf(DType::Bool, DType::I64);
constexpr DTypeSet kFloats = setOf(DType::F32, DType::F16, DType::BF16);
constexpr DTypeSet kAnyType =
    kSmallInts | kFloats | setOf(DType::Bool, DType::I64);

/// How many buffers a MANY_IN or MANY_OUT stands for; overloaded for the
/// parameters of kernels that have one.
template <typename Params> constexpr uint32_t variadicCount(const Params &) {
  return 0;
}

/// The base of the classes of buffers, which name the entries of the array that
/// a kernel gets. An entry is read where it is used: read in advance, the
/// pointers would take registers from the loops of a specialized kernel.
struct BufferArray {
  void *const *array;
  uint32_t many; ///< Length of the one MANY_IN or MANY_OUT.

  /// Index in the signature of the one that stands for many; here: none.
  static constexpr uint32_t kVariadic = ~0u;

  void *at(uint32_t index, uint32_t variadic) const {
    return array[index > variadic ? index + many - 1 : index];
  }
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SIGNATURE_H
