//===- FileKindOther.cpp - What lies in a model's place -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/FileKindOther.h"

#include <algorithm>
#include <cstdint>

using namespace yarrow;
using namespace std::string_view_literals;

bool yarrow::isLfsPointer(std::string_view text) {
  return text.starts_with("version https://git-lfs.github.com/spec/") ||
         text.starts_with("version https://hawser.github.com/spec/");
}

static bool beginsWithWord(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word,
                            [](char a, char b) {
                              return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b;
                            });
}

bool yarrow::isHtml(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  // Comments may stand before either.
  return beginsWithWord(text, "<!doctype html") ||
         beginsWithWord(text, "<html") || beginsWithWord(text, "<head");
}

bool yarrow::isSafetensors(std::string_view text) {
  // The length of a header of JSON in 8 bytes, then it.
  constexpr std::size_t lengthBytes = 8;
  constexpr std::uint64_t mostHeaderBytes = 100'000'000; // the format's own
  if (text.size() < lengthBytes + 2)
    return false;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < lengthBytes; ++i)
    length |= std::uint64_t(static_cast<unsigned char>(text[i])) << (8 * i);
  text.remove_prefix(lengthBytes);
  return length >= 2 && length <= mostHeaderBytes &&
         (text.starts_with("{\"") || text.starts_with("{}"));
}

bool yarrow::isTorch(std::string_view text) {
  if (text.starts_with("PK\x03\x04")) {
    for (std::string_view member :
         {"/data.pkl"sv, "/constants.pkl"sv, "/.format_version"sv,
          "/byteorder"sv, "/version"sv})
      if (text.find(member) != text.npos)
        return true;
    return false;
  }
  // The number that torch.save begins a pickle of protocol 2 with.
  return text.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9"sv);
}

bool yarrow::isGguf(std::string_view text) { return text.starts_with("GGUF"); }

bool yarrow::isPlainText(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    auto code = static_cast<unsigned char>(c);
    return code >= ' ' ? code != 0x7f
                       : c == '\t' || c == '\n' || c == '\r' || c == '\f';
  });
}
