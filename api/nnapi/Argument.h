//===- Argument.h - An input or output of an execution ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where its value lies, and the lengths that are known of it: the model's, and
// what the client adds to them.
//
//   Argument argument;
//   argument.set(request, buffer, length);
//   Value input = argument.input(operand, result);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_ARGUMENT_H
#define YARROW_API_NNAPI_ARGUMENT_H

#include "api/nnapi/Memory.h"

namespace yarrow::nnapi {

/// What a client says of an argument, whatever holds it.
struct ArgumentRequest {
  const char *where; ///< For messages.
  Role role;
  const Operand *operand;
  const ANeuralNetworksOperandType *type; ///< May be null.
  bool isPaddingAllowed;
};

class Argument {
public:
  /// A null \p buffer: it is left out.
  ResultCode set(const ArgumentRequest &request, std::byte *buffer,
                 std::size_t length);
  ResultCode set(const ArgumentRequest &request, std::shared_ptr<Memory> where,
                 std::size_t offset, std::size_t length);
  bool isSet() const { return kind != Kind::Unset; }

  /// What a run reads.
  Value input(const Operand &operand, ResultCode &result) const;
  /// Puts what a run made where it belongs. OUTPUT_INSUFFICIENT_SIZE if it is
  /// too large for that.
  ResultCode store(const Value &value) const;
  /// Device memory has no value after a run that failed.
  void invalidate() const;

private:
  enum class Kind { Unset, Omitted, Bytes, Device };

  ResultCode setBytes(const ArgumentRequest &request,
                      std::span<std::byte> newBytes);
  ResultCode setDevice(const ArgumentRequest &request,
                       std::shared_ptr<Memory> device);

  Kind kind = Kind::Unset;
  std::vector<std::uint32_t> dims = {}; ///< Some may be open.
  std::span<std::byte> bytes = {};
  std::shared_ptr<Memory> memory = {}; ///< Null: the client's buffer.
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_ARGUMENT_H
