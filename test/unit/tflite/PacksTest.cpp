//===- PacksTest.cpp - Recorded TFLite models in floats -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The float networks that recorded models stand for, on the real numbers of the
// recorded inputs: near the real numbers of what TFLite gave. Where the packs
// are not, the tests are skipped. Integers are compared elsewhere.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/network/Evaluator.h"
#include "parser/tflite/TfliteImport.h"
#include "parser/tflite/TfliteReader.h"
#include "support/Npy.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace yarrow;
namespace fs = std::filesystem;

namespace {

const fs::path packs = YARROW_TFLITE_PACKS;

std::vector<fs::path> packsIn(const fs::path &folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(folder, none))
    if (fs::exists(entry.path() / "model.tflite"))
      found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

double numberAt(const NpyView &array, std::size_t i) {
  switch (array.type) {
  case NpyType::Int8:
    return array.elements<std::int8_t>()[i];
  case NpyType::Int16:
    return array.elements<std::int16_t>()[i];
  case NpyType::Int32:
    return array.elements<std::int32_t>()[i];
  case NpyType::Float32:
    return array.elements<float>()[i];
  default:
    ADD_FAILURE() << "an array of a type that no model has";
    return 0;
  }
}

/// The real numbers of sample 0 of tensor \p t.
std::vector<float> realNumbers(const fs::path &file, const graph::Tensor &t,
                               std::size_t count, DiagnosticEngine &diags) {
  std::vector<float> values;
  auto array = readNpy(file.string(), diags);
  if (!array)
    return values;
  for (std::size_t i = 0; i < count; ++i) {
    double value = numberAt(*array, i);
    if (t.quantization)
      value = (value - double(t.quantization->zeroPoints[0])) *
              double(t.quantization->scales[0]);
    values.push_back(float(value));
  }
  return values;
}

struct Difference {
  double cosine = 1, worstSteps = 0;
};

Difference compare(const std::vector<float> &x, const std::vector<float> &y,
                   double step) {
  double xy = 0, xx = 0, yy = 0, worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += double(x[i]) * double(y[i]);
    xx += double(x[i]) * double(x[i]);
    yy += double(y[i]) * double(y[i]);
    worst = std::max(worst, std::abs(double(x[i]) - double(y[i])));
  }
  bool areZero = xx == 0 && yy == 0;
  return {areZero ? 1 : xy / std::sqrt(std::max(xx * yy, 1e-30)), worst / step};
}

/// What is compared: output 0 or, as a softmax of noise says little, what a
/// softmax at the end reads.
struct Compared {
  const graph::Tensor *tensor;
  fs::path file;
};

Compared comparedOf(const graph::Graph &graph, const fs::path &pack) {
  const graph::Tensor *output = graph.outputs[0];
  const graph::Tensor *logits = nullptr;
  for (const auto &node : graph.nodes)
    if (node->op == "Softmax" && node->output(0) == output)
      logits = node->input(0);
  std::ifstream file(pack / "layers.json");
  if (logits && file)
    for (const auto &layer : nlohmann::json::parse(file))
      if (layer["name"] == logits->name)
        return {logits, pack / "layers" / layer["file"].get<std::string>()};
  return {output, pack / "out0.npy"};
}

/// The model in floats against what is recorded.
Difference check(const fs::path &pack) {
  std::string path = (pack / "model.tflite").string();
  DiagnosticEngine diags;
  // As it is read, for how tensors are stored: importing changes it.
  auto stored = tflite::readTflite(path, diags);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  graph::ImportOptions options;
  options.inFloats = true;
  Compared compared =
      stored ? comparedOf(*stored, pack) : Compared{nullptr, {}};
  if (stored && compared.tensor != stored->outputs[0])
    options.outputs = {compared.tensor->name};
  auto module = tflite::importTflite(context, path, options, diags);
  auto evaluator =
      module ? compass::Evaluator::create(*module, diags) : nullptr;
  if (!evaluator || !stored) {
    for (const Diagnostic &d : diags.all())
      ADD_FAILURE() << pack.filename() << ": " << d.message;
    return {};
  }
  std::vector<std::vector<float>> inputs;
  std::vector<compass::TensorBytesRef> data;
  for (auto [i, input] : llvm::enumerate(evaluator->inputs())) {
    auto count = std::size_t(compass::describe(input).numElements());
    inputs.push_back(realNumbers(pack / ("in" + std::to_string(i) + ".npy"),
                                 *stored->inputs[i], count, diags));
    EXPECT_EQ(inputs.back().size(), count);
  }
  for (const std::vector<float> &input : inputs)
    data.emplace_back(reinterpret_cast<const char *>(input.data()),
                      input.size() * sizeof(float));
  std::vector<compass::TensorBytes> outputs;
  evaluator->run(data, outputs);
  std::vector<float> found(outputs[0].size() / sizeof(float));
  std::memcpy(found.data(), outputs[0].data(), outputs[0].size());
  const graph::Tensor &output = *compared.tensor;
  auto expected = realNumbers(compared.file, output, found.size(), diags);
  EXPECT_EQ(expected.size(), found.size());
  if (expected.size() != found.size())
    return {0, 1e9};
  double step =
      output.quantization ? double(output.quantization->scales[0]) : 1.0;
  // What TFLite stores ends at the type's limits.
  bool isNarrow =
      output.quantization && elementBytes(output.quantization->stored) <= 2;
  if (isNarrow) {
    graph::Constant real =
        graph::Constant::ofFloats({std::int64_t(found.size())}, found);
    graph::Constant kept = realConstant(
        storedConstant(real, *output.quantization), *output.quantization);
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] = float(kept.numberAt(std::int64_t(i)));
  }
  // A step of 32 bits is finer than a float.
  return compare(found, expected, isNarrow ? step : std::max(step, 1e-3));
}

} // namespace

TEST(TflitePacks, NetworksAreNearInFloats) {
  auto all = packsIn(packs);
  if (all.empty())
    GTEST_SKIP() << "no packs in " << packs;
  for (const fs::path &pack : all) {
    // Nearly all that these store is at the types' limits, where floats go on.
    if (pack.filename().string().starts_with("keyword_scrambled"))
      continue;
    Difference d = check(pack);
    std::cout << pack.filename().string() << ": cosine " << d.cosine
              << ", worst " << d.worstSteps << " steps\n";
    EXPECT_GT(d.cosine, 0.98) << pack;
  }
}

TEST(TflitePacks, LayersOf16BitsAreOneStepAway) {
  auto all = packsIn(packs / "seanet");
  if (all.empty())
    GTEST_SKIP() << "no packs in " << packs / "seanet";
  for (const fs::path &pack : all) {
    Difference d = check(pack);
    EXPECT_LE(d.worstSteps, 1.01) << pack;
  }
}
