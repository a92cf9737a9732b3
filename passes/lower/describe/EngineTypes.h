//===- EngineTypes.h - Element types of the tensor engine -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Which tensors the tensor engine reads, and how its commands name their types.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_ENGINETYPES_H
#define YARROW_PASSES_LOWER_DESCRIBE_ENGINETYPES_H

#include "isa/Types.h"
#include "kernels/Kernel.h"

namespace yarrow::npu {

/// Element types that the tensor engine reads.
inline bool isEngineType(kernels::DType t) {
  return t == kernels::DType::I8 || t == kernels::DType::U8 ||
         t == kernels::DType::I16 || t == kernels::DType::U16;
}

/// Of one that the engine reads or writes.
inline isa::ElementType engineType(kernels::DType t) {
  return isa::ElementType(uint32_t(t));
}

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_ENGINETYPES_H
