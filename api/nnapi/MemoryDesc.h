//===- MemoryDesc.h - Device memory before it is made -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   MemoryDesc desc;
//   desc.addRole({compiled, false, 0}, 1.0f);
//   desc.finish();
//   std::shared_ptr<Memory> memory = desc.makeMemory(result);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_MEMORYDESC_H
#define YARROW_API_NNAPI_MEMORYDESC_H

#include "api/nnapi/Memory.h"

namespace yarrow::nnapi {

class MemoryDesc {
public:
  /// \p role.compiled is null of a compilation that is not finished.
  ResultCode addRole(Role role, float frequency);
  ResultCode setDimensions(std::span<const std::uint32_t> dims);
  ResultCode finish();
  std::shared_ptr<Memory> makeMemory(ResultCode &result) const;

private:
  bool isFinished = false;
  MemoryRoles roles;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_MEMORYDESC_H
