//===- TwinRunner.cpp - What a graph of QNN computes ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinRunner.h"
#include "codegen/Emit.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Context.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/network/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/qnn/JsonReader.h"
#include "parser/qnn/JsonWriter.h"
#include "parser/qnn/QnnImport.h"
#include "parser/qnn/Weights.h"
#include "quantizer/given/Given.h"
#include "runtime/SimulatedDevice.h"
#include "support/Half.h"
#include "test/TemporaryFile.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::qnntwins;
using nnapi::Value;
using vts::Outcome;

/// Each element of type From as one of type To.
template <typename From, typename To, typename F>
static Value converted(const Value &value, F convert) {
  std::vector<std::byte> bytes(value.bytes.size() / sizeof(From) * sizeof(To));
  for (std::size_t i = 0; i * sizeof(To) < bytes.size(); ++i) {
    From from;
    std::memcpy(&from, value.bytes.data() + i * sizeof(From), sizeof(From));
    To to = convert(from);
    std::memcpy(bytes.data() + i * sizeof(To), &to, sizeof(To));
  }
  return Value::of(value.dims, std::move(bytes));
}

/// The graph as it is after a stay in files; nullopt after errors.
static std::optional<qnn::QnnModel> throughFiles(const qnn::QnnModel &model,
                                                 DiagnosticEngine &diags) {
  testing::TemporaryFile archive;
  if (!qnn::writeWeights(model, archive.path(), diags))
    return std::nullopt;
  auto read = qnn::parseJson(qnn::jsonOf(model), model.file, diags);
  if (!read || !qnn::readWeights(*read, archive.path(), diags))
    return std::nullopt;
  return read;
}

/// Layers that can be computed; null after errors.
static mlir::OwningOpRef<mlir::ModuleOp> networkOf(mlir::MLIRContext &context,
                                                   const qnn::QnnModel &model,
                                                   DiagnosticEngine &diags) {
  auto read = std::optional(model);
  (void)throughFiles;
  auto module = read ? qnn::importQnnModel(context, *read, {}, diags) : nullptr;
  if (!module ||
      (compass::isCompat(*module) && !convertGiven(*module, {}, diags)) ||
      !compass::checkExecutable(*module, diags) ||
      !compass::checkKernels(*module, /*mustRun=*/true, diags))
    return nullptr;
  return module;
}

static std::vector<std::uint32_t> dimsOf(mlir::ModuleOp module, std::size_t i) {
  auto info = compass::describe(compass::mainGraph(module).getResultTypes()[i]);
  return {info.shape.begin(), info.shape.end()};
}

bool TwinRunner::evaluate(mlir::ModuleOp module, std::span<const Value> inputs,
                          std::vector<Value> &outputs,
                          DiagnosticEngine &diags) const {
  auto evaluator = compass::Evaluator::create(module, diags);
  if (!evaluator)
    return false;
  std::vector<compass::TensorBytesRef> refs;
  for (const Value &input : inputs)
    refs.emplace_back(reinterpret_cast<const char *>(input.bytes.data()),
                      input.bytes.size());
  std::vector<compass::TensorBytes> results;
  if (mlir::Operation *endless = evaluator->run(refs, results)) {
    compass::reportEndless(endless, diags);
    return false;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto bytes = std::as_bytes(std::span(results[i]));
    outputs.push_back(
        Value::of(dimsOf(module, i), {bytes.begin(), bytes.end()}));
  }
  return true;
}

bool TwinRunner::simulate(mlir::ModuleOp module, std::span<const Value> inputs,
                          std::vector<Value> &outputs,
                          DiagnosticEngine &diags) const {
  std::size_t count = compass::mainGraph(module).getNumResults();
  std::vector<std::vector<std::uint32_t>> dims;
  for (std::size_t i = 0; i < count; ++i)
    dims.push_back(dimsOf(module, i));
  CompileOptions options;
  auto scheduled = compileUntil(module, *machine, options, "schedule", diags);
  auto bytes =
      scheduled ? executableInMemory(*scheduled, *machine, options.cache, diags)
                : std::nullopt;
  auto executable =
      bytes ? runtime::Executable::parse(*bytes, "aipu.bin", diags) : nullptr;
  auto session =
      executable ? runtime::simulatedSession(executable, {}, diags) : nullptr;
  if (!session)
    return false;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!session->setInput(i, inputs[i].bytes, diags))
      return false;
  if (!session->run(diags))
    return false;
  for (std::size_t i = 0; i < count; ++i) {
    auto result = session->output(i);
    outputs.push_back(Value::of(dims[i], {result.begin(), result.end()}));
  }
  return true;
}

/// float16 is computed in float32: inputs and results are converted.
static std::vector<Value> loaded(const Twin &twin) {
  std::vector<Value> inputs = twin.inputs;
  std::size_t i = 0;
  for (const qnn::QnnTensor &tensor : twin.model.tensors)
    if (tensor.kind == qnn::TensorKind::Input) {
      if (tensor.type == qnn::DataType::FLOAT_16)
        inputs[i] = converted<std::uint16_t, float>(inputs[i], halfToFloat);
      ++i;
    }
  return inputs;
}

static Outcome compared(const Twin &twin, std::vector<Value> outputs) {
  Outcome outcome;
  if (outputs.size() != twin.outputs.size())
    return {Outcome::Failed, std::to_string(outputs.size()) + " results"};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const vts::Expected &expected = twin.outputs[i];
    if (nnapi::entryOf(expected.type).element == ElementType::F16)
      outputs[i] = converted<float, std::uint16_t>(outputs[i], floatToHalf);
    std::string why = vts::compare(expected, outputs[i], outcome.difference);
    if (why.empty())
      continue;
    outcome.kind = Outcome::Failed;
    outcome.why += (outcome.why.empty() ? "output " : "; output ") +
                   std::to_string(i) + ": " + why;
  }
  return outcome;
}

Outcome TwinRunner::run(const Twin &twin) const {
  DiagnosticEngine diags;
  auto context = makeContext();
  auto module = networkOf(*context, twin.model, diags);
  std::vector<Value> outputs, inputs = loaded(twin);
  bool isComputed =
      module && (machine ? simulate(*module, inputs, outputs, diags)
                         : evaluate(*module, inputs, outputs, diags));
  if (isComputed)
    return compared(twin, std::move(outputs));
  Outcome outcome{Outcome::Refused};
  for (const Diagnostic &d : diags.all())
    if (d.isError())
      outcome.why += (outcome.why.empty() ? "" : "; ") + d.message +
                     (d.foundText.empty() ? "" : " (" + d.foundText + ")");
  return outcome;
}
