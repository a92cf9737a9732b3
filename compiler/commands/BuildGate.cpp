//===- BuildGate.cpp - Figures that a build must reach --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildGate.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"

#include <charconv>
#include <cmath>

using namespace yarrow;

namespace {
/// What can be asked for, and where a figure of it is.
struct GateRecord {
  const char *figure;
  double OutputFigures::*value;
  const char *unit;
  int digits;

  double valueOf(const OutputFigures &output) const { return output.*value; }
};
constexpr GateRecord kGates[] = {
    {"cosine", &OutputFigures::cosine, "", 6},
    {"sqnr", &OutputFigures::sqnrDb, " dB", 1},
};
} // namespace

static const GateRecord *recordOf(std::string_view figure) {
  for (const GateRecord &record : kGates)
    if (figure == record.figure)
      return &record;
  return nullptr;
}

static std::string numberText(double value, int digits) {
  return std::isfinite(value) ? formatFixed(value, digits)
         : value > 0          ? "exact"
                              : "-inf";
}

std::optional<std::vector<Gate>>
yarrow::readGates(const std::vector<std::string> &texts, Driver &driver) {
  std::vector<Gate> gates;
  bool ok = true;
  for (const std::string &text : texts) {
    std::size_t equals = std::min(text.find('='), text.size());
    Gate gate{text.substr(0, equals), 0};
    std::string number = text.substr(std::min(equals + 1, text.size()));
    const char *last = number.data() + number.size();
    auto [end, error] = std::from_chars(number.data(), last, gate.least);
    bool isNumber = error == std::errc() && end == last && !number.empty() &&
                    std::isfinite(gate.least);
    if (isNumber && gate.figure == "cosine" && gate.least > 1) {
      ok = false;
      driver.usageError("--gate " + text + " is above 1, the largest cosine",
                        "--gate cosine=0.99, for example");
      continue;
    }
    if (recordOf(gate.figure) && isNumber) {
      gates.push_back(std::move(gate));
      continue;
    }
    ok = false;
    driver.usageError("--gate " + text + " is not FIGURE=LEAST",
                      "--gate cosine=0.99 or --gate sqnr=30, for every output");
  }
  return ok ? std::optional(std::move(gates)) : std::nullopt;
}

/// NaN is below everything.
static bool passes(const Gate &gate, double value) {
  return value >= gate.least;
}

bool yarrow::passesGates(const std::vector<Gate> &gates,
                         const std::vector<OutputFigures> &outputs,
                         const Place &place, const std::string &hint,
                         DiagnosticEngine &diags) {
  bool ok = true;
  for (const Gate &gate : gates) {
    const GateRecord &record = *recordOf(gate.figure);
    auto text = [&](double value) {
      return gate.figure + " " + numberText(value, record.digits) + record.unit;
    };
    for (const OutputFigures &figures : outputs) {
      double value = record.valueOf(figures);
      if (passes(gate, value))
        continue;
      ok = false;
      diags
          .report(diag::BuildGate, place,
                  "output " + figures.output + " is below the gate")
          .found(text(value))
          .expected(text(gate.least) + " or more")
          .hint(hint);
    }
  }
  return ok;
}

nlohmann::ordered_json
yarrow::gatesJson(const std::vector<Gate> &gates,
                  const std::vector<OutputFigures> &outputs) {
  using Json = nlohmann::ordered_json;
  Json results;
  for (const Gate &gate : gates)
    for (const OutputFigures &figures : outputs) {
      double value = recordOf(gate.figure)->valueOf(figures);
      // JSON has no infinity: what is exact is null.
      results.push_back({{"figure", gate.figure},
                         {"least", gate.least},
                         {"output", figures.output},
                         {"value", std::isfinite(value) ? Json(value) : Json()},
                         {"passes", passes(gate, value)}});
    }
  return results;
}
