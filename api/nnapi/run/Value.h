//===- Value.h - An operand's value in a run --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Elements with the lengths that they have in this run. Copies share the bytes,
// which nobody changes.
//
//   Value x = Value::of({2, 3}, bytes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_VALUE_H
#define YARROW_API_NNAPI_RUN_VALUE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace yarrow::nnapi {

struct Value {
  /// 0: a tensor without elements.
  std::vector<std::uint32_t> dims = {};
  std::span<const std::byte> bytes = {};
  std::shared_ptr<const void> owner = {}; ///< Of the bytes; null: the caller.

  static Value of(std::vector<std::uint32_t> dims,
                  std::vector<std::byte> bytes) {
    auto own = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return {std::move(dims), *own, own};
  }
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_VALUE_H
