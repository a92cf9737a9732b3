//===- PacksTest.cpp - Recorded TFLite models in floats -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every operator of recorded models in floats, on the real numbers of what
// TFLite gave it: near the real numbers of what TFLite made of them. Where the
// packs are not, the tests are skipped. Integers are compared elsewhere.
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
#include <map>
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

/// A part of a recorded model, and where its tensors are recorded.
struct Part {
  std::vector<const graph::Tensor *> inputs;
  const graph::Tensor *output = nullptr;
  std::vector<fs::path> inputFiles;
  fs::path outputFile;
};

/// The whole, to its first output.
Part wholeOf(const graph::Graph &graph, const fs::path &pack) {
  Part part{{graph.inputs.begin(), graph.inputs.end()},
            graph.outputs[0],
            {},
            pack / "out0.npy"};
  for (std::size_t i = 0; i < part.inputs.size(); ++i)
    part.inputFiles.push_back(pack / ("in" + std::to_string(i) + ".npy"));
  return part;
}

/// Tensors without a name are called by their numbers.
std::string nameOf(const nlohmann::json &layer) {
  std::string name = layer["name"];
  return name.empty() ? "tensor_" + std::to_string(layer["tensor"].get<int>())
                      : name;
}

/// Each operator between recorded tensors.
std::vector<Part> layersOf(const graph::Graph &graph, const fs::path &pack) {
  std::vector<Part> parts;
  std::ifstream file(pack / "layers.json");
  if (!file)
    return parts;
  nlohmann::json layers = nlohmann::json::parse(file);
  std::map<const graph::Tensor *, fs::path> recorded;
  std::map<int, const graph::Tensor *> byNumber;
  Part whole = wholeOf(graph, pack);
  for (std::size_t i = 0; i < whole.inputs.size(); ++i)
    recorded[whole.inputs[i]] = whole.inputFiles[i];
  for (const auto &layer : layers)
    if (const graph::Tensor *t = graph.find(nameOf(layer))) {
      recorded[t] = pack / "layers" / layer["file"].get<std::string>();
      byNumber[layer["tensor"].get<int>()] = t;
    }
  for (const auto &layer : layers) {
    Part part;
    part.output = byNumber[layer["tensor"].get<int>()];
    if (!part.output) {
      ADD_FAILURE() << pack << " has no tensor " << nameOf(layer);
      continue;
    }
    part.outputFile = recorded[part.output];
    for (int input : layer["op_inputs"])
      if (auto it = byNumber.find(input); it != byNumber.end())
        part.inputs.push_back(it->second);
    if (part.inputs.empty())
      part.inputs = whole.inputs; // of the first operator
    for (const graph::Tensor *input : part.inputs)
      part.inputFiles.push_back(recorded[input]);
    parts.push_back(std::move(part));
  }
  return parts;
}

/// The part in floats against what is recorded.
Difference check(const fs::path &pack, const Part &part) {
  std::string path = (pack / "model.tflite").string();
  DiagnosticEngine diags;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  graph::ImportOptions options;
  options.inFloats = true;
  for (const graph::Tensor *input : part.inputs)
    options.inputs.push_back(input->name);
  options.outputs = {part.output->name};
  auto module = tflite::importTflite(context, path, options, diags);
  auto evaluator =
      module ? compass::Evaluator::create(*module, diags) : nullptr;
  if (!evaluator) {
    for (const Diagnostic &d : diags.all())
      ADD_FAILURE() << pack.filename() << ": " << d.message;
    return {0, 1e9};
  }
  std::vector<std::vector<float>> inputs;
  std::vector<compass::TensorBytesRef> data;
  for (auto [i, input] : llvm::enumerate(evaluator->inputs())) {
    auto count = std::size_t(compass::describe(input).numElements());
    inputs.push_back(
        realNumbers(part.inputFiles[i], *part.inputs[i], count, diags));
    if (inputs.back().size() != count)
      return {0, 1e9};
  }
  for (const std::vector<float> &input : inputs)
    data.emplace_back(reinterpret_cast<const char *>(input.data()),
                      input.size() * sizeof(float));
  std::vector<compass::TensorBytes> outputs;
  evaluator->run(data, outputs);
  std::vector<float> found(outputs[0].size() / sizeof(float));
  std::memcpy(found.data(), outputs[0].data(), outputs[0].size());
  auto expected =
      realNumbers(part.outputFile, *part.output, found.size(), diags);
  EXPECT_EQ(expected.size(), found.size());
  if (expected.size() != found.size())
    return {0, 1e9};
  const auto &stored = part.output->quantization;
  double step = stored ? double(stored->scales[0]) : 1.0;
  // What TFLite stores ends at the type's limits.
  bool isNarrow = stored && elementBytes(stored->stored) <= 2;
  if (isNarrow) {
    graph::Constant real =
        graph::Constant::ofFloats({std::int64_t(found.size())}, found);
    graph::Constant kept = realConstant(storedConstant(real, *stored), *stored);
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] = float(kept.numberAt(std::int64_t(i)));
  }
  // A step of 32 bits is finer than a float.
  return compare(found, expected, isNarrow ? step : std::max(step, 1e-3));
}

/// As it is read, for how tensors are stored: importing changes it.
std::unique_ptr<graph::Graph> readPack(const fs::path &pack) {
  DiagnosticEngine diags;
  auto graph = tflite::readTflite((pack / "model.tflite").string(), diags);
  for (const Diagnostic &d : diags.all())
    if (!graph)
      ADD_FAILURE() << pack.filename() << ": " << d.message;
  return graph;
}

} // namespace

TEST(TflitePacks, LayersAreNearInFloats) {
  auto all = packsIn(packs);
  if (all.empty())
    GTEST_SKIP() << "no packs in " << packs;
  for (const fs::path &pack : all) {
    auto graph = readPack(pack);
    // What their SVDFs keep is at the type's limits, where floats go on.
    if (!graph || pack.filename().string().starts_with("keyword_scrambled"))
      continue;
    double worst = 0, cosine = 1;
    for (const Part &part : layersOf(*graph, pack)) {
      Difference d = check(pack, part);
      worst = std::max(worst, d.worstSteps);
      cosine = std::min(cosine, d.cosine);
      EXPECT_GT(d.cosine, 0.99) << pack << " " << part.output->name;
    }
    std::cout << pack.filename().string() << ": least cosine " << cosine
              << ", worst " << worst << " steps\n";
  }
}

TEST(TflitePacks, LayersOf16BitsAreOneStepAway) {
  auto all = packsIn(packs / "seanet");
  if (all.empty())
    GTEST_SKIP() << "no packs in " << packs / "seanet";
  for (const fs::path &pack : all)
    if (auto graph = readPack(pack)) {
      Difference d = check(pack, wholeOf(*graph, pack));
      EXPECT_LE(d.worstSteps, 1.01) << pack;
    }
}
