//===- MemoryRoles.cpp - What device memory is for ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/MemoryRoles.h"
#include "api/nnapi/run/Lengths.h"
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

bool MemoryRoles::addLengths(std::span<const std::uint32_t> dims) {
  bool isScalar = !roles.empty() && !operand.isTensor();
  return (!isScalar || dims.empty()) && combineLengths(operand.dims, dims);
}

bool MemoryRoles::add(Role role, const Operand &roleOperand) {
  if (has(role))
    return false;
  if (roles.empty()) {
    // The client may have said lengths before any role.
    Operand first = roleOperand;
    if ((!first.isTensor() && !operand.dims.empty()) ||
        !combineLengths(first.dims, operand.dims))
      return false;
    operand = std::move(first);
  } else if (!haveSameType(operand, roleOperand) ||
             !combineLengths(operand.dims, roleOperand.dims)) {
    return false;
  }
  roles.push_back(std::move(role));
  return true;
}
