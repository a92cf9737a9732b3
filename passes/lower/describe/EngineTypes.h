//===- EngineTypes.h - Element types of the tensor engine -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Which tensors the tensor engine reads.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_ENGINETYPES_H
#define YARROW_PASSES_LOWER_DESCRIBE_ENGINETYPES_H

#include "support/ElementType.h"

namespace yarrow::npu {

/// Element types that the tensor engine reads.
inline bool isEngineType(ElementType t) {
  return t == ElementType::I8 || t == ElementType::U8 ||
         t == ElementType::I16 || t == ElementType::U16;
}

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_ENGINETYPES_H
