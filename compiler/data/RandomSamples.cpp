//===- RandomSamples.cpp - Samples that are random numbers ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/RandomSamples.h"

#include "support/Format.h"
#include "support/diagnostics/Settings.h"

#include <charconv>

using namespace yarrow;

namespace {

struct Arguments {
  std::vector<int64_t> shape; ///< Of one sample; empty: the inputs'.
  int64_t samples = 1, seed = 0;
  std::string wrong;
};

Arguments argumentsOf(std::string_view text) {
  Arguments result;
  std::size_t begin = text.find('(');
  if (begin == std::string_view::npos)
    return result;
  text = text.substr(begin + 1, text.rfind(')') - begin - 1);
  while (!text.empty()) {
    std::string item(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    std::erase(item, ' ');
    int64_t *named = item.starts_with("num_sample=") ? &result.samples
                     : item.starts_with("seed=")     ? &result.seed
                                                     : nullptr;
    std::string_view digits(item);
    if (named)
      digits.remove_prefix(digits.find('=') + 1);
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    bool isNumber =
        error == std::errc() && end == digits.data() + digits.size();
    // Enough for every sample there is; too few to overflow a product of four.
    if (!isNumber || value < (named == &result.seed ? 0 : 1) || value > 1000000)
      result.wrong = item.empty() ? "an empty argument" : item;
    else if (named)
      *named = value;
    else
      result.shape.push_back(value);
  }
  return result;
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, as java.util.SplittableRandom mixes.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}

  /// Twelve uniform numbers have a sum of variance 1, and very nearly a normal
  /// one.
  float normal() {
    int64_t sum = 0;
    for (int i = 0; i < 6; ++i) {
      uint64_t bits = next();
      sum += int64_t(bits & 0xFFFFF) + int64_t(bits >> 44);
    }
    return float(sum - 6 * 0xFFFFF) / float(0x100000);
  }

private:
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  uint64_t state;
};

} // namespace

bool yarrow::checkRandom(const std::string &text, Place place,
                         DiagnosticEngine &diags) {
  Arguments arguments = argumentsOf(text);
  std::size_t elements = std::size_t(arguments.samples);
  bool isLarge = false;
  for (int64_t size : arguments.shape)
    isLarge |= __builtin_mul_overflow(elements, std::size_t(size), &elements);
  if (arguments.wrong.empty() && !isLarge && elements < (std::size_t(1) << 40))
    return true;
  diags
      .report(diag::ConfigBadValue, std::move(place),
              "the arguments of RandomDataset are not valid")
      .found(arguments.wrong.empty() ? text : arguments.wrong)
      .expected("the shape of a sample, num_sample= and seed=")
      .hint("RandomDataset(224,224,3,num_sample=16,seed=1)");
  return false;
}

std::vector<NpyView>
yarrow::randomSamples(const std::string &text,
                      const std::vector<std::vector<int64_t>> &inputShapes) {
  Arguments arguments = argumentsOf(text);
  std::vector<std::vector<int64_t>> shapes = inputShapes;
  if (!arguments.shape.empty())
    shapes = {arguments.shape};
  Generator generator{uint64_t(arguments.seed)};
  std::vector<NpyView> arrays;
  for (std::vector<int64_t> shape : shapes) {
    if (!arguments.shape.empty() || shape.empty())
      shape.insert(shape.begin(), 1);
    shape[0] *= arguments.samples;
    NpyView view;
    view.type = NpyType::Float32;
    view.name = text;
    view.numElements = 1;
    for (int64_t size : shape)
      view.numElements *= std::size_t(size);
    view.shape = std::move(shape);
    auto values = std::make_shared<std::vector<float>>(view.numElements);
    for (float &value : *values)
      value = generator.normal();
    view.data = values->data();
    view.owner = std::move(values);
    arrays.push_back(std::move(view));
  }
  return arrays;
}

NpyView yarrow::zerosAndOnes(const NpyView &numbers) {
  auto integers = std::make_shared<std::vector<int64_t>>();
  for (float value : numbers.toFloats())
    integers->push_back(value < -1 ? 0 : 1);
  NpyView view = numbers;
  view.type = NpyType::Int64;
  view.data = integers->data();
  view.owner = std::move(integers);
  return view;
}
