//===- SampleArrays.cpp - Arrays of samples for a network's inputs --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks of all elements once, before anything runs, so that a stream of
// samples cannot fail half-way for a reason that lies in the data; then the
// bytes of one run at a time.
//
//===----------------------------------------------------------------------===//
#include "support/SampleArrays.h"

#include "support/Format.h"
#include "support/Half.h"
#include "support/LinearValues.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace yarrow {

namespace {
/// Elements that are looked at together: some MB, whatever the type.
constexpr std::size_t kScanned = std::size_t(1) << 20;
/// Runs' bytes that leave the memory together.
constexpr std::size_t kReleasedBytes = std::size_t(4) << 20;

template <typename T> void put(char *at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

void putInteger(NpyType type, char *at, int64_t value) {
  // Little-endian hosts only: the low bytes of the value are its encoding.
  std::memcpy(at, &value, npyTypeBytes(type));
}

void putFloat(const SampleInput &input, char *at, float value) {
  if (input.isBfloat)
    put(at, floatToBfloat(value));
  else if (input.type == NpyType::Float16)
    put(at, floatToHalf(value));
  else if (input.type == NpyType::Float64)
    put(at, double(value));
  else
    put(at, value);
}

/// The value as the input holds it; an infinity beyond its type's range.
float asHeld(const SampleInput &input, float value) {
  if (input.isBfloat)
    return bfloatToFloat(floatToBfloat(value));
  return input.type == NpyType::Float16 ? halfToFloat(floatToHalf(value))
                                        : value;
}

/// Whether every finite float stays finite in the input.
bool holdsAllFloats(const SampleInput &input) {
  return !input.isBfloat && input.type != NpyType::Float16;
}

/// The elements for which \p isBad holds: how many, and the first one.
struct BadElements {
  std::size_t count = 0, first = 0;
};

/// Looks at a whole array and leaves nothing of it in memory.
template <typename IsBadRange>
BadElements scan(const NpyView &array, const IsBadRange &findBad) {
  std::vector<BadElements> found(numRanges(array.numElements, kScanned));
  parallelForRanges(array.numElements, kScanned,
                    [&](std::size_t range, std::size_t begin, std::size_t end) {
                      found[range] = findBad(array.part(begin, end - begin));
                      found[range].first += begin;
                      array.release(begin, end - begin);
                    });
  BadElements all;
  for (const BadElements &part : found) {
    if (part.count && !all.count)
      all.first = part.first;
    all.count += part.count;
  }
  return all;
}

template <typename Values, typename IsBad>
BadElements findBad(const Values &values, const IsBad &isBad) {
  auto count = std::size_t(std::count_if(values.begin(), values.end(), isBad));
  if (!count) // nearly always, and the fast way
    return {};
  auto first = std::find_if(values.begin(), values.end(), isBad);
  return {count, std::size_t(first - values.begin())};
}

/// Once for a file, in however many commands' steps it is checked.
void noteFlat(const NpyView &array, const SampleInput &input,
              DiagnosticEngine &diags) {
  for (const Diagnostic &d : diags.all())
    if (d.id == diag::DataFlat && d.place.file == array.name)
      return;
  diags
      .report(diag::DataFlat, {array.name},
              "the samples of input " + input.name + " are flat rows")
      .found(array.str())
      .expected("rows in the layout of " + input.text);
}

std::string shapesText(const SampleInput &input) {
  std::string text = "whole samples of " + input.text;
  if (input.shape.empty())
    return text;
  text += ": [N";
  for (int64_t size : std::span(input.shape).subspan(1))
    text += "," + std::to_string(size);
  text += "]";
  if (input.shape.size() > 1)
    text += " or [N," + std::to_string(input.numElements) + "]";
  return text;
}
} // namespace

bool SampleArrays::checkShapes(DiagnosticEngine &diags) {
  if (arrays.size() != inputs.size()) {
    std::string names;
    for (const SampleInput &input : inputs)
      names += "\n" + input.text;
    diags
        .report(options.code, {},
                "the number of input files differs from the network's inputs")
        .found(std::to_string(arrays.size()))
        .expected(std::to_string(inputs.size()) + ", one per input:" + names);
    return false;
  }
  runs = inputs.empty() ? 1 : 0;
  bool isGood = true;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    SampleFit fit = fitSamples(arrays[i].shape, inputs[i]);
    if (!fit.runs) {
      diags.report(options.code, {arrays[i].name}, fit.problem)
          .found(arrays[i].str())
          .expected(shapesText(inputs[i]))
          .hint(fit.hint);
    } else if (runs && runs != fit.runs) {
      diags
          .report(options.code, {arrays[i].name},
                  "inputs have different numbers of samples")
          .found(std::to_string(fit.runs))
          .expected(std::to_string(runs) + ", as " + arrays[0].name);
    } else {
      runs = fit.runs;
      if (fit.isFlat)
        noteFlat(arrays[i], inputs[i], diags);
      continue;
    }
    isGood = false;
  }
  return isGood;
}

bool SampleArrays::isStored(std::size_t index) const {
  const SampleInput &input = inputs[index];
  if (arrays[index].isFloat() || input.isFloat())
    return false;
  bool isPlain = input.scale == 1 && input.zeroPoint == 0;
  return isPlain || !options.integersAreReal;
}

bool SampleArrays::checkValues(std::size_t index,
                               DiagnosticEngine &diags) const {
  const NpyView &array = arrays[index];
  const SampleInput &input = inputs[index];
  if (isStored(index)) {
    if (array.type == input.type)
      return true;
    auto isOutside = [&](int64_t v) { return v < input.min || v > input.max; };
    BadElements bad = scan(array, [&](const NpyView &part) {
      return findBad(part.toIntegers(), isOutside);
    });
    if (!bad.count)
      return true;
    int64_t first = array.part(bad.first, 1).toIntegers()[0];
    diags
        .report(diag::TensorMismatch, {array.name},
                "integers are out of range for input " + input.name)
        .found(std::to_string(first) + " at index " +
               indexText(bad.first, array.shape) + " of " + array.str() + ", " +
               std::to_string(bad.count) + " in total")
        .expected(std::to_string(input.min) + " to " +
                  std::to_string(input.max) + " for " + input.text)
        .hint("integers are stored values: give real numbers as float32 to "
              "have them quantized");
    return false;
  }
  if (!array.isFloat() && holdsAllFloats(input))
    return true;
  auto isBad = [&](float v) { return !std::isfinite(asHeld(input, v)); };
  BadElements bad = scan(array, [&](const NpyView &part) {
    // The usual case in a form that is done many elements at a time.
    if (part.type == NpyType::Float32 && holdsAllFloats(input))
      return findBad(part.elements<float>(),
                     [](float v) { return isNotFinite(v); });
    return findBad(part.toFloats(), isBad);
  });
  if (!bad.count)
    return true;
  float first = array.part(bad.first, 1).toFloats()[0];
  std::string what = std::isfinite(first) ? "beyond the range of its type: " +
                                                std::to_string(first)
                                          : nonFiniteText(first);
  std::size_t perSample = array.shape.empty() || array.shape[0] == 0
                              ? std::max<std::size_t>(1, array.numElements)
                              : array.numElements / std::size_t(array.shape[0]);
  diags
      .report(diag::DataNotFinite, {array.name},
              "sample " + std::to_string(bad.first / perSample) + " of input " +
                  input.name + " is not finite")
      .found(what + " at index " + indexText(bad.first, array.shape) + " of " +
             array.str() + ", " + std::to_string(bad.count) + " in total")
      .expected("finite numbers");
  return false;
}

std::optional<SampleArrays>
SampleArrays::create(std::vector<NpyView> arrays,
                     std::vector<SampleInput> inputs, SampleOptions options,
                     DiagnosticEngine &diags) {
  SampleArrays result;
  result.arrays = std::move(arrays);
  result.inputs = std::move(inputs);
  result.options = options;
  if (!result.checkShapes(diags))
    return std::nullopt;
  bool isGood = true;
  for (std::size_t i = 0; i < result.arrays.size(); ++i)
    isGood = result.checkValues(i, diags) && isGood;
  if (!isGood)
    return std::nullopt;
  return result;
}

std::size_t SampleArrays::batch() const {
  bool isKnown = !inputs.empty() && !inputs[0].shape.empty();
  return isKnown ? std::size_t(inputs[0].shape[0]) : 1;
}

bool SampleArrays::isFirstOfSequence(std::size_t run) const {
  std::size_t runsOf = arrays.empty() ? 0 : arrays[0].sequenceRuns;
  return runsOf ? run % runsOf == 0 : run == 0;
}

std::vector<char> SampleArrays::bytesOf(std::size_t index,
                                        std::size_t run) const {
  const SampleInput &input = inputs[index];
  std::size_t count = input.numElements, step = npyTypeBytes(input.type);
  NpyView part = arrays[index].part(run * count, count);
  std::vector<char> bytes(count * step);
  bool isSameType = part.type == input.type && !input.isBfloat;
  if (isSameType && (isStored(index) || input.isFloat())) {
    std::memcpy(bytes.data(), part.data, bytes.size());
  } else if (isStored(index)) {
    std::vector<int64_t> values = part.toIntegers();
    for (std::size_t i = 0; i < count; ++i)
      putInteger(input.type, bytes.data() + i * step, values[i]);
  } else {
    std::vector<float> values = part.toFloats();
    if (!input.isFloat())
      quantizeValues(values,
                     {input.scale, input.zeroPoint, input.min, input.max, step},
                     bytes.data());
    for (std::size_t i = 0; i < count && input.isFloat(); ++i)
      putFloat(input, bytes.data() + i * step, values[i]);
  }
  return bytes;
}

std::vector<std::vector<char>> SampleArrays::inputsOf(std::size_t run) const {
  std::vector<std::vector<char>> result;
  result.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    result.push_back(bytesOf(i, run));
  return result;
}

void SampleArrays::releaseBefore(std::size_t run) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    bytes +=
        (run - released) * inputs[i].numElements * npyTypeBytes(arrays[i].type);
  if (bytes < kReleasedBytes)
    return;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    arrays[i].release(released * inputs[i].numElements,
                      (run - released) * inputs[i].numElements);
  released = run;
}

} // namespace yarrow
