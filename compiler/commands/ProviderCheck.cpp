//===- ProviderCheck.cpp - yarrow check --provider ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/ProviderCheck.h"
#include "compiler/driver/DiagnosticPrinter.h"
#include "compiler/provider/Partition.h"
#include "compiler/work/Preflight.h"
#include "support/FileKind.h"
#include "support/diagnostics/Import.h"

#include <nlohmann/json.hpp>

using namespace yarrow;

/// Null after errors.
static std::unique_ptr<provider::ModelGraph>
readGraph(const ProviderCheck &check, const ReadingFlags &reading,
          DiagnosticEngine &diags) {
  auto import = importOptions(reading, diags);
  auto file = MappedFile::open(check.graph, diags);
  if (!import || !file ||
      !isKind(FileKind::Onnx, file->bytes(), file->path(), diag::OnnxMalformed,
              diags))
    return nullptr;
  auto graph = provider::ModelGraph::read(file, diags);
  if (graph)
    for (const auto &[input, shape] : import->shapes)
      graph->setLengths(input, shape);
  return graph;
}

void yarrow::checkProvider(const ProviderCheck &check,
                           const ReadingFlags &reading, Driver &driver) {
  provider::PartSettings settings;
  if (!check.target.empty())
    settings.compile.target = check.target;
  if (!targetAt(settings.compile.target, {"--target"}, driver.diags))
    return;
  std::unique_ptr<provider::ModelGraph> graph;
  provider::Partition partition;
  if (driver.files.check(driver.diags))
    graph = readGraph(check, reading, driver.diags);
  if (graph)
    partition = provider::divide(*graph, provider::PartCompiler(settings), {});
  if (!check.isJson) {
    driver.printNewDiagnostics();
    if (graph)
      driver.printLine(check.graph + ": " +
                       provider::describe(*graph, partition));
    return;
  }
  nlohmann::ordered_json json = {
      {"file", check.graph},
      {"provider",
       graph ? provider::toJson(*graph, partition) : nlohmann::ordered_json()},
      {"errors", driver.diags.numErrors()},
      {"diagnostics", diagnosticsJson(driver.diags)}};
  driver.dropDiagnostics(); // before one about the output itself
  // Names of a model can be any bytes.
  driver.printLine(
      json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
      "\n");
}
