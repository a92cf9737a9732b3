//===- KnownBytes.h - Constant bytes of the SRAM ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The bytes of the SRAM that do not depend on the inputs, because copies loaded
// them from the constants: weights, biases, scales, tables. Commands are
// applied in the order of the network, which StreamProof shows to be the
// relevant one.
//
//   KnownBytes memory(executable);
//   memory.apply(copy);
//   if (auto bias = memory.read(conv.bias, 4 * channels)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_KNOWNBYTES_H
#define YARROW_PROVE_KNOWNBYTES_H

#include "prove/CommandBytes.h"
#include "runtime/Executable.h"
#include <optional>
#include <span>
#include <vector>

namespace yarrow::prove {

class KnownBytes {
public:
  explicit KnownBytes(const runtime::Executable &executable);

  /// Of the SRAM, if all of them are known.
  std::optional<std::span<const uint8_t>> read(uint64_t offset,
                                               uint64_t sizeBytes) const;
  /// "" or what is wrong with the copy's weight stream.
  std::string_view apply(const isa::Copy &copy);
  /// Bytes that are computed.
  void forget(const ByteSet &bytes);
  /// A program begins with an SRAM of which it knows nothing.
  void forgetAll();

private:
  std::string_view decode(const isa::Copy &copy);

  std::span<const uint8_t> constants;
  std::vector<uint8_t> bytes, known;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_KNOWNBYTES_H
