//===- TecLinker.h - Links TEC objects into one blob ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// lld, in process and without files, followed by the checks that a program
// which is loaded anywhere must pass: no absolute addresses, no writable data.
//
//   std::optional<LinkedTec> linked = linkTec(objects, diags);
//
// The entry is the symbol `_start`, which a section named ".text.entry" must
// begin with. Code that _start does not reach is dropped.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECLINKER_H
#define YARROW_CODEGEN_TECLINKER_H

#include "support/Diagnostics.h"
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

/// The sections of isa::TextHeader that come before and behind the two sizes
/// that the linker knows.
constexpr const char kHeaderSection[] = ".yarrow.header";
constexpr const char kHeaderRestSection[] = ".yarrow.header.rest";

struct LinkedTec {
  std::vector<char> image; ///< From the base: header, code, constants.
  std::vector<char> elf;
  struct Symbol {
    uint32_t offset = 0, sizeBytes = 0;
  };
  std::map<std::string, Symbol> functions; ///< Offsets in `image`.
};

/// Links relocatable ELF files, in this order. The result does not depend on
/// \p baseAddress, but for the addresses in `elf`; tests link at two.
std::optional<LinkedTec> linkTec(std::span<const std::span<const char>> objects,
                                 DiagnosticEngine &diags,
                                 uint32_t baseAddress = 0);

/// Whether relocatable files define all that they use: then the operator
/// library, which takes most of a link's time, adds nothing to them.
bool defineAll(std::span<const std::span<const char>> objects);

} // namespace yarrow

#endif // YARROW_CODEGEN_TECLINKER_H
