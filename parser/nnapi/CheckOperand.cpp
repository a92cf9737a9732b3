//===- CheckOperand.cpp - What NNAPI asks of an operand -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

bool no(std::string *why, std::string text) {
  if (why)
    *why = std::move(text);
  return false;
}

bool isScale(float scale) { return std::isfinite(scale) && scale > 0; }

/// Whether the elements have fewer than 2^32 bytes; lengths that are not known
/// count as 1.
bool isAddressable(const Operand &operand) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  // At most 2^32 bytes before each product with at most 2^32: no overflow.
  std::uint64_t bytes = elementBytes(operand.entry().element);
  for (std::uint32_t length : operand.dims) {
    bytes *= length ? length : 1;
    if (bytes > kMost)
      return false;
  }
  return true;
}

/// The least and the most that an element of a quantized type can be.
std::pair<std::int32_t, std::int32_t> rangeOf(ElementType element) {
  switch (element) {
  case ElementType::U8:
    return {0, 255};
  case ElementType::U16:
    return {0, 65535};
  case ElementType::I16:
    return {-32768, 32767};
  default:
    return {-128, 127};
  }
}

bool checkQuantization(const Operand &operand, std::string *why) {
  const OperandTypeEntry &type = operand.entry();
  std::string zero = std::to_string(operand.zeroPoint);
  switch (type.storage) {
  case Storage::Asymmetric: {
    auto [least, most] = rangeOf(type.element);
    if (operand.zeroPoint < least || operand.zeroPoint > most)
      return no(why, "the zero point is " + zero + ", not from " +
                         std::to_string(least) + " to " + std::to_string(most));
    break;
  }
  case Storage::Symmetric:
    if (operand.zeroPoint != 0)
      return no(why, "the zero point is " + zero + ", not 0");
    break;
  case Storage::Plain:
  case Storage::PerChannel: {
    if (operand.zeroPoint != 0)
      return no(why, "the zero point is " + zero + ", not 0");
    // Biases have the scale of the products that they are added to.
    bool mayHaveScale = type.type == OperandType::TENSOR_INT32;
    if (operand.scale != 0 && !(mayHaveScale && isScale(operand.scale)))
      return no(why, "the scale is " + std::to_string(operand.scale) +
                         (mayHaveScale ? ", not 0 or above" : ", not 0"));
    return true;
  }
  }
  return isScale(operand.scale) ||
         no(why,
            "the scale is " + std::to_string(operand.scale) + ", not above 0");
}

} // namespace

bool nnapi::checkOperand(const Operand &operand, std::string *why) {
  if (!findOperandType(std::int32_t(operand.type)))
    return no(why, "type " + std::to_string(std::int32_t(operand.type)) +
                       " is not an operand type");
  const OperandTypeEntry &type = operand.entry();
  if (!type.isTensor && !operand.dims.empty())
    return no(why, std::string(type.name) + " is a scalar, but has " +
                       std::to_string(operand.dims.size()) + " axes");
  if (!isAddressable(operand))
    return no(why, "has 2^32 bytes or more");
  if (!checkQuantization(operand, why))
    return false;
  return operand.channels.scales.empty() || checkChannels(operand, why);
}

bool nnapi::checkChannels(const Operand &operand, std::string *why) {
  const OperandTypeEntry &type = operand.entry();
  const ChannelQuantization &channels = operand.channels;
  if (type.storage != Storage::PerChannel)
    return no(why, std::string(type.name) + " cannot have per-channel scales");
  if (channels.scales.empty())
    return no(why, "its per-channel scales are missing");
  if (channels.axis >= operand.dims.size())
    return no(why, "channels are along axis " + std::to_string(channels.axis) +
                       ", but it has " + std::to_string(operand.dims.size()) +
                       " axes");
  std::uint32_t length = operand.dims[channels.axis];
  if (channels.scales.size() != length)
    return no(why, std::to_string(channels.scales.size()) + " scales for " +
                       std::to_string(length) + " channels");
  for (float scale : channels.scales)
    if (!isScale(scale))
      return no(why, "a channel's scale is " + std::to_string(scale) +
                         ", not above 0");
  return true;
}
