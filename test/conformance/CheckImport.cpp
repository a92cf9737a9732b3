//===- CheckImport.cpp - ONNX's tests through the front end ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A test of ONNX gives every tensor of a node as an input, also those that are
// weights or shapes in a network. They are inputs here too, if the operator
// allows it; else all but the first become constants, and then all of them.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compat.h"
#include "parser/graph/Emitter.h"
#include "parser/onnx/OnnxImport.h"
#include "parser/onnx/OnnxReader.h"
#include "quantizer/prequantized/Prequantized.h"
#include "support/MappedFile.h"
#include "test/conformance/Stages.h"
#include <cmath>
#include <cstring>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::conformance;
using graph::Constant;

namespace {

/// Tensors of files dir/stem_0.pb ...; nullopt for one that is no tensor of
/// numbers.
std::vector<std::optional<Constant>> recorded(const std::string &dir,
                                              const std::string &stem) {
  std::vector<std::optional<Constant>> tensors;
  while (true) {
    std::string path =
        dir + "/" + stem + "_" + std::to_string(tensors.size()) + ".pb";
    if (!std::filesystem::exists(path))
      return tensors;
    DiagnosticEngine ignored;
    auto file = MappedFile::open(path, ignored);
    tensors.push_back(
        file ? onnx::parseTensorFile(file->bytes(), file, path, ignored)
             : std::nullopt);
  }
}

/// What IR stores of a tensor of ONNX.
compass::TensorBytes storedBytes(const Constant &c) {
  compass::DType type = graph::irElement(c.type);
  size_t width = elementBytes(type);
  compass::TensorBytes bytes(size_t(c.numElements()) * width);
  for (int64_t i = 0; i < c.numElements(); ++i) {
    char *to = &bytes[size_t(i) * width];
    if (type == compass::DType::F32) {
      float v = float(c.numberAt(i));
      std::memcpy(to, &v, width);
    } else {
      int64_t v = c.integerAt(i);
      std::memcpy(to, &v, width); // little-endian
    }
  }
  return bytes;
}

/// "" or how \p found differs from \p expected.
std::string difference(const compass::TensorInfo &info,
                       compass::TensorBytesRef bytes, const Constant &expected,
                       double &worst) {
  graph::Shape shape(info.shape.begin(), info.shape.end());
  if (shape != expected.shape)
    return "shape " + graph::shapeText(shape) + ", recorded " +
           graph::shapeText(expected.shape);
  // Stored integers are recorded as they are.
  compass::TensorInfo plain = info;
  if (expected.type != compass::DType::F32)
    plain.scale = 1, plain.zp = 0;
  std::vector<double> values = realValues(plain, bytes);
  double largest = 0, error = 0;
  size_t count = 0;
  for (double v : expected.numbers())
    if (std::isfinite(v))
      largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < values.size(); ++i) {
    double want = expected.numberAt(int64_t(i)), have = values[i];
    if (want == have || (std::isnan(want) && std::isnan(have)))
      continue;
    double off = std::abs(want - have);
    error = std::isnan(off) ? INFINITY : std::max(error, off);
    count += std::isinf(want) ||
             !(off <= 1e-3 * std::abs(want) + 1e-4 * std::max(largest, 1e-3));
  }
  if (largest > 0)
    worst = std::max(worst, error / largest);
  if (count == 0)
    return "";
  return std::to_string(count) + " of " + std::to_string(values.size()) +
         " differ, at most by " + std::to_string(error);
}

struct Test {
  std::string path;
  std::vector<std::optional<Constant>> inputs, outputs;
};

/// Imports with the inputs from \p firstConstant on as constants.
mlir::OwningOpRef<mlir::ModuleOp>
importTest(mlir::MLIRContext &context, const Test &test, size_t firstConstant,
           std::set<std::string> &operators, std::vector<size_t> &left,
           DiagnosticEngine &diags) {
  std::unique_ptr<graph::Graph> network = onnx::readOnnx(test.path, diags);
  if (!network)
    return nullptr;
  for (auto &node : network->nodes)
    operators.insert(node->op);
  graph::ImportOptions options;
  for (size_t i = 0; i < network->inputs.size() && i < test.inputs.size();
       ++i) {
    if (!test.inputs[i])
      continue;
    const std::string &name = network->inputs[i]->name;
    if (i >= firstConstant)
      options.constants[name] = *test.inputs[i];
    else {
      left.push_back(i);
      options.shapes[name] = test.inputs[i]->shape;
    }
  }
  return onnx::importOnnx(context, test.path, options, diags);
}

/// The inputs that are left, as IR stores them; empty if they do not fit.
std::optional<std::vector<compass::TensorBytes>>
leftInputs(const Evaluator &evaluator, const Test &test,
           const std::vector<size_t> &left) {
  std::vector<compass::TensorBytes> inputs;
  for (size_t i : left)
    inputs.push_back(storedBytes(*test.inputs[i]));
  if (inputs.size() != evaluator.inputs().size())
    return std::nullopt;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (compass::describe(evaluator.inputs()[i]).sizeBytes() !=
        inputs[i].size())
      return std::nullopt;
  return inputs;
}

/// On the host against what is recorded.
Outcome compareRun(mlir::ModuleOp, const Evaluator &evaluator,
                   const std::vector<compass::TensorBytes> &inputs,
                   const Test &test, const Options &) {
  std::vector<compass::TensorBytesRef> views(inputs.begin(), inputs.end());
  std::vector<compass::TensorBytes> outputs;
  if (evaluator.run(views, outputs))
    return Outcome::fail("a loop does not end");
  Outcome outcome;
  for (size_t i = 0; i < outputs.size() && i < test.outputs.size(); ++i) {
    if (!test.outputs[i])
      return Outcome::skip({"unrecorded a tensor of this type"});
    std::string why =
        difference(compass::describe(evaluator.outputs()[i]), outputs[i],
                   *test.outputs[i], outcome.worstRatio);
    if (!why.empty())
      return Outcome::fail("output " + std::to_string(i) + ": " + why);
  }
  return outcome;
}

using Run = Outcome (*)(mlir::ModuleOp, const Evaluator &,
                        const std::vector<compass::TensorBytes> &, const Test &,
                        const Options &);

/// Imports with fewer inputs at each attempt, and does \p run with the first
/// network that there is.
Outcome check(const Pack &pack, const Options &options, Run run) {
  Test test;
  test.path = pack.dir + "/model.onnx";
  std::string data = pack.dir + "/test_data_set_0";
  test.inputs = recorded(data, "input");
  test.outputs = recorded(data, "output");
  std::set<std::string> operators;
  Outcome outcome;
  if (test.outputs.empty())
    return Outcome::skip({"unrecorded outputs of a model"});
  for (size_t first : {test.inputs.size(), size_t(1), size_t(0)}) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    DiagnosticEngine diags;
    std::vector<size_t> left;
    auto module = importTest(context, test, first, operators, left, diags);
    if (module && compass::isCompat(*module) &&
        !convertPrequantized(*module, {}, diags))
      module = nullptr;
    auto evaluator = module ? Evaluator::create(*module, diags) : nullptr;
    if (!evaluator) {
      outcome = outcomeOf(diags);
      continue;
    }
    auto inputs = leftInputs(*evaluator, test, left);
    outcome = inputs
                  ? run(*module, *evaluator, *inputs, test, options)
                  : Outcome::skip({"unrecorded inputs of the model's types"});
    break;
  }
  if (outcome.kind == Outcome::Failed)
    outcome = outcomeOfDifference(pack, outcome.text);
  outcome.operators = operators;
  return outcome;
}

} // namespace

Outcome conformance::checkImport(const Pack &pack, const Options &options) {
  return check(pack, options, compareRun);
}

#ifdef YARROW_CONFORMANCE_NPU
static Outcome runOnNpu(mlir::ModuleOp module, const Evaluator &evaluator,
                        const std::vector<compass::TensorBytes> &inputs,
                        const Test &, const Options &options) {
  if (inputs.empty()) // all of it was folded
    return Outcome();
  return compareOnTargets(module, evaluator, {inputs},
                          {options.targets.front()});
}

Outcome conformance::checkImportNpu(const Pack &pack, const Options &options) {
  Outcome outcome = check(pack, options, runOnNpu);
  // What is not imported the other stage tells.
  bool differs = outcome.reasons.contains("differs " + pack.name);
  return differs || outcome.kind == Outcome::Passed ? outcome
                                                    : Outcome::skip({});
}
#endif
