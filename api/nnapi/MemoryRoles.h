//===- MemoryRoles.h - What device memory is for ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A client says of which arguments a memory will be the value; all of them are
// operands of one type, whose lengths agree.
//
//   MemoryRoles roles;
//   roles.add({compiled, true, 0}, operand);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_MEMORYROLES_H
#define YARROW_API_NNAPI_MEMORYROLES_H

#include "parser/nnapi/NnModel.h"

namespace yarrow::nnapi {

struct Compiled;

/// An input or output of executions.
struct Role {
  std::shared_ptr<const Compiled> compiled;
  bool isInput = true;
  std::uint32_t index = 0;

  bool operator==(const Role &) const = default;
};

struct MemoryRoles {
  std::vector<Role> roles = {};
  /// Type, scale and lengths that all roles agree on.
  Operand operand = {};

  /// False if it is there already or does not agree with the others.
  bool add(Role role, const Operand &roleOperand);
  /// What the client knows of them. False if they do not agree.
  bool addLengths(std::span<const std::uint32_t> dims);
  bool has(const Role &role) const;
};

/// Type and quantization.
bool haveSameType(const Operand &a, const Operand &b);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_MEMORYROLES_H
