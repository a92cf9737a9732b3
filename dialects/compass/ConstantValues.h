//===- ConstantValues.h - Elements of constants as numbers ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A constant's elements, decoded and encoded all at once.
//
//   std::vector<float> weights = floatsOf(*viewConstant(attr));
//   makeConstant(context, name, shape, type, packed(type, integers));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONSTANTVALUES_H
#define YARROW_DIALECTS_COMPASS_CONSTANTVALUES_H

#include "dialects/compass/Tensors.h"

#include <vector>

namespace yarrow::compass {

/// Of any type.
std::vector<float> floatsOf(const ConstantView &constant);

/// Integers as the bytes of a constant of \p type, which holds each of them.
std::vector<char> packed(StoredType type, llvm::ArrayRef<int64_t> values);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CONSTANTVALUES_H
