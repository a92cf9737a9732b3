//===- ReportDocument.h - The JSON document of every command --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One form for all reports: run, build, eval, quantize, diagnose, search and
// the C interface fill in what they know, the rest is null. docs/report.md
// describes it, docs/report.schema.json is the same for programs.
//
//   ReportDocument report("run");
//   report.performance = measured.json();
//   report.written["trace"] = "trace.json";
//   writeFile("report.json", report.text(), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_REPORTDOCUMENT_H
#define YARROW_SUPPORT_REPORTDOCUMENT_H

#include <nlohmann/json.hpp>

#include <string>

namespace yarrow {

struct ReportDocument {
  using Json = nlohmann::ordered_json;

  /// Raised whenever a program that reads reports would have to change.
  static constexpr int kVersion = 1;

  explicit ReportDocument(std::string command) : command(std::move(command)) {}

  std::string command;
  std::string model, target; ///< Empty: not known, or none.
  /// Files by what they are for: a path, or an array of paths.
  Json read = Json::object(), written = Json::object();
  Json pictures; ///< How they became inputs, if data are pictures.
  Json quantization, diagnosis, search, sweep, winograd, performance, accuracy;
  Json gates, comparison, bisection;
  Json entriesInUse;
  Json diagnostics = Json::array();

  /// With a line feed at the end. Names come from files and may hold anything;
  /// what is not UTF-8 is replaced.
  std::string text() const;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_REPORTDOCUMENT_H
