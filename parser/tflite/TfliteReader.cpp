//===- TfliteReader.cpp - TFLite models as import graphs ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/TfliteReader.h"
#include "parser/tflite/GraphReader.h"
#include "parser/tflite/States.h"
#include "support/FileKind.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Import.h"

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Graph;

namespace {

constexpr std::uint32_t kVersion = 3;

void reportWarnings(const ModelState &model) {
  if (model.numDynamic)
    model.diags
        .report(diag::TfliteDynamicRange, {model.path},
                "integer weights are computed in floats")
        .found(std::to_string(model.numDynamic) +
               " operators with integer weights and float tensors");
  if (model.numStates)
    model.diags
        .report(diag::TfliteFreshState, {model.path},
                "the network's state is reset at every run")
        .found(std::to_string(model.numStates) + " operators that keep a state")
        .hint(model.keepsVariables ? ""
                                   : "keep the state on the device from run to "
                                     "run with --state variables");
}

/// Null after errors in \p diags.
std::unique_ptr<Graph> readModel(FlatFile &file,
                                 std::shared_ptr<const void> owner,
                                 const std::string &path,
                                 DiagnosticEngine &diags, bool inFloats,
                                 bool keepsVariables) {
  ModelState model(path, file, std::move(owner), diags);
  model.inFloats = inFloats;
  model.keepsVariables = keepsVariables;
  if (file.error())
    return nullptr;
  if (model.parts.version != kVersion || model.parts.graphs.empty()) {
    diags
        .report(diag::TfliteMalformed, {path},
                "the model has no graph, or a version that is not supported")
        .found("version " + std::to_string(model.parts.version) + ", " +
               std::to_string(model.parts.graphs.size()) + " graphs")
        .expected("version 3 and a graph");
    return nullptr;
  }
  auto graph = std::make_unique<Graph>();
  graph->file = path;
  auto outputs = GraphReader(model, *graph).read(0, nullptr);
  if (!outputs || diags.hasErrors())
    return nullptr;
  graph->outputs = *outputs;
  if (!joinVariables(*graph, model))
    return nullptr;
  if (graph->outputs.empty()) {
    diags.report(diag::ImportBadGraph, {path}, "the graph has no outputs")
        .expected("one output or more");
    return nullptr;
  }
  reportWarnings(model);
  return graph;
}

} // namespace

std::unique_ptr<Graph> tflite::parseTflite(Bytes bytes,
                                           std::shared_ptr<const void> owner,
                                           const std::string &path,
                                           DiagnosticEngine &diags,
                                           bool inFloats, bool keepsVariables) {
  DiagnosticEngine own;
  FlatFile file(bytes);
  std::unique_ptr<Graph> graph =
      readModel(file, std::move(owner), path, own, inFloats, keepsVariables);
  if (file.error()) {
    // What else was found is of what could not be read.
    diags.report(diag::TfliteMalformed, {path}, "the model is damaged")
        .found(std::string(file.error()) + ", at byte " +
               std::to_string(file.errorOffset()) + " of " +
               std::to_string(bytes.size()));
    return nullptr;
  }
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return graph;
}

std::unique_ptr<Graph> tflite::readTflite(const std::string &path,
                                          DiagnosticEngine &diags,
                                          bool inFloats, bool keepsVariables) {
  auto file = MappedFile::open(path, diags);
  return file ? readTflite(file, diags, inFloats, keepsVariables) : nullptr;
}

std::unique_ptr<Graph>
tflite::readTflite(const std::shared_ptr<const MappedFile> &file,
                   DiagnosticEngine &diags, bool inFloats,
                   bool keepsVariables) {
  if (!isKind(FileKind::Tflite, file->bytes(), file->path(),
              diag::TfliteMalformed, diags))
    return nullptr;
  return parseTflite(file->bytes(), file, file->path(), diags, inFloats,
                     keepsVariables);
}
