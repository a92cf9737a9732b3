//===- JsonFile.cpp - JSON with diagnostics -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The parser's callback sees every key with its depth, which is enough to find
// the keys given twice.
//
//===----------------------------------------------------------------------===//
#include "support/JsonFile.h"

#include "support/MappedFile.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <vector>

namespace yarrow {

using nlohmann::json;

namespace {
/// \p offset is in bytes, 0 the first.
Place placeAt(const std::string &name, std::string_view text,
              std::size_t offset) {
  offset = std::min(offset, text.size());
  std::string_view before = text.substr(0, offset);
  return {.file = name,
          .line = 1 + unsigned(std::ranges::count(before, '\n')),
          // npos + 1 is 0; lines of 4 GiB are not worth a wider number.
          .column = unsigned(offset - (before.rfind('\n') + 1)) + 1};
}

/// "[json.exception.parse_error.101] parse error at line 3, column 5: syntax
/// error while ..." without the parts that the diagnostic says itself.
std::string reasonOf(const json::parse_error &error) {
  std::string_view text = error.what();
  std::size_t colon = text.find(": ");
  if (colon != std::string_view::npos)
    text.remove_prefix(colon + 2);
  return std::string(text.substr(0, 200));
}
} // namespace

/// What we read nests by three or four. Printing a value again is recursive.
static constexpr int kMaxDepth = 64;

std::optional<json> parseJson(std::string_view text, const std::string &name,
                              DiagnosticEngine &diags) {
  std::vector<std::set<std::string>> keys; // of the objects now open
  bool hasDuplicate = false, isDeep = false;
  auto watch = [&](int depth, json::parse_event_t event, json &parsed) {
    isDeep |= depth > kMaxDepth;
    if (isDeep)
      return false; // is not kept
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    if (event == json::parse_event_t::object_end)
      keys.pop_back();
    if (event == json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      diags.report(diag::JsonSyntax, {name},
                   "the key '" + parsed.get<std::string>() +
                       "' is given twice in one object");
      hasDuplicate = true;
    }
    return true;
  };
  try {
    json parsed = json::parse(text.begin(), text.end(), watch,
                              /*allow_exceptions=*/true,
                              /*ignore_comments=*/true);
    if (isDeep)
      diags.report(diag::JsonSyntax, {name},
                   "lists and objects are nested deeper than " +
                       std::to_string(kMaxDepth));
    if (hasDuplicate || isDeep)
      return std::nullopt;
    return parsed;
  } catch (const json::parse_error &error) {
    diags
        // error.byte counts from 1 and is the last byte that was read.
        .report(diag::JsonSyntax,
                placeAt(name, text, error.byte ? error.byte - 1 : 0),
                "the file is not valid JSON")
        .found(reasonOf(error));
  } catch (const json::exception &error) {
    // Numbers out of range are the one other thing the parser throws.
    diags.report(diag::JsonSyntax, {name}, "the file is not valid JSON")
        .found(error.what());
  }
  return std::nullopt;
}

std::optional<json> readJsonFile(const std::string &path,
                                 DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  return parseJson(file->text(), path, diags);
}

} // namespace yarrow
