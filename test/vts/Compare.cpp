//===- Compare.cpp - Results beside recorded ones -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/Compare.h"
#include "parser/graph/ImportGraph.h"
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::vts;
using nnapi::Value;

/// As a constant, whose elements are read whatever their type.
static graph::Constant constantOf(const Value &value, ElementType type) {
  return {.type = type,
          .shape = {value.dims.begin(), value.dims.end()},
          .bytes = value.bytes};
}

static std::string text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", number);
  return buffer;
}

static void count(double distance, Difference &difference) {
  if (distance == 0)
    ++difference.equal;
  else if (distance <= 1)
    ++difference.offByOne;
  else
    ++difference.more;
}

std::string vts::compare(const Expected &expected, const Value &actual,
                         Difference &difference) {
  if (expected.value.dims != actual.dims)
    return "lengths " + nnapi::dimsText(actual.dims) + ", recorded " +
           nnapi::dimsText(expected.value.dims);
  if (expected.isIgnored)
    return "";
  if (expected.value.bytes.size() != actual.bytes.size())
    return std::to_string(actual.bytes.size()) + " bytes, recorded " +
           std::to_string(expected.value.bytes.size());
  const nnapi::OperandTypeEntry &type = nnapi::entryOf(expected.type);
  bool isCounted =
      type.storage != nnapi::Storage::Plain && elementBytes(type.element) == 1;
  std::string why;
  graph::Constant results = constantOf(actual, type.element),
                  recorded = constantOf(expected.value, type.element);
  std::int64_t elements = results.numElements(), wrong = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    double a = results.numberAt(i), e = recorded.numberAt(i);
    if (isCounted)
      count(std::abs(a - e), difference);
    bool isSame = a == e || (std::isnan(a) && std::isnan(e));
    if (isSame ||
        std::abs(a - e) <= expected.absolute + expected.relative * std::abs(e))
      continue;
    if (!wrong++)
      why = "element " + std::to_string(i) + " is " + text(a) + ", recorded " +
            text(e);
  }
  return wrong > 1 ? why + " (" + std::to_string(wrong) + " of " +
                         std::to_string(elements) + " differ)"
                   : why;
}

/// The largest distance between the frequencies of classes and the
/// probabilities that softmax gives them.
std::string vts::compareDistribution(const Case &recorded,
                                     const Value &samples) {
  const nnapi::Operand &logits =
      recorded.model->operands[recorded.model->inputs[0]];
  std::size_t classes = logits.dims.back();
  std::vector<double> probability(classes), frequency(classes, 0);
  graph::Constant scores =
      constantOf(recorded.inputs[0], logits.entry().element);
  for (std::size_t c = 0; c < classes; ++c)
    probability[c] = std::exp(scores.numberAt(std::int64_t(c)));
  double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  std::vector<std::int64_t> all =
      constantOf(samples, ElementType::I32).integers();
  for (std::int64_t drawn : all) {
    if (drawn < 0 || std::size_t(drawn) >= classes)
      return "a sample is no class: " + std::to_string(drawn);
    frequency[std::size_t(drawn)] += 1.0 / double(all.size());
  }
  double worst = 0;
  for (std::size_t c = 0; c < classes; ++c)
    worst = std::max(worst, std::abs(frequency[c] - probability[c] / sum));
  return worst <= *recorded.multinomialTolerance
             ? ""
             : "a frequency is off by " + text(worst);
}

Outcome vts::refused(const DiagnosticEngine &diags) {
  Outcome outcome{Outcome::Refused};
  for (const Diagnostic &d : diags.all()) {
    if (!d.isError())
      continue;
    outcome.why += outcome.why.empty() ? "" : "; ";
    outcome.why += "error " + std::string(d.id->code) + ": " + d.message;
    if (!d.foundText.empty())
      outcome.why += " (" + d.foundText + ")";
  }
  return outcome;
}

Outcome vts::compareOutputs(std::span<const Expected> expected,
                            const std::vector<Value> &outputs) {
  if (outputs.size() != expected.size())
    return {Outcome::Failed, std::to_string(outputs.size()) +
                                 " outputs, recorded " +
                                 std::to_string(expected.size())};
  Outcome outcome;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::string why = compare(expected[i], outputs[i], outcome.difference);
    if (why.empty())
      continue;
    outcome.kind = Outcome::Failed;
    outcome.why += (outcome.why.empty() ? "output " : "; output ") +
                   std::to_string(i) + ": " + why;
  }
  return outcome;
}
