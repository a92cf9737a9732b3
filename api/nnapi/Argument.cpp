//===- Argument.cpp - An input or output of an execution ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Argument.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/run/Lengths.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::nnapi;

/// The operand's lengths with those that the client adds. False, and told, if
/// what it says is another type.
static bool combineTypes(const ArgumentRequest &request,
                         std::vector<std::uint32_t> &dims) {
  const Operand &operand = *request.operand;
  dims = operand.dims;
  const ANeuralNetworksOperandType *type = request.type;
  if (!type)
    return true;
  bool isSame = type->type == std::int32_t(operand.type) &&
                type->scale == operand.scale &&
                type->zeroPoint == operand.zeroPoint;
  if (!isSame || (!operand.isTensor() && type->dimensionCount != 0)) {
    notify(request.where, "the type does not match the operand");
    return false;
  }
  if (combineLengths(dims, {type->dimensions, type->dimensionCount}))
    return true;
  notify(request.where, "the lengths do not match the operand");
  return false;
}

static bool areLengthsKnown(const Operand &operand,
                            std::span<const std::uint32_t> dims) {
  return !operand.isTensor() || areKnown(dims);
}

ResultCode Argument::setBytes(const ArgumentRequest &request,
                              std::span<std::byte> newBytes) {
  const Operand &operand = *request.operand;
  std::vector<std::uint32_t> newDims;
  if (!combineTypes(request, newDims))
    return ANEURALNETWORKS_BAD_DATA;
  if (areLengthsKnown(operand, newDims)) {
    std::uint64_t needed = sizeBytesOf(operand, newDims);
    bool fits = request.isPaddingAllowed ? newBytes.size() >= needed
                                         : newBytes.size() == needed;
    if (!fits)
      return refuse(ANEURALNETWORKS_BAD_DATA, request.where,
                    std::to_string(newBytes.size()) + " bytes instead of " +
                        std::to_string(needed));
  } else if (request.role.isInput) {
    return refuse(ANEURALNETWORKS_BAD_DATA, request.where,
                  "an input's lengths must be known");
  }
  dims = std::move(newDims);
  bytes = newBytes;
  kind = Kind::Bytes;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Argument::set(const ArgumentRequest &request, std::byte *buffer,
                         std::size_t length) {
  if (buffer)
    return setBytes(request, {buffer, length});
  if (!combineTypes(request, dims))
    return ANEURALNETWORKS_BAD_DATA;
  kind = Kind::Omitted;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Argument::setDevice(const ArgumentRequest &request,
                               std::shared_ptr<Memory> device) {
  if (!device->hasRole(request.role))
    return refuse(ANEURALNETWORKS_BAD_DATA, request.where,
                  "the memory was not made for this argument");
  std::vector<std::uint32_t> newDims;
  if (!combineTypes(request, newDims))
    return ANEURALNETWORKS_BAD_DATA;
  if (!combineLengths(newDims, device->device().operand.dims))
    return refuse(ANEURALNETWORKS_BAD_DATA, request.where,
                  "the memory's lengths do not match");
  dims = std::move(newDims);
  memory = std::move(device);
  kind = Kind::Device;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Argument::set(const ArgumentRequest &request,
                         std::shared_ptr<Memory> where, std::size_t offset,
                         std::size_t length) {
  if (where->isDevice()) {
    if (offset != 0 || length != 0)
      return refuse(ANEURALNETWORKS_BAD_DATA, request.where,
                    "a device's memory is used as a whole: offset and length "
                    "are 0");
    return setDevice(request, std::move(where));
  }
  std::span<std::byte> all = where->mapped();
  if (offset > all.size() || length > all.size() - offset)
    return refuse(ANEURALNETWORKS_BAD_DATA, request.where,
                  "the memory is smaller than offset + length");
  if (request.role.isInput ? !where->isReadable() : !where->isWritable())
    return refuse(ANEURALNETWORKS_BAD_DATA, request.where,
                  "the memory's protection does not allow it");
  if (ResultCode result = setBytes(request, all.subspan(offset, length)))
    return result;
  memory = std::move(where);
  return ANEURALNETWORKS_NO_ERROR;
}

Value Argument::input(const Operand &operand, ResultCode &result) const {
  result = ANEURALNETWORKS_NO_ERROR;
  if (kind == Kind::Omitted)
    return {};
  if (kind == Kind::Bytes)
    return {dims, bytes.first(std::size_t(sizeBytesOf(operand, dims))), memory};
  std::optional<Value> value = memory->value();
  if (!value) {
    result = refuse(ANEURALNETWORKS_OP_FAILED, "Execution_compute",
                    "an input's memory was never written");
    return {};
  }
  if (!agree(dims, value->dims))
    result = refuse(ANEURALNETWORKS_BAD_DATA, "Execution_compute",
                    "the lengths in an input's memory do not match");
  return *value;
}

ResultCode Argument::store(const Value &value) const {
  if (kind == Kind::Omitted)
    return ANEURALNETWORKS_NO_ERROR;
  if (!agree(dims, value.dims))
    return refuse(ANEURALNETWORKS_BAD_DATA, "Execution_compute",
                  "a result's lengths do not match the client's");
  if (kind == Kind::Device) {
    memory->replace(
        Value::of(value.dims, {value.bytes.begin(), value.bytes.end()}));
    return ANEURALNETWORKS_NO_ERROR;
  }
  if (bytes.size() < value.bytes.size())
    return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
  if (!value.bytes.empty())
    std::memcpy(bytes.data(), value.bytes.data(), value.bytes.size());
  return ANEURALNETWORKS_NO_ERROR;
}

void Argument::invalidate() const {
  if (kind == Kind::Device)
    memory->replace(std::nullopt);
}
