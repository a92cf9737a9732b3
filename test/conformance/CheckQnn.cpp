//===- CheckQnn.cpp - Integer networks as QNN graphs and back -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An integer network becomes a QNN graph and that becomes integer IR again:
// each layer must give the same integers, on those that the IR's own layers
// give, and the whole must give the same outputs.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compat.h"
#include "parser/qnn/QnnImport.h"
#include "parser/qnn/export/QnnExport.h"
#include "quantizer/prequantized/Prequantized.h"
#include "test/conformance/QdqIntegers.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::conformance;

/// How many bytes of all outputs differ, of how many.
static std::optional<std::string> compareWhole(const Pack &pack,
                                               mlir::ModuleOp original,
                                               mlir::ModuleOp imported,
                                               DiagnosticEngine &diags) {
  auto mine = Evaluator::create(original, diags),
       other = Evaluator::create(imported, diags);
  if (!mine || !other)
    return std::nullopt;
  for (auto [a, b] : llvm::zip_equal(mine->inputs(), other->inputs()))
    if (compass::describe(a).sizeBytes() != compass::describe(b).sizeBytes())
      return "inputs of another size";
  size_t differing = 0, all = 0;
  for (const Sample &sample : pack.intSamples(diags)) {
    auto inputs = inputsOf(mine->inputs(), sample, diags);
    if (!inputs)
      return std::nullopt;
    std::vector<compass::TensorBytesRef> views(inputs->begin(), inputs->end());
    std::vector<compass::TensorBytes> expected, found;
    if (mine->run(views, expected) || other->run(views, found))
      return std::nullopt;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (found[i].size() != expected[i].size())
        return "outputs of another size";
      for (size_t k = 0; k < found[i].size(); ++k)
        differing += found[i][k] != expected[i][k];
      all += found[i].size();
    }
  }
  return "outputs: " + std::to_string(differing) + " of " +
         std::to_string(all) + " bytes differ";
}

Outcome conformance::checkQnn(const Pack &pack, const Options &) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  auto module = readPack(context, pack, "int", outcome);
  if (!module)
    return outcome;
  DiagnosticEngine diags;
  qnn::ExportSummary summary;
  auto model = qnn::qnnModelOf(*module, summary, diags);
  if (!model)
    return outcomeOf(diags);
  std::vector<graph::ImportedTensor> names;
  graph::ImportOptions options;
  options.names = &names;
  auto imported = qnn::importQnnModel(context, *model, options, diags);
  if (!imported || (compass::isCompat(*imported) &&
                    !convertPrequantized(*imported, {}, diags)))
    return Outcome::fail(diags.all().empty() ? "not imported"
                                             : diags.all().front().str());
  for (graph::ImportedTensor &name : names)
    name.name = summary.names[name.name] + "_quantized";
  outcome = compareIntegers(pack, *module, *imported, names, diags);
  auto whole = compareWhole(pack, *module, *imported, diags);
  if (!whole)
    return outcomeOf(diags);
  outcome.text += "; " + *whole + "; " +
                  std::to_string(summary.otherMultipliers) +
                  " layers with other multipliers";
  return outcome;
}
