//===- FileKindQnn.cpp - Forms of QNN models by their first bytes ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/FileKindQnn.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

using namespace yarrow;
using namespace std::string_view_literals;

/// Little-endian; nullopt where the bytes end before.
template <typename Word>
static std::optional<Word> wordAt(std::string_view text, std::uint64_t at) {
  if (at > text.size() || text.size() - at < sizeof(Word))
    return std::nullopt;
  Word word = 0;
  for (std::size_t i = 0; i < sizeof(Word); ++i)
    word |= Word(Word(static_cast<unsigned char>(text[std::size_t(at) + i]))
                 << (8 * i));
  return word;
}

static std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Takes \p token and the blanks before it; false if something else is there.
static bool take(std::string_view &text, std::string_view token) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (!text.starts_with(token))
    return false;
  text.remove_prefix(token.size());
  return true;
}

bool yarrow::isQnnGraph(std::string_view text) {
  // The converters' own members, of which all who write like them have some.
  for (std::string_view key : {"\"converter_command\"", "\"model.cpp\""})
    if (text.find(key) != text.npos)
      return true;
  constexpr std::string_view graph = "\"graph\"";
  std::size_t at = text.find(graph);
  if (at == text.npos)
    return false;
  text.remove_prefix(at + graph.size());
  return take(text, ":") && take(text, "{") &&
         (take(text, "\"nodes\"") || take(text, "\"tensors\""));
}

//===----------------------------------------------------------------------===//
// Containers and contexts
//===----------------------------------------------------------------------===//

bool yarrow::isQnnContainerZip(std::span<const std::byte> bytes) {
  constexpr std::uint64_t packedSizeAt = 18, nameLengthAt = 26,
                          extraLengthAt = 28, nameAt = 30;
  constexpr std::uint32_t localHeader = 0x04034b50;
  // The members may stand in any order; there are few.
  constexpr int membersLookedAt = 8;
  std::string_view text = textOf(bytes);
  std::uint64_t at = 0;
  for (int i = 0; i < membersLookedAt; ++i) {
    auto magic = wordAt<std::uint32_t>(text, at);
    auto packedSize = wordAt<std::uint32_t>(text, at + packedSizeAt);
    auto nameLength = wordAt<std::uint16_t>(text, at + nameLengthAt);
    auto extraLength = wordAt<std::uint16_t>(text, at + extraLengthAt);
    if (!magic || *magic != localHeader || !packedSize || !nameLength ||
        !extraLength || text.size() - at <= nameAt)
      return false;
    std::string_view name = text.substr(std::size_t(at + nameAt), *nameLength);
    if (name == "model" || name == "model.params" ||
        name.starts_with("dlc.metadata"))
      return true;
    at += nameAt + *nameLength + *extraLength + *packedSize;
  }
  return false;
}

bool yarrow::isQnnContainerModel(std::string_view text) {
  // Two bytes, the version, and nothing up to the eighth byte.
  constexpr std::size_t prefixBytes = 8;
  return text.size() > prefixBytes && text.starts_with("\xd5\x0a") &&
         text[2] >= 2 && text[2] <= 4 && text[3] == '\0';
}

bool yarrow::isQnnContext(std::string_view text) {
  // Those that are publicly known; the layout behind them is not.
  constexpr std::array<std::string_view, 4> signatures = {{
      "\0\0\0\2\0\0\0\1\0\0\0\0\4\0\0\0"sv,
      "\0\0\0\2\0\0\0\1\0\0\0\0\x0c\0\0\0"sv,
      "\0\0\0\2\0\0\0\2\0\0\0\0\0\0\0\0"sv,
      "\0\0\0\2\0\0\0\3\0\0\0\0\0\0\0\1"sv,
  }};
  return std::ranges::any_of(signatures, [&](std::string_view sign) {
    return text.starts_with(sign);
  });
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

namespace {

/// Where the two classes of ELF have what is asked of them.
struct ElfLayout {
  bool isWide; ///< Offsets have 64 bits.
  std::uint64_t sectionsAt, entrySizeAt, flagsAt, offsetAt, sizeAt;
};

constexpr ElfLayout elf32 = {false, 32, 46, 8, 16, 20};
constexpr ElfLayout elf64 = {true, 40, 58, 8, 24, 32};

std::optional<std::uint64_t> offsetAt(std::string_view text, bool isWide,
                                      std::uint64_t at) {
  return isWide ? wordAt<std::uint64_t>(text, at)
                : std::optional<std::uint64_t>(wordAt<std::uint32_t>(text, at));
}

} // namespace

bool yarrow::isQnnLibrary(std::span<const std::byte> bytes) {
  constexpr std::size_t classAt = 4, dataAt = 5;
  constexpr std::uint32_t stringTable = 3, allocated = 2;
  std::string_view text = textOf(bytes);
  if (text.size() <= dataAt || text[dataAt] != 1) // little-endian
    return false;
  const ElfLayout &layout = text[classAt] == 2 ? elf64 : elf32;
  auto table = offsetAt(text, layout.isWide, layout.sectionsAt);
  auto entrySize = wordAt<std::uint16_t>(text, layout.entrySizeAt);
  auto count = wordAt<std::uint16_t>(text, layout.entrySizeAt + 2);
  if (!table || *table > text.size() || !entrySize || !count)
    return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    std::uint64_t at = *table + i * *entrySize;
    auto type = wordAt<std::uint32_t>(text, at + 4);
    auto flags = offsetAt(text, layout.isWide, at + layout.flagsAt);
    auto offset = offsetAt(text, layout.isWide, at + layout.offsetAt);
    auto size = offsetAt(text, layout.isWide, at + layout.sizeAt);
    if (!type || !flags || !offset || !size)
      return false;
    // Names for the dynamic linker are in the one that is loaded.
    if (*type == stringTable && (*flags & allocated) &&
        *offset <= text.size() &&
        text.substr(std::size_t(*offset), std::size_t(*size))
                .find("QnnModel_composeGraphs") != text.npos)
      return true;
  }
  return false;
}
