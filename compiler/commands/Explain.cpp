//===- Explain.cpp - yarrow explain ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "support/TextTable.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

using namespace yarrow;

namespace {
struct ExplainFlags {
  std::string code;
  std::string format = "text";
};
} // namespace

/// The lines of \p text, each behind four blanks.
static std::string indented(std::string_view text) {
  std::string out = "    ";
  for (char c : text) {
    out += c;
    if (c == '\n')
      out += "    ";
  }
  return out + "\n";
}

static std::string explanation(DiagId id) {
  return std::string(id->code) + ", " + std::string(diagSeverity(id)) + ": " +
         std::string(id->summary) + "\n\n" + std::string(id->explanation) +
         "\n\nWrong:\n\n" + indented(id->wrongExample) + "\nRight:\n\n" +
         indented(id->rightExample);
}

static std::string summaries(std::size_t width) {
  TextTable table;
  table.column("code").column("severity").column("meaning").wrapped();
  for (DiagId id : allDiagIds())
    table.row({std::string(id->code), std::string(diagSeverity(id)),
               std::string(id->summary)});
  return table.str(width);
}

static nlohmann::ordered_json record(DiagId id) {
  return {{"code", id->code},          {"severity", diagSeverity(id)},
          {"summary", id->summary},    {"explanation", id->explanation},
          {"wrong", id->wrongExample}, {"right", id->rightExample}};
}

static void unknownCode(const std::string &code, Driver &driver) {
  std::vector<std::string> codes;
  for (DiagId id : allDiagIds())
    codes.emplace_back(id->code);
  std::string near = nearestName(code, codes);
  // The number alone.
  for (const std::string &known : codes)
    if (code.size() > 2 && known.ends_with(code))
      near = known;
  driver.usageError("there is no diagnostic '" + code + "'",
                    near.empty() ? "`yarrow explain` lists all"
                                 : didYouMean("'" + near + "'"));
}

static void explain(const ExplainFlags &flags, Driver &driver) {
  std::optional<DiagId> id;
  if (!flags.code.empty()) {
    id = findDiag(flags.code);
    if (!id)
      return unknownCode(flags.code, driver);
  }
  if (flags.format == "text")
    return driver.printLine(id ? explanation(*id)
                               : summaries(driver.tableWidth()));
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (DiagId each : allDiagIds())
    if (!id || each == *id)
      list.push_back(record(each));
  driver.printLine(list.dump(2) + "\n");
}

void yarrow::addExplainCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App *command = app.add_subcommand(
      "explain", "Explain a diagnostic, with an example and its correction");
  command->add_option("code", flags->code,
                      "A code, for example E0203 (default: list all)");
  command
      ->add_option("--format", flags->format,
                   "Print text, or json: an array of objects")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(std::string("Example:\n  yarrow explain E0203\n\n") +
                  kExitCodeHelp);
  command->callback([flags, &driver] {
    explain(*flags, driver);
    driver.finish();
  });
}
