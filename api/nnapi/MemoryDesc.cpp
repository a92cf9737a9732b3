//===- MemoryDesc.cpp - Device memory before it is made -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/MemoryDesc.h"
#include "api/nnapi/Compilation.h"
#include "api/nnapi/Log.h"

using namespace yarrow;
using namespace yarrow::nnapi;

ResultCode MemoryDesc::addRole(Role role, float frequency) {
  const char *where = "MemoryDesc_addRole";
  if (isFinished)
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the description is finished");
  if (!role.compiled)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the compilation is not finished");
  const Operand *operand = role.compiled->argument(role.isInput, role.index);
  if (!operand)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "not a valid index of an argument");
  if (!(frequency > 0 && frequency <= 1))
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the frequency is not above 0 and at most 1");
  if (!roles.add(std::move(role), *operand))
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the role exists already, or does not agree with the others");
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode MemoryDesc::setDimensions(std::span<const std::uint32_t> dims) {
  const char *where = "MemoryDesc_setDimensions";
  if (isFinished)
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the description is finished");
  if (!roles.addLengths(dims))
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "lengths do not match the roles");
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode MemoryDesc::finish() {
  const char *where = "MemoryDesc_finish";
  if (isFinished)
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the description is finished");
  if (roles.roles.empty())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the description has no role");
  isFinished = true;
  return ANEURALNETWORKS_NO_ERROR;
}

std::shared_ptr<Memory> MemoryDesc::makeMemory(ResultCode &result) const {
  if (!isFinished) {
    result = refuse(ANEURALNETWORKS_BAD_STATE, "Memory_createFromDesc",
                    "the description is not finished");
    return nullptr;
  }
  result = ANEURALNETWORKS_NO_ERROR;
  return std::make_shared<Memory>(roles);
}
