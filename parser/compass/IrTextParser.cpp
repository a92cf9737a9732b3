//===- IrTextParser.cpp - Reader of Compass IR text -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   line  := key '=' value?          value := scalar | list
//   key   := [A-Za-z][A-Za-z0-9_]*   list  := '[' (value (',' value)*)? ']'
//
// One pass, line by line, without regular expressions. A line that cannot be
// read is reported and left out, so that all problems appear at once; time and
// memory are linear in the size of the text, whatever it holds.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrDocument.h"
#include "support/diagnostics/Ir.h"

#include <cstdio>
#include <unordered_map>
#include <utility>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// More than this and the file is something else, such as a binary.
constexpr unsigned maxReportedProblems = 50;
/// The format nests two deep; the bound keeps the recursion off the stack's
/// end.
constexpr unsigned maxListDepth = 16;

bool isBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

bool isKey(std::string_view text) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (text.empty() || !isLetter(text.front()))
    return false;
  for (char c : text)
    if (!isLetter(c) && !(c >= '0' && c <= '9') && c != '_')
      return false;
  return true;
}

/// Text for a message: short, and printable whatever the file holds.
std::string quoted(std::string_view text) {
  constexpr std::size_t maxShown = 60;
  std::string result = "'";
  for (char c : text.substr(0, maxShown)) {
    if (c >= ' ' && c <= '~') {
      result += c;
      continue;
    }
    char hex[5];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
    result += hex;
  }
  return result + (text.size() > maxShown ? "...'" : "'");
}

/// Why a value cannot be read, and what to do about it.
struct ValueProblem {
  std::string message, hint;
  const char *where = nullptr; ///< In the text that is read.
};

/// Reads the right side of one line.
class ValueReader {
public:
  explicit ValueReader(std::string_view text) : rest(trim(text)) {}

  std::optional<IrValue> read() {
    if (rest.empty())
      return IrValue::empty();
    IrValue value;
    if (rest.front() != '[') {
      if (!readScalar(value))
        return std::nullopt;
    } else if (!readList(value, 0)) {
      return std::nullopt;
    }
    if (rest.empty())
      return value;
    if (rest.front() == ']')
      return fail("']' without '['");
    if (rest.front() == ',' && !value.isList())
      return fail("a list without brackets", "write lists as [a,b]");
    if (rest.front() == '=')
      return fail("a second '='", "write one key=value per line");
    return fail("text after the end of the value: " + quoted(rest));
  }

  ValueProblem problem;

private:
  std::nullopt_t fail(std::string message, std::string hint = "") {
    // The place alone counts.
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
    const char *at = rest.data();
    problem = {std::move(message), std::move(hint), at};
    return std::nullopt;
  }
  /// The problem lies \p offset bytes into the rest.
  bool failed(std::string message, std::string hint = "",
              std::size_t offset = 0) {
    fail(std::move(message), std::move(hint));
    problem.where += offset;
    return false;
  }
  void skipBlanks() {
    while (!rest.empty() && isBlank(rest.front()))
      rest.remove_prefix(1);
  }

  bool readScalar(IrValue &value) {
    std::size_t size = 0;
    for (; size != rest.size(); ++size) {
      char c = rest[size];
      if (c == ',' || c == '[' || c == ']' || c == '=')
        break;
      if (c == '#')
        return failed("the character '#'", "IR text has no comments", size);
      if ((c < ' ' && c != '\t') || c > '~')
        return failed("the byte " + quoted(rest.substr(size, 1)) +
                          ", which is not printable ASCII",
                      "write '_' instead, as the reference parser does", size);
    }
    std::string_view text = trim(rest.substr(0, size));
    rest.remove_prefix(size);
    // A pair of quotes around an item is not part of it. All pairs go, so that
    // the item reads the same when it is written and read again.
    while (text.size() > 1 && (text.front() == '\'' || text.front() == '"') &&
           text.front() == text.back())
      text = trim(text.substr(1, text.size() - 2));
    if (text.empty())
      return failed("an empty item");
    // Around an item a tab is a blank; within one nobody could write it again.
    if (text.find('\t') != std::string_view::npos)
      return failed("a tab inside a value",
                    "write '_' instead, as the reference parser does");
    value = IrValue::scalar(text);
    return true;
  }

  bool readList(IrValue &list, unsigned depth) {
    if (depth == maxListDepth)
      return failed("lists nested too deeply");
    rest.remove_prefix(1); // '['
    list.kind = IrValue::Kind::List;
    skipBlanks();
    if (!rest.empty() && rest.front() == ']') {
      rest.remove_prefix(1);
      skipBlanks();
      return true;
    }
    while (true) {
      skipBlanks();
      if (rest.empty())
        return failed("a list without its ']'");
      IrValue &item = list.items.emplace_back();
      if (rest.front() == '[') {
        if (!readList(item, depth + 1))
          return false;
      } else if (!readScalar(item)) {
        return false;
      }
      if (rest.empty())
        return failed("a list without its ']'");
      char separator = rest.front();
      if (separator != ',' && separator != ']')
        return failed(separator == '='
                          ? std::string("'=' inside a list")
                          : "a missing comma before " + quoted(rest));
      rest.remove_prefix(1);
      if (separator == ']') {
        skipBlanks();
        return true;
      }
    }
  }

  std::string_view rest;
};

/// Splits the text into lines and the lines into sections.
class TextParser {
public:
  TextParser(IrDocument &document, DiagnosticEngine &diags)
      : document(document), diags(diags), section(&document.header) {}

  bool parse(std::string_view text) {
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(byteOrderMark))
      text.remove_prefix(byteOrderMark.size());
    document.endLineFeeds = countEndLineFeeds(text);
    while (!text.empty() && numProblems < maxReportedProblems) {
      ++line;
      std::size_t end = text.find('\n');
      std::string_view current = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      lineStart = current.data();
      if (current.ends_with('\r'))
        current.remove_suffix(1);
      current = trim(current);
      if (current.empty())
        afterBlank = true;
      else
        parseLine(current);
    }
    if (!text.empty() && numProblems >= maxReportedProblems)
      report(diag::IrSyntax, "too many problems; the rest was not read")
          .hint("check that this is a Compass IR text file");
    return numProblems == 0;
  }

private:
  static unsigned countEndLineFeeds(std::string_view text) {
    unsigned count = 0;
    for (; !text.empty() && (text.back() == '\n' || text.back() == '\r');
         text.remove_suffix(1))
      count += text.back() == '\n';
    return count ? count : 1;
  }

  Diagnostic &report(DiagId id, std::string message) {
    ++numProblems;
    return diags.report(id, {document.fileName, line, section->layerName()},
                        std::move(message));
  }

  void parseLine(std::string_view text) {
    std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      report(diag::IrSyntax, "a line without '='")
          .found(quoted(text))
          .expected("key=value")
          .hint(text.front() == '#' ? "IR text has no comments"
                                    : "write the whole value on one line");
      return;
    }
    std::string_view key = trim(text.substr(0, equals));
    if (!isKey(key)) {
      Diagnostic &problem = report(diag::IrSyntax, "a key that is not a name");
      problem.found(quoted(key))
          .expected("a letter, then letters, digits and '_'");
      problem.place.token = key;
      return;
    }
    ValueReader reader(text.substr(equals + 1));
    std::optional<IrValue> value = reader.read();
    // The section must begin even if the value of its first key is broken,
    // or the keys of two layers would seem to be duplicates.
    chooseSection(key);
    if (!value) {
      Diagnostic &problem = report(
          diag::IrSyntax, "the value of " + std::string(key) +
                              " cannot be read: " + reader.problem.message);
      problem.found(quoted(text));
      problem.place.column = unsigned(reader.problem.where - lineStart) + 1;
      if (!reader.problem.hint.empty())
        problem.hint(reader.problem.hint);
      return;
    }
    addEntry(key, std::move(*value));
  }

  /// A layer begins at layer_id, or after a blank line at another of the keys
  /// that every layer has, if the current layer has that one already. A blank
  /// line anywhere else separates nothing.
  void chooseSection(std::string_view key) {
    bool isLayerKey = key == "layer_id" || key == "layer_name" ||
                      key == "layer_type" || key == "layer_bottom" ||
                      key == "layer_top";
    bool hasKey = indexOfKey.contains(key);
    bool wasAfterBlank = std::exchange(afterBlank, false);
    bool isAtStart = inHeader && section->entries.empty();
    bool isNewLayer = key == "layer_id"
                          ? inHeader || hasKey
                          : isLayerKey && wasAfterBlank && (inHeader || hasKey);
    if (isNewLayer) {
      std::vector<IrSection> &layers = document.subgraphs.empty()
                                           ? document.layers
                                           : document.subgraphs.back().layers;
      begin(layers.emplace_back(), false);
    } else if (key == "subgraph_name" && wasAfterBlank && !isAtStart) {
      begin(document.subgraphs.emplace_back().header, true);
    }
  }

  void begin(IrSection &newSection, bool isHeader) {
    section = &newSection;
    section->line = line;
    inHeader = isHeader;
    // clear() costs as much as the largest section so far had keys, so after
    // an absurd section every small one would be slow.
    if (indexOfKey.bucket_count() > 1024)
      indexOfKey = {};
    indexOfKey.clear();
  }

  void addEntry(std::string_view key, IrValue value) {
    auto [known, isNew] = indexOfKey.try_emplace(key, section->entries.size());
    if (isNew) {
      if (section->entries.empty())
        section->line = line;
      section->entries.push_back({std::string(key), std::move(value), line});
      return;
    }
    const IrEntry &first = section->entries[known->second];
    std::string text = value.str(), firstText = first.value.str();
    if (text == firstText)
      return warnOfRepeat(key, text, first.line);
    report(diag::IrDuplicateKey, std::string(key) + " is given twice")
        .found(quoted(text))
        .expected(quoted(firstText) + " as in line " +
                  std::to_string(first.line));
  }

  /// The definition's own examples repeat keys; the same twice does no harm.
  void warnOfRepeat(std::string_view key, const std::string &text,
                    unsigned firstLine) {
    if (++numRepeats > maxReportedProblems)
      return;
    diags
        .report(
            diag::IrUnknownKey,
            {document.fileName, line, section->layerName(), std::string(key)},
            numRepeats == maxReportedProblems
                ? "more keys are given twice; the rest is not listed"
                : "the key " + std::string(key) +
                      " is given twice with the same value")
        .found(quoted(text) + ", as in line " + std::to_string(firstLine));
  }

  IrDocument &document;
  DiagnosticEngine &diags;
  IrSection *section;
  bool inHeader = true, afterBlank = true;
  unsigned line = 0;
  const char *lineStart = nullptr;
  unsigned numProblems = 0, numRepeats = 0;
  /// Keys of the current section as parts of the text, which outlives this.
  std::unordered_map<std::string_view, std::size_t> indexOfKey;
};

} // namespace

std::optional<IrDocument>
yarrow::compass::parseIrText(std::string_view text, std::string fileName,
                             DiagnosticEngine &diags) {
  IrDocument document;
  document.fileName = std::move(fileName);
  if (!TextParser(document, diags).parse(text))
    return std::nullopt;
  return document;
}
