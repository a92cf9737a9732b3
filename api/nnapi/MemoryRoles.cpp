//===- MemoryRoles.cpp - What device memory is for ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/MemoryRoles.h"
#include "api/nnapi/Lengths.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

bool nnapi::haveSameType(const Operand &a, const Operand &b) {
  return a.type == b.type && a.scale == b.scale && a.zeroPoint == b.zeroPoint &&
         a.channels.axis == b.channels.axis &&
         a.channels.scales == b.channels.scales;
}

bool MemoryRoles::has(const Role &role) const {
  return std::ranges::find(roles, role) != roles.end();
}

bool MemoryRoles::add(Role role, const Operand &roleOperand) {
  if (has(role))
    return false;
  if (roles.empty()) {
    std::vector<std::uint32_t> dims = std::move(operand.dims);
    if (!combineLengths(dims, roleOperand.dims)) {
      operand.dims = std::move(dims);
      return false;
    }
    operand = roleOperand;
    operand.dims = std::move(dims);
  } else if (!haveSameType(operand, roleOperand) ||
             !combineLengths(operand.dims, roleOperand.dims)) {
    return false;
  }
  roles.push_back(std::move(role));
  return true;
}
