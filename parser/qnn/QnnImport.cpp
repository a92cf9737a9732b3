//===- QnnImport.cpp - QNN graphs as IR -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/QnnImport.h"
#include "parser/graph/Import.h"
#include "parser/qnn/JsonReader.h"
#include "parser/qnn/QnnGraph.h"
#include "parser/qnn/Weights.h"
#include "support/diagnostics/Import.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::qnn;

/// Beside the graph: converters write NAME_net.json and NAME.bin.
static std::string weightsBeside(const std::string &path) {
  std::filesystem::path json(path);
  std::string stem = json.stem().string();
  for (llvm::StringRef name :
       {llvm::StringRef(stem).rsplit("_net").first, llvm::StringRef(stem)}) {
    std::filesystem::path beside = json.parent_path() / (name.str() + ".bin");
    std::error_code error;
    if (std::filesystem::exists(beside, error))
      return beside.string();
  }
  return "";
}

static bool needsWeights(const QnnModel &model) {
  return std::ranges::any_of(model.tensors, [](const QnnTensor &tensor) {
    return tensor.kind == TensorKind::Static && !tensor.hasValue;
  });
}

mlir::OwningOpRef<mlir::ModuleOp>
qnn::importQnnModel(mlir::MLIRContext &context, const QnnModel &model,
                    const graph::ImportOptions &options,
                    DiagnosticEngine &diags) {
  std::unique_ptr<graph::Graph> graph = readQnnModel(model, diags);
  if (!graph)
    return nullptr;
  return graph::importGraph(context, *graph, options, diags);
}

/// \p isRead: the weights that there are.
static mlir::OwningOpRef<mlir::ModuleOp>
importWithWeights(mlir::MLIRContext &context, QnnModel &model, bool isRead,
                  const std::string &path, const graph::ImportOptions &options,
                  DiagnosticEngine &diags) {
  if (isRead && needsWeights(model)) {
    if (options.makesUpWeights) {
      makeUpWeights(model, diags);
    } else {
      diags
          .report(diag::QnnWeights, {path},
                  "the graph has static tensors without values")
          .expected("their archive next to the graph, or given with -w")
          .hint("to look at shapes and cycles only, use random values with "
                "--random-weights");
      isRead = false;
    }
  }
  return isRead ? importQnnModel(context, model, options, diags) : nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
qnn::importQnn(mlir::MLIRContext &context, const std::string &path,
               const std::string &weights, const graph::ImportOptions &options,
               DiagnosticEngine &diags) {
  auto model = readJson(path, diags);
  if (!model)
    return nullptr;
  std::string archive = weights.empty() ? weightsBeside(path) : weights;
  bool isRead = archive.empty() || readWeights(*model, archive, diags);
  return importWithWeights(context, *model, isRead, path, options, diags);
}

mlir::OwningOpRef<mlir::ModuleOp>
qnn::importQnn(mlir::MLIRContext &context,
               const std::shared_ptr<const MappedFile> &graph,
               const std::shared_ptr<const MappedFile> &weights,
               const graph::ImportOptions &options, DiagnosticEngine &diags) {
  auto model = parseJson(graph->text(), graph->path(), diags);
  if (!model)
    return nullptr;
  bool isRead = !weights || readWeights(*model, weights, diags);
  return importWithWeights(context, *model, isRead, graph->path(), options,
                           diags);
}
