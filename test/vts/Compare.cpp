//===- Compare.cpp - Results beside recorded ones -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/Compare.h"
#include "support/Half.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace yarrow;
using namespace yarrow::vts;
using nnapi::Value;

template <typename T> static T at(const Value &value, std::size_t i) {
  T element;
  std::memcpy(&element, value.bytes.data() + i * sizeof(T), sizeof(T));
  return element;
}

static double numberAt(const Value &value, ElementType type, std::size_t i) {
  switch (type) {
  case ElementType::F32:
    return at<float>(value, i);
  case ElementType::F16:
    return halfToFloat(at<std::uint16_t>(value, i));
  case ElementType::I32:
    return at<std::int32_t>(value, i);
  case ElementType::U32:
    return at<std::uint32_t>(value, i);
  case ElementType::I16:
    return at<std::int16_t>(value, i);
  case ElementType::U16:
    return at<std::uint16_t>(value, i);
  case ElementType::I8:
    return at<std::int8_t>(value, i);
  default:
    return at<std::uint8_t>(value, i);
  }
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
  std::size_t elements = actual.bytes.size() / elementBytes(type.element),
              wrong = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    double a = numberAt(actual, type.element, i),
           e = numberAt(expected.value, type.element, i);
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
  for (std::size_t c = 0; c < classes; ++c)
    probability[c] =
        std::exp(numberAt(recorded.inputs[0], logits.entry().element, c));
  double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  std::size_t count = samples.bytes.size() / sizeof(std::int32_t);
  for (std::size_t i = 0; i < count; ++i) {
    auto drawn = at<std::int32_t>(samples, i);
    if (drawn < 0 || std::size_t(drawn) >= classes)
      return "a sample is no class: " + std::to_string(drawn);
    frequency[std::size_t(drawn)] += 1.0 / double(count);
  }
  double worst = 0;
  for (std::size_t c = 0; c < classes; ++c)
    worst = std::max(worst, std::abs(frequency[c] - probability[c] / sum));
  return worst <= *recorded.multinomialTolerance
             ? ""
             : "a frequency is off by " + text(worst);
}
