//===- CommandLanguage.cpp - What is typed into the debugger --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/CommandLanguage.h"

#include "support/Diagnostics.h"
#include "support/TextTable.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

using namespace yarrow;

namespace {
struct Record {
  std::string_view names, arguments, text;
};
constexpr Record kRecords[] = {
#define DEBUG_COMMAND(ID, NAMES, ARGUMENTS, TEXT) {NAMES, ARGUMENTS, TEXT},
#include "compiler/debug/DebugCommands.def"
};
} // namespace

static std::vector<std::string> wordsOf(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

static std::string wholeName(std::size_t record) {
  return wordsOf(kRecords[record].names).front();
}

/// Those that \p name may mean: one if it is a name, or the beginning of one
/// alone.
static std::vector<std::size_t> candidates(const std::string &name) {
  std::vector<std::size_t> begun;
  for (std::size_t i = 0; i < std::size(kRecords); ++i) {
    std::vector<std::string> names = wordsOf(kRecords[i].names);
    if (std::count(names.begin(), names.end(), name))
      return {i};
    if (names.front().starts_with(name))
      begun.push_back(i);
  }
  return begun;
}

static std::string unknownCommand(const std::string &name) {
  std::vector<std::string> all;
  for (const Record &record : kRecords)
    for (std::string &each : wordsOf(record.names))
      all.push_back(std::move(each));
  std::string near = nearestName(name, all);
  return "no command is called '" + name + "'" +
         (near.empty() ? "; `help` lists them"
                       : ": did you mean '" + near + "'?");
}

std::string ParsedLine::rest(std::size_t first) const {
  std::string text;
  for (std::size_t i = first; i < words.size(); ++i)
    text += (i > first ? " " : "") + words[i];
  return text;
}

ParsedLine yarrow::parseLine(std::string_view line) {
  ParsedLine parsed;
  parsed.words = wordsOf(line);
  if (parsed.words.empty() || parsed.words[0].starts_with("#")) {
    parsed.words.clear();
    return parsed;
  }
  std::string name = parsed.words.front();
  parsed.words.erase(parsed.words.begin());
  if (std::size_t slash = name.find('/'); slash != std::string::npos) {
    parsed.suffix = name.substr(slash + 1);
    name.resize(slash);
  }
  std::vector<std::size_t> found = candidates(name);
  if (found.size() == 1) {
    parsed.command = DebugCommand(found[0]);
    if (!parsed.suffix.empty() && *parsed.command != DebugCommand::Examine) {
      parsed.command.reset();
      parsed.problem = "'" + name + "' needs no format; x/" + parsed.suffix +
                       " shows memory in a format";
    }
  } else if (found.empty()) {
    parsed.problem = unknownCommand(name);
  } else {
    parsed.problem = "'" + name + "' is ambiguous: ";
    for (std::size_t i = 0; i < found.size(); ++i)
      parsed.problem += (i == 0                  ? ""
                         : i + 1 == found.size() ? " or "
                                                 : ", ") +
                        wholeName(found[i]);
  }
  return parsed;
}

std::optional<uint64_t> yarrow::parseNumber(std::string_view word) {
  bool isHex = word.starts_with("0x");
  if (isHex)
    word.remove_prefix(2);
  uint64_t value = 0;
  const char *end = word.data() + word.size();
  auto [at, error] = std::from_chars(word.data(), end, value, isHex ? 16 : 10);
  if (word.empty() || at != end || error != std::errc())
    return std::nullopt;
  return value;
}

std::optional<uint64_t> yarrow::parseCount(std::string_view word) {
  std::optional<uint64_t> count = parseNumber(word);
  return count && *count > 0 ? count : std::nullopt;
}

std::optional<ExamineFormat> yarrow::parseExamine(std::string_view suffix) {
  ExamineFormat how;
  std::size_t digits =
      std::min(suffix.find_first_not_of("0123456789"), suffix.size());
  if (digits != 0) {
    std::optional<uint64_t> count = parseCount(suffix.substr(0, digits));
    if (!count)
      return std::nullopt;
    how.count = *count;
  }
  for (char letter : suffix.substr(digits))
    switch (letter) {
    case 'x':
    case 'd':
    case 'u':
    case 'f':
    case 'i':
      how.format = letter;
      break;
    case 'b':
      how.sizeBytes = 1;
      break;
    case 'h':
      how.sizeBytes = 2;
      break;
    case 'w':
      how.sizeBytes = 4;
      break;
    case 'g':
      how.sizeBytes = 8;
      break;
    default:
      return std::nullopt;
    }
  if (how.format == 'i')
    how.sizeBytes = 4;
  // Floats of 32 and 64 bits.
  if (how.format == 'f' && how.sizeBytes < 4)
    return std::nullopt;
  return how;
}

/// A signed number, which counts from the end if it is negative.
static std::optional<int64_t> parseIndex(std::string_view text, int64_t extent,
                                         int64_t byDefault) {
  if (text.empty())
    return byDefault;
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, value);
  if (at != end || error != std::errc())
    return std::nullopt;
  return value < 0 ? value + extent : value;
}

std::optional<IndexRanges>
yarrow::parseIndices(std::string_view text, const std::vector<int64_t> &shape,
                     std::string &problem) {
  IndexRanges ranges;
  std::string clean(text);
  std::erase(clean, ' ');
  std::istringstream parts(clean);
  for (std::string part; std::getline(parts, part, ',');) {
    if (ranges.size() == shape.size()) {
      problem = "[" + clean + "] has more indices than there are axes: " +
                std::to_string(shape.size());
      return std::nullopt;
    }
    int64_t extent = shape[ranges.size()];
    std::size_t colon = part.find(':');
    bool isRange = colon != std::string::npos;
    std::optional<int64_t> first =
        part.empty() ? std::nullopt
                     : parseIndex(part.substr(0, colon), extent, 0);
    std::optional<int64_t> end =
        first && isRange ? parseIndex(part.substr(colon + 1), extent, extent)
                         : first;
    if (end && !isRange && *first < extent)
      end = *first + 1;
    if (!end || *first < 0 || *end > extent || *first >= *end) {
      problem = "index '" + part + "' of axis " +
                std::to_string(ranges.size()) + " is not within 0 to " +
                std::to_string(extent - 1);
      return std::nullopt;
    }
    ranges.emplace_back(*first, *end);
  }
  while (ranges.size() < shape.size())
    ranges.emplace_back(0, shape[ranges.size()]);
  return ranges;
}

static std::string helpOf(const Record &record, std::size_t width) {
  std::vector<std::string> names = wordsOf(record.names);
  std::string text = names.front();
  if (!record.arguments.empty())
    text += " " + std::string(record.arguments);
  text += "\n";
  for (const std::string &line : wrapText(record.text, width - 4))
    text += "    " + line + "\n";
  for (std::size_t i = 1; i < names.size(); ++i)
    text += (i == 1 ? "    Also: " : ", ") + names[i];
  return names.size() > 1 ? text + "\n" : text;
}

std::string yarrow::debugHelp(std::string_view name, std::size_t width) {
  width = std::clamp<std::size_t>(width, 40, 100);
  std::string text;
  if (!name.empty()) {
    for (std::size_t record : candidates(std::string(name)))
      text += helpOf(kRecords[record], width);
    return text;
  }
  TextTable table;
  table.column("command").column("also").column("what it does").wrapped();
  for (const Record &record : kRecords) {
    std::vector<std::string> names = wordsOf(record.names);
    table.row({names.front(), names.size() > 1 ? names[1] : "",
               std::string(record.text)});
  }
  return table.str(width) + "`help COMMAND` shows its arguments. An empty line "
                            "repeats the last step.\n";
}
