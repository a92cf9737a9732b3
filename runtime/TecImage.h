//===- TecImage.h - A RISC-V program for a TEC ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads a static rv32 ELF executable, as clang and lld make it for the TEC's
// instruction set: what is to be loaded, where it starts, and its symbols.
// Offsets and sizes may be anything; each is checked before it is followed.
//
//   std::optional<TecImage> image = TecImage::parse(bytes, "a.elf", diags);
//   for (const TecSegment &segment : image->segments) ...
//   image->symbols.describe(pc);   // "main+0x1c"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TECIMAGE_H
#define YARROW_RUNTIME_TECIMAGE_H

#include "support/Diagnostics.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::runtime {

/// Bytes that memory holds when the program starts.
struct TecSegment {
  uint32_t address = 0;
  uint64_t sizeBytes = 0; ///< The contents, then zeros.
  std::string_view contents;
  bool canWrite = false, canExecute = false;

  uint64_t end() const { return address + sizeBytes; }
};

struct TecSymbol {
  uint32_t address = 0;
  uint32_t sizeBytes = 0; ///< 0: up to the next one, or the section's end.
  uint64_t sectionEnd = UINT64_MAX;
  std::string name;
  bool isFunction = false;
};

/// Names for addresses.
class TecSymbols {
public:
  TecSymbols() = default;
  /// In any order. Of several at an address, a function is kept, or one with a
  /// size; labels inside of a function are dropped.
  explicit TecSymbols(std::vector<TecSymbol> symbols);

  /// The symbol that covers \p address, or null.
  const TecSymbol *find(uint32_t address) const;
  /// "name+0x1c", "name", or "" if no symbol covers the address.
  std::string describe(uint32_t address) const;
  /// Sorted by address, no two at the same.
  const std::vector<TecSymbol> &all() const { return symbols; }

private:
  std::vector<TecSymbol> symbols;
};

struct TecImage {
  std::string name;
  uint32_t entry = 0;
  std::vector<TecSegment> segments; ///< In the order of the file.
  TecSymbols symbols;

  /// None after ExecutableMalformed or ProgramForeign. Views point into
  /// \p bytes.
  static std::optional<TecImage> parse(std::string_view bytes,
                                       const std::string &name,
                                       DiagnosticEngine &diags);
  /// Of a program that was linked for address 0 (section .yarrow.tec of an
  /// executable): its symbols, moved to \p base. Empty if the bytes are not
  /// such a program, since symbols only make messages better.
  static TecSymbols symbolsOf(std::string_view bytes, uint32_t base);
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TECIMAGE_H
