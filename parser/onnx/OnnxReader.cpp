//===- OnnxReader.cpp - ONNX models as import graphs ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OnnxReader.h"
#include "parser/onnx/GraphReader.h"
#include "parser/onnx/NodeCheck.h"
#include "parser/onnx/TypeCheck.h"
#include "support/FileKind.h"
#include "support/diagnostics/Import.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Graph;
using graph::Tensor;

static constexpr std::int64_t kFirstIr = 3, kLastIr = 14;
static constexpr std::int64_t kFirstSet = 6, kLastSet = 26;

static void checkVersions(const ModelParts &model, const std::string &path,
                          DiagnosticEngine &diags) {
  if (model.irVersion < kFirstIr)
    diags
        .report(diag::OnnxVersion, {path},
                "the model's IR version is not supported")
        .found(std::to_string(model.irVersion))
        .expected(std::to_string(kFirstIr) + " to " + std::to_string(kLastIr));
  else if (model.irVersion > kLastIr)
    diags
        .report(diag::OnnxNewerIr, {path},
                "the model's IR version is newer than the known versions")
        .found(std::to_string(model.irVersion))
        .expected("up to " + std::to_string(kLastIr));
  if (model.operatorSets.empty())
    diags
        .report(diag::OnnxVersion, {path},
                "the model does not import an operator set")
        .expected(
            "an opset_import for ai.onnx, which defines the model's nodes")
        .hint("export the model again; the tool that wrote it, or a later "
              "edit, dropped the opset_import");
  auto it = model.operatorSets.find("");
  if (it != model.operatorSets.end() &&
      (it->second < kFirstSet || it->second > kLastSet))
    diags
        .report(diag::OnnxVersion, {path},
                "the version of the model's operator set is not supported")
        .found("version " + std::to_string(it->second) + " of ai.onnx")
        .expected("version " + std::to_string(kFirstSet) + " to " +
                  std::to_string(kLastSet))
        .hint("export the model with an opset_version in this range");
}

/// Null after errors.
static std::unique_ptr<Graph> read(Bytes bytes,
                                   std::shared_ptr<const void> owner,
                                   const std::string &path,
                                   DiagnosticEngine &diags) {
  GraphReader reader(path, std::move(owner), diags);
  ModelParts model;
  if (!reader.parts(bytes, model, "the model"))
    return nullptr;
  if (!model.hasGraph) {
    diags.report(diag::OnnxMalformed, {path}, "the model has no graph")
        .expected("a ModelProto with a graph");
    return nullptr;
  }
  checkVersions(model, path, diags);
  std::unique_ptr<Graph> graph = reader.read(model);
  if (!diags.hasErrors()) {
    checkNodes(*graph, path, diags);
    checkTypes(*graph, path, diags);
    // Of lengths that are open whoever gives them knows better.
    graph->statesShapes = std::ranges::all_of(graph->inputs, &Tensor::isStatic);
  }
  if (!diags.hasErrors() && graph->outputs.empty())
    diags.report(diag::ImportBadGraph, {path}, "the graph has no outputs")
        .expected("one output or more");
  return diags.hasErrors() ? nullptr : std::move(graph);
}

std::unique_ptr<Graph> onnx::parseOnnx(Bytes bytes,
                                       std::shared_ptr<const void> owner,
                                       const std::string &path,
                                       DiagnosticEngine &diags) {
  // The caller's engine may hold errors of other files: judge this one alone.
  DiagnosticEngine own;
  std::unique_ptr<Graph> graph = read(bytes, std::move(owner), path, own);
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return graph;
}

std::unique_ptr<Graph> onnx::readOnnx(const std::string &path,
                                      DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  return file ? readOnnx(file, diags) : nullptr;
}

std::unique_ptr<Graph>
onnx::readOnnx(const std::shared_ptr<const MappedFile> &file,
               DiagnosticEngine &diags) {
  if (!isKind(FileKind::Onnx, file->bytes(), file->path(), diag::OnnxMalformed,
              diags))
    return nullptr;
  return parseOnnx(file->bytes(), file, file->path(), diags);
}

std::optional<graph::Constant>
onnx::parseTensorFile(Bytes bytes, std::shared_ptr<const void> owner,
                      const std::string &path, DiagnosticEngine &diags) {
  TensorReader reader(path, std::move(owner), diags);
  auto tensor = reader.read(bytes, "the file");
  reader.reportExternal();
  if (!tensor || !tensor->foreignType.empty())
    return std::nullopt;
  return tensor->constant;
}
