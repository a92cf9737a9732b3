//===- ElfFile.h - Sections and notes of an ELF32 file ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// As much of ELF as an executable uses, read from bytes that may be anything:
// every offset is checked before it is followed.
//
//   std::optional<ElfFile> elf = ElfFile::parse(bytes, path, diags);
//   std::optional<std::string_view> text = elf->section(".text");
//   std::optional<std::string_view> fmlist = elf->note("fmlist");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_ELFFILE_H
#define YARROW_RUNTIME_ELFFILE_H

#include "support/Diagnostics.h"
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::runtime {

class ElfFile {
public:
  /// Views point into \p bytes. \p name is for diagnostics
  /// (ExecutableMalformed).
  static std::optional<ElfFile> parse(std::string_view bytes,
                                      const std::string &name,
                                      DiagnosticEngine &diags);

  /// The one of that name: parse() refuses a file that has two.
  std::optional<std::string_view> section(std::string_view name) const;
  std::optional<std::string_view> note(std::string_view name) const;

private:
  struct Named {
    std::string_view name, bytes;
  };
  std::vector<Named> sections, notes;
};

/// Little-endian words from bytes, in order. Reading past the end gives zeros
/// and leaves the reader bad.
class WordReader {
public:
  explicit WordReader(std::string_view bytes) : bytes(bytes) {}

  uint32_t word() {
    uint32_t value = 0;
    if (bytes.size() < 4) {
      isBad = true;
      bytes = {};
      return 0;
    }
    std::memcpy(&value, bytes.data(), 4);
    bytes.remove_prefix(4);
    return value;
  }
  bool ok() const { return !isBad; }
  size_t remainingBytes() const { return bytes.size(); }

private:
  std::string_view bytes;
  bool isBad = false;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_ELFFILE_H
