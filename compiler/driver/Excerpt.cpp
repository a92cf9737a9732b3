//===- Excerpt.cpp - The line of a file that a diagnostic is about --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Excerpt.h"

#include <algorithm>

using namespace yarrow;

std::optional<std::string_view> SourceFiles::line(const std::string &file,
                                                  unsigned number) {
  if (file.empty() || number == 0)
    return std::nullopt;
  auto [it, isNew] = sources.try_emplace(file);
  Source &source = it->second;
  if (isNew) {
    // The problem at hand is another one; that the file is gone is no news.
    DiagnosticEngine ignored;
    source.file = MappedFile::open(file, ignored);
    if (source.file) {
      std::string_view text = source.file->text();
      for (std::size_t start = 0; start < text.size();) {
        source.lineStarts.push_back(start);
        std::size_t end = text.find('\n', start);
        start = end == std::string_view::npos ? text.size() : end + 1;
      }
    }
  }
  if (number > source.lineStarts.size())
    return std::nullopt;
  std::string_view text =
      source.file->text().substr(source.lineStarts[number - 1]);
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r'))
    text.remove_suffix(1);
  return text;
}

//===----------------------------------------------------------------------===//
// What to mark
//===----------------------------------------------------------------------===//

static bool isWordChar(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c >= '0' && c <= '9') || c == '_';
}

static char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

/// Finds \p token from \p from on. An item of a list between blanks and
/// brackets goes before a whole word, that before any occurrence: names of
/// tensors hold slashes, so that "a" is a word of "a/b".
static std::size_t findToken(std::string_view line, std::string_view token,
                             std::size_t from) {
  constexpr std::string_view separators = " \t=:,;[]{}()<>\"'";
  auto isSeparator = [&](char c) {
    return separators.find(c) != std::string_view::npos;
  };
  auto search = [&](auto isBoundary, bool ignoreCase) {
    std::size_t at = from;
    while (at + token.size() <= line.size()) {
      auto found =
          std::search(line.begin() + std::ptrdiff_t(at), line.end(),
                      token.begin(), token.end(), [&](char a, char b) {
                        return ignoreCase ? lowered(a) == lowered(b) : a == b;
                      });
      if (found == line.end())
        break;
      auto start = std::size_t(found - line.begin());
      std::size_t end = start + token.size();
      if ((start == 0 || isBoundary(line[start - 1])) &&
          (end == line.size() || isBoundary(line[end])))
        return start;
      at = start + 1;
    }
    return std::string_view::npos;
  };
  auto isNoWord = [](char c) { return !isWordChar(c); };
  auto isAny = [](char) { return true; };
  for (bool ignoreCase : {false, true}) {
    for (std::size_t found :
         {search(isSeparator, ignoreCase), search(isNoWord, ignoreCase),
          search(isAny, ignoreCase)})
      if (found != std::string_view::npos)
        return found;
  }
  return std::string_view::npos;
}

/// Without blanks around and, in JSON, the comma behind.
static SourceMark trimmed(std::string_view line, std::size_t start,
                          std::size_t end) {
  auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
  while (start < end && isBlank(line[start]))
    ++start;
  while (start < end && (isBlank(line[end - 1]) || line[end - 1] == ','))
    --end;
  return {start, end - start};
}

SourceMark yarrow::markOf(std::string_view line, const Place &place) {
  std::size_t from =
      std::min<std::size_t>(place.column ? place.column - 1 : 0, line.size());
  if (!place.token.empty()) {
    std::size_t at = findToken(line, place.token, from);
    if (at != std::string_view::npos)
      return {at, place.token.size()};
  } else if (place.column) {
    return {from, 1};
  }
  // IR text and configurations have key=value, JSON "key": value.
  std::size_t separator = line.find('=');
  if (separator == std::string_view::npos)
    separator = line.find(':');
  if (separator != std::string_view::npos)
    if (SourceMark value = trimmed(line, separator + 1, line.size());
        value.length)
      return value;
  return trimmed(line, 0, line.size());
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

/// Bytes of the well-formed UTF-8 sequence that \p text begins with, or 0.
static std::size_t utf8Length(std::string_view text) {
  auto byte = [&](std::size_t i) {
    return i < text.size() ? uint8_t(text[i]) : 0;
  };
  auto isContinuation = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  uint8_t lead = byte(0);
  if (lead < 0x80)
    return 1;
  // C0, C1 and F5 upwards never occur; E0, ED, F0 and F4 restrict the second
  // byte (overlong forms, surrogates, beyond U+10FFFF).
  if (lead >= 0xC2 && lead <= 0xDF)
    return isContinuation(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF)
    return isContinuation(1) && isContinuation(2) &&
                   !(lead == 0xE0 && byte(1) < 0xA0) &&
                   !(lead == 0xED && byte(1) > 0x9F)
               ? 3
               : 0;
  if (lead >= 0xF0 && lead <= 0xF4)
    return isContinuation(1) && isContinuation(2) && isContinuation(3) &&
                   !(lead == 0xF0 && byte(1) < 0x90) &&
                   !(lead == 0xF4 && byte(1) > 0x8F)
               ? 4
               : 0;
  return 0;
}

std::string yarrow::printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = utf8Length(text);
    auto lead = uint8_t(text[0]);
    // U+0080 to U+009F are control characters too: C2 80 to C2 9F.
    bool isControl = length == 0 ||
                     (length == 1 && (lead < ' ' || lead == 0x7F)) ||
                     (length == 2 && lead == 0xC2 && uint8_t(text[1]) < 0xA0);
    if (text[0] == '\n')
      out += '\n';
    else if (text[0] == '\t')
      out += ' ';
    else if (isControl)
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

/// Columns on a terminal, a character of UTF-8 as one.
static std::size_t width(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(),
                                   [](char c) { return (c & 0xC0) != 0x80; }));
}

/// As much of the end, or of the beginning, of \p text as fits \p columns, with
/// dots for what is left out.
static std::string elided(const std::string &text, std::size_t columns,
                          bool keepEnd) {
  constexpr std::string_view dots = "...";
  std::size_t all = width(text);
  if (all <= columns)
    return text;
  if (columns <= dots.size())
    return std::string(dots.substr(0, columns));
  // The byte at which the character behind the first \p skipped ones begins.
  auto byteAt = [&](std::size_t skipped) {
    std::size_t i = 0;
    for (; i < text.size(); ++i)
      if ((text[i] & 0xC0) != 0x80 && skipped-- == 0)
        break;
    return i;
  };
  std::size_t kept = columns - dots.size();
  if (keepEnd)
    return std::string(dots) + text.substr(byteAt(all - kept));
  return text.substr(0, byteAt(kept)) + std::string(dots);
}

std::string yarrow::excerpt(std::string_view line, unsigned number,
                            SourceMark mark, std::size_t columns,
                            bool useColor) {
  mark.offset = std::min(mark.offset, line.size());
  // What is missing at the end of a line is marked behind it.
  bool isAfter = mark.length && mark.offset == line.size();
  mark.length = std::min(mark.length, line.size() - mark.offset);
  std::string gutter = std::to_string(number);
  if (gutter.size() < 4)
    gutter.insert(0, 4 - gutter.size(), ' ');
  std::string blankGutter(gutter.size(), ' ');
  gutter += " | ";
  blankGutter += " | ";
  // Something must be seen, however narrow the terminal is.
  constexpr std::size_t leastRoom = 20;
  std::size_t room = std::max(columns, gutter.size() + leastRoom);
  room -= gutter.size();

  // A value may have megabytes: no more of it is looked at than can be shown,
  // at up to 4 bytes a character.
  std::size_t reach = 4 * room + 4;
  std::size_t first = mark.offset - std::min(mark.offset, reach);
  std::string before = printable(line.substr(first, mark.offset - first));
  std::string marked =
      isAfter
          ? " "
          : printable(line.substr(mark.offset, std::min(mark.length, reach)));
  std::string after = printable(line.substr(mark.offset + mark.length, reach));
  // The mark goes first, but some of what is around it is kept.
  std::size_t leastBefore = std::min(width(before), room / 4);
  std::size_t leastAfter = std::min(width(after), room / 8);
  marked = elided(marked, room - leastBefore - leastAfter, /*keepEnd=*/false);
  before = elided(before, room - width(marked) - leastAfter, /*keepEnd=*/true);
  after =
      elided(after, room - width(before) - width(marked), /*keepEnd=*/false);

  std::string out = "\n" + gutter + before + (isAfter ? "" : marked) + after;
  if (marked.empty())
    return out;
  std::string underline = "^" + std::string(width(marked) - 1, '~');
  if (useColor)
    underline = "\033[1;32m" + underline + "\033[0m";
  return out + "\n" + blankGutter + std::string(width(before), ' ') + underline;
}
