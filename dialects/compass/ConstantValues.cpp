//===- ConstantValues.cpp - Elements of constants as numbers --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/ConstantValues.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::compass;

std::vector<float> compass::floatsOf(const ConstantView &constant) {
  std::vector<float> values(std::size_t(constant.numElements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = float(constant.floatAt(int64_t(i)));
  return values;
}

std::vector<char> compass::packed(StoredType type,
                                  llvm::ArrayRef<int64_t> values) {
  std::size_t size = kernels::dtypeBytes(type.dtype);
  std::vector<char> bytes(values.size() * size);
  // Little-endian hosts only: the low bytes of the value are its encoding.
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(bytes.data() + i * size, &values[i], size);
  return bytes;
}
