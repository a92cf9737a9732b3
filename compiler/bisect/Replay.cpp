//===- Replay.cpp - One layer with its operands, as a network -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/Replay.h"

#include "compiler/work/NewFolders.h"
#include "dialects/compass/Locations.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/compass/CompassReader.h"

#include <filesystem>

using namespace yarrow;

ReplayFiles yarrow::replayFiles(const std::string &folder,
                                std::size_t numInputs) {
  auto in = [&](const std::string &name) {
    return (std::filesystem::path(folder) / name).string();
  };
  ReplayFiles files{in("layer.txt"),
                    in("layer.bin"),
                    in("expected.npy"),
                    in("actual.npy"),
                    {}};
  for (std::size_t i = 0; i < numInputs; ++i)
    files.inputs.push_back(
        in(i ? "input" + std::to_string(i) + ".npy" : "input.npy"));
  return files;
}

namespace {
/// The layers between known tensors and a result.
class Slice {
public:
  Slice(mlir::ModuleOp module, const Execution &known) : known(known) {
    main = compass::mainGraph(module);
  }

  mlir::Value find(llvm::StringRef name) {
    for (mlir::Operation &op : main.getBody().front().without_terminator())
      for (mlir::Value v : op.getResults())
        if (compass::tensorNameOf(v) == name)
          return v;
    return {};
  }

  /// Leaves what computes \p result of the network.
  void cutOut(mlir::Value result) {
    collect(result.getDefiningOp());
    mlir::Block &body = main.getBody().front();
    mlir::OpBuilder builder(&body, body.begin());
    for (auto [i, operand] : llvm::enumerate(cut)) {
      mlir::Value value = operand;
      mlir::OperationState state(
          compass::layerLocation(builder.getContext(),
                                 compass::tensorNameOf(value), "", 0),
          compass::InputOp::getOperationName());
      state.addTypes(value.getType());
      state.addAttribute("input_index", builder.getI64IntegerAttr(int64_t(i)));
      state.addAttribute(
          compass::kTopNamesAttr,
          builder.getStrArrayAttr({compass::tensorNameOf(value)}));
      mlir::Value input = builder.create(state)->getResult(0);
      value.replaceUsesWithIf(input, [&](mlir::OpOperand &use) {
        return kept.contains(use.getOwner());
      });
    }
    body.getTerminator()->setOperands(result);
    llvm::SmallVector<mlir::Operation *> ops;
    for (mlir::Operation &op : body.without_terminator())
      ops.push_back(&op);
    for (mlir::Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
    main.setFunctionType(
        builder.getFunctionType({}, mlir::TypeRange{result.getType()}));
  }

private:
  void collect(mlir::Operation *op) {
    if (!kept.insert(op).second)
      return;
    for (mlir::Value operand : op->getOperands()) {
      mlir::Operation *producer = operand.getDefiningOp();
      const LayerResult *r = known.find(compass::tensorNameOf(operand));
      if (producer->hasTrait<compass::trait::Source>() &&
          !mlir::isa<compass::InputOp>(producer))
        kept.insert(producer);
      else if (mlir::isa<compass::InputOp>(producer) || (r && r->bytes))
        cut.insert(operand);
      else
        collect(producer);
    }
  }

  const Execution &known;
  mlir::func::FuncOp main;
  llvm::DenseSet<mlir::Operation *> kept;
  llvm::SetVector<mlir::Value> cut;
};
} // namespace

static bool writeArray(const std::string &path, const LayerResult &result,
                       DiagnosticEngine &diags) {
  return writeNpy(path, result.npyType, result.shape, result.bytes->data(),
                  diags);
}

std::optional<ReplayFiles>
yarrow::writeReplay(const NetworkRun &network, const LayerResult &expected,
                    const LayerResult &found, const Execution &known,
                    const std::string &folder, DiagnosticEngine &diags) {
  mlir::OwningOpRef<mlir::ModuleOp> module = network.module().clone();
  compass::forgetModel(*module);
  Slice slice(*module, known);
  mlir::Value result = slice.find(found.name);
  // An input or a constant is no layer that could be replayed.
  if (!result || result.getDefiningOp()->hasTrait<compass::trait::Source>())
    return ReplayFiles();
  std::vector<const LayerResult *> operands;
  // Names go with the layers that are cut off.
  slice.cutOut(result);
  for (mlir::Value input : compass::graphInputs(compass::mainGraph(*module)))
    operands.push_back(known.find(compass::tensorNameOf(input)));
  if (llvm::is_contained(operands, nullptr))
    return ReplayFiles();
  if (!makeFolder(folder, diags))
    return std::nullopt;
  ReplayFiles files = replayFiles(folder, operands.size());
  bool isWritten =
      compass::writeCompassIr(*module, files.text, files.weights, diags) &&
      writeArray(files.expected, expected, diags);
  for (auto [path, operand] : llvm::zip(files.inputs, operands))
    isWritten = isWritten && writeArray(path, *operand, diags);
  if (found.bytes)
    isWritten = isWritten && writeArray(files.actual, found, diags);
  else
    files.actual.clear();
  return isWritten ? std::optional(std::move(files)) : std::nullopt;
}
