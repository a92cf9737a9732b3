//===- QdqIntegers.cpp - Integers of a network and of its model -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/QdqIntegers.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/graph/ImportGraph.h"
#include "parser/onnx/export/Carrier.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/DenseMap.h"
#include <cstring>
#include <map>
#include <sstream>

using namespace yarrow;
using namespace yarrow::conformance;
using graph::Constant;

namespace {

/// Stored integers, whatever the type that holds them.
using Integers = std::vector<int64_t>;

/// How results of layers differ, each on the IR's own operands.
struct Steps {
  uint64_t elements = 0, differing = 0;
  int64_t most = 0;

  void add(const Integers &found, const Integers &expected) {
    for (size_t i = 0; i < found.size(); ++i) {
      int64_t off = std::abs(found[i] - expected[i]);
      differing += off != 0;
      most = std::max(most, off);
    }
    elements += found.size();
  }
  std::string str() const {
    std::ostringstream out;
    out << differing << " of " << elements << " differ, at most by " << most;
    return out.str();
  }
};

/// Runs the network of the IR, and layer by layer the one that was imported.
class Comparison {
public:
  Comparison(mlir::ModuleOp imported,
             const std::vector<graph::ImportedTensor> &names)
      : imported(imported) {
    for (const graph::ImportedTensor &name : names)
      originalOf[name.tensor] = name.name;
  }

  /// False after a diagnostic. \p inputs are those of the IR.
  bool run(const Evaluator &original,
           llvm::ArrayRef<compass::TensorBytesRef> inputs,
           DiagnosticEngine &diags) {
    std::vector<compass::TensorBytes> outputs;
    original.run(inputs, outputs,
                 [&](mlir::Value value, compass::TensorBytesRef bytes) {
                   compass::TensorInfo info = onnx::describe(value);
                   if (info.quantized)
                     wanted[compass::tensorNameOf(value)] = {
                         info, integersOf(info, bytes)};
                 });
    for (auto [value, bytes] : llvm::zip(original.inputs(), inputs))
      givenInputs.push_back({onnx::describe(value), bytes});
    return runLayers(diags);
  }

  Steps products, others;

private:
  struct Wanted {
    compass::TensorInfo info;
    Integers integers;
  };

  static Integers integersOf(const compass::TensorInfo &info,
                             compass::TensorBytesRef bytes) {
    Constant c;
    c.type = info.dtype;
    c.shape = {info.numElements()};
    c.bytes = std::as_bytes(std::span(bytes.data(), bytes.size()));
    return c.integers();
  }

  /// What an exported network is given whose inputs are floats where the IR has
  /// integers.
  static compass::TensorBytes realBytes(const compass::TensorInfo &info,
                                        compass::TensorBytesRef bytes) {
    if (!info.quantized)
      return {bytes.begin(), bytes.end()};
    compass::TensorBytes real;
    for (double number : realValues(info, bytes)) {
      auto value = float(number);
      auto *at = reinterpret_cast<const char *>(&value);
      real.insert(real.end(), at, at + sizeof value);
    }
    return real;
  }

  bool runLayers(DiagnosticEngine &diags) {
    compass::DiagnosticForwarder forward(imported.getContext(), diags,
                                         diag::OpUnsupported);
    size_t nextInput = 0;
    auto main = imported.lookupSymbol<mlir::func::FuncOp>("main");
    for (mlir::Operation &op : main.front().without_terminator()) {
      if (mlir::isa<compass::InputOp>(op)) {
        const auto &[info, bytes] = givenInputs[nextInput++];
        bool isStored = compass::describe(op.getResult(0)).quantized;
        take(op.getResult(0),
             isStored ? compass::TensorBytes(bytes.begin(), bytes.end())
                      : realBytes(info, bytes));
        continue;
      }
      if (auto constant = mlir::dyn_cast<compass::ConstantOp>(op)) {
        auto bytes = compass::viewConstant(*constant.getWeights())->bytes;
        tensors[op.getResult(0)] = {bytes.begin(), bytes.end()};
        continue;
      }
      std::vector<compass::TensorBytesRef> operands;
      for (mlir::Value v : op.getOperands())
        operands.push_back(tensors[v]);
      std::vector<compass::TensorBytes> results;
      if (failed(compass::evaluateOp(&op, operands, results)))
        return false;
      for (auto [value, bytes] : llvm::zip(op.getResults(), results))
        take(value, std::move(bytes));
    }
    return true;
  }

  /// The IR's own integers take the place of those that were computed.
  void take(mlir::Value value, compass::TensorBytes bytes) {
    compass::TensorInfo info = compass::describe(value);
    if (const Wanted *own = info.quantized ? wantedOf(value) : nullptr;
        own && own->info.shape == info.shape) {
      Integers found = integersOf(info, bytes);
      bool isProduct = compass::tensorKey(value.getDefiningOp(),
                                          compass::keys::weights) != nullptr;
      (isProduct ? products : others).add(found, own->integers);
      size_t width = elementBytes(info.dtype);
      for (size_t i = 0; i < found.size(); ++i)
        std::memcpy(&bytes[i * width], &own->integers[i], width);
    }
    tensors[value] = std::move(bytes);
  }

  const Wanted *wantedOf(mlir::Value value) const {
    auto name = originalOf.find(compass::tensorNameOf(value));
    if (name == originalOf.end())
      return nullptr;
    llvm::StringRef tensor = name->second;
    tensor.consume_back("_channels_second");
    if (!tensor.consume_back("_quantized"))
      return nullptr;
    auto it = wanted.find(tensor.str());
    return it == wanted.end() ? nullptr : &it->second;
  }

  mlir::ModuleOp imported;
  std::map<std::string, std::string> originalOf; ///< By name in the import.
  std::map<std::string, Wanted> wanted;          ///< By name in the IR.
  /// Of the IR.
  std::vector<std::pair<compass::TensorInfo, compass::TensorBytesRef>>
      givenInputs;
  llvm::DenseMap<mlir::Value, compass::TensorBytes> tensors;
};

} // namespace

Outcome conformance::compareIntegers(
    const Pack &pack, mlir::ModuleOp original, mlir::ModuleOp imported,
    const std::vector<graph::ImportedTensor> &names, DiagnosticEngine &diags) {
  auto evaluator = Evaluator::create(original, diags);
  auto samples = pack.intSamples(diags);
  if (!evaluator)
    return outcomeOf(diags);
  Outcome outcome;
  if (samples.empty())
    return outcome;
  auto inputs = inputsOf(evaluator->inputs(), samples.front(), diags);
  if (!inputs)
    return outcomeOf(diags);
  Comparison comparison(imported, names);
  std::vector<compass::TensorBytesRef> views(inputs->begin(), inputs->end());
  if (!comparison.run(*evaluator, views, diags))
    return outcomeOf(diags);
  outcome.text = "products: " + comparison.products.str() +
                 "; others: " + comparison.others.str();
  // The IR's multipliers have 8 or 15 bits, those here 31: ties and what lies
  // next to them may fall on the other side.
  constexpr double kMostDiffering = 0.002;
  const Steps &products = comparison.products;
  if (products.most > 1 ||
      double(products.differing) > kMostDiffering * double(products.elements))
    outcome.kind = Outcome::Failed;
  return outcome;
}
