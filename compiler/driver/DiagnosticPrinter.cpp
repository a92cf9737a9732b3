//===- DiagnosticPrinter.cpp - Diagnostics as text and as JSON ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/DiagnosticPrinter.h"
#include "compiler/driver/Terminal.h"
#include "support/Progress.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace yarrow;

DiagnosticStyle DiagnosticStyle::of(int fileDescriptor) {
  DiagnosticStyle style;
  if (!isTerminal(fileDescriptor))
    return style;
  style.useColor = !std::getenv("NO_COLOR");
  style.columns = terminalColumns(fileDescriptor).value_or(style.columns);
  return style;
}

/// The severity and the code in bold colour, as compilers do.
static std::string colored(std::string headline, DiagId id) {
  std::string_view severity = diagSeverity(id);
  std::string label = std::string(severity) + " " + std::string(id->code);
  std::size_t at = headline.find(label + ": ");
  if (at == std::string::npos)
    return headline;
  const char *color = severity == "error"     ? "\033[1;31m"
                      : severity == "warning" ? "\033[1;35m"
                                              : "\033[1;36m";
  headline.insert(at + label.size(), "\033[0m");
  headline.insert(at, color);
  return headline;
}

std::string DiagnosticPrinter::text(const Diagnostic &d) {
  std::string out = printable(d.headline());
  if (style.useColor)
    out = colored(std::move(out), d.id);
  if (auto line = files.line(d.place.file, d.place.line))
    out += excerpt(*line, d.place.line, markOf(*line, d.place), style.columns,
                   style.useColor);
  return out + printable(d.details());
}

using Json = nlohmann::ordered_json;

/// JSON is UTF-8; other bytes would make it fail when it is written.
static Json stringOrNull(const std::string &text) {
  return text.empty() ? Json() : Json(printable(text));
}

static Json numberOrNull(std::size_t number) {
  return number ? Json(number) : Json();
}

static Json objectOf(const Diagnostic &d, SourceFiles &files) {
  SourceMark mark;
  if (auto line = files.line(d.place.file, d.place.line))
    mark = markOf(*line, d.place);
  return {{"code", d.id->code},
          {"severity", diagSeverity(d.id)},
          {"file", stringOrNull(d.place.file)},
          {"line", numberOrNull(d.place.line)},
          {"column", mark.length ? Json(mark.offset + 1) : Json()},
          {"length", numberOrNull(mark.length)},
          {"layer", stringOrNull(d.place.layer)},
          {"message", printable(d.message)},
          {"found", stringOrNull(d.foundText)},
          {"expected", stringOrNull(d.expectedText)},
          {"hint", stringOrNull(d.hintText)}};
}

Json yarrow::diagnosticsJson(const DiagnosticEngine &diags) {
  SourceFiles files;
  Json list = Json::array();
  for (const Diagnostic &d : diags.all())
    list.push_back(objectOf(d, files));
  return list;
}

std::string yarrow::diagnosticLine(const Diagnostic &diagnostic) {
  SourceFiles files;
  return objectOf(diagnostic, files).dump();
}
