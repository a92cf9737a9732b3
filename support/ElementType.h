//===- ElementType.h - Element types of tensors -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One enumeration for dialect, kernels and engines. The numbers are part of the
// executable format: parameters of kernels and fields of descriptors hold them.
// Files of others have numbers of their own (isa/ElfLayout.h, support/Npy.h).
//
//   elementBytes(ElementType::I16) // 2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_ELEMENTTYPE_H
#define YARROW_SUPPORT_ELEMENTTYPE_H

#include <stdint.h>

namespace yarrow {

enum class ElementType : uint32_t {
  I8 = 0,
  U8 = 1,
  I16 = 2,
  U16 = 3,
  I32 = 4, // the last one that the tensor engine has
  U32 = 5,
  F32 = 6,
  F16 = 7,
  BF16 = 8,
  Bool = 9, // one byte, 0 or 1
  I64 = 10,
  // Of tensors that are read, checked and written; no kernel computes them.
  F64 = 11,
  U64 = 12,
};

/// 1 of a number that is none: a broken descriptor may hold any.
constexpr uint32_t elementBytes(ElementType t) {
  return t == ElementType::I64 || t == ElementType::F64 || t == ElementType::U64
             ? 8
         : t == ElementType::I32 || t == ElementType::U32 ||
                 t == ElementType::F32
             ? 4
         : t == ElementType::I16 || t == ElementType::U16 ||
                 t == ElementType::F16 || t == ElementType::BF16
             ? 2
             : 1;
}

} // namespace yarrow

#endif // YARROW_SUPPORT_ELEMENTTYPE_H
