//===- Import.cpp - Import graphs as modules of layers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Import.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "parser/graph/AbsorbQuantization.h"
#include "parser/graph/Bind.h"
#include "parser/graph/EmitGraph.h"
#include "parser/graph/Emitter.h"
#include "parser/graph/Fold.h"
#include "parser/graph/Fuse.h"
#include "parser/graph/Layout.h"
#include "parser/graph/StatedShapes.h"
#include "parser/graph/States.h"
#include "parser/graph/Stored.h"
#include "support/diagnostics/Import.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// The header that the reference parser writes.
static ArrayAttr header(Builder &b, const ImportOptions &options) {
  SmallVector<mlir::Attribute> entries;
  for (auto [key, text] :
       {std::pair<StringRef, StringRef>{"model_name", options.modelName},
        {"model_domain", options.modelDomain},
        {"layer_number", "0"},
        {"precision", "float32"},
        {"compat_quantized_model", "false"},
        {"model_bin", "./model.bin"},
        {"input_tensors", ""},
        {"output_tensors", ""}})
    entries.push_back(b.getStrArrayAttr({key, text}));
  return b.getArrayAttr(entries);
}

/// The quantized operators that no integers compute.
static void reportFloats(const Graph &graph, yarrow::DiagnosticEngine &diags) {
  for (const auto &[node, why] : leftInFloats(graph))
    diags
        .report(diag::ImportNotStored, {graph.file + ": " + node->describe()},
                node->op + " is computed in floats")
        .found(why)
        .expected("constants for the whole tensor, 8 or 16 bits");
}

static std::vector<std::string> namesOf(const std::vector<Tensor *> &tensors) {
  std::vector<std::string> names;
  for (const Tensor *tensor : tensors)
    names.push_back(tensor->name);
  return names;
}

static bool importInto(ImportState &state, Graph &graph,
                       const ImportOptions &options) {
  if (!bind(graph, options, state.diags))
    return false;
  if (!nameStates(graph, options.states, state.diags))
    return false;
  // Boxes of a detection take the place of outputs.
  if (options.detection)
    std::erase_if(graph.states, [](const State &s) { return s.isGuessed; });
  // What is folded and dropped from here on changes tensors, not their number.
  std::vector<std::string> outputs = namesOf(graph.outputs);
  // A picture of another size is what the user wants.
  if (!options.preprocess.empty())
    graph.statesShapes = false;
  if (!addPreprocessing(graph, options.preprocess, state.diags))
    return false;
  if (!checkOperators(graph, state.diags))
    return false;
  dropIdentities(graph, state.passedOn);
  absorbQuantization(graph);
  if (options.inFloats)
    forgetStored(graph);
  else
    reportFloats(graph, state.diags);
  if (!fold(graph, state) ||
      (graph.statesShapes && !checkStatedShapes(graph, state.diags)))
    return false;
  dropNodes(graph, state.unchanged, state.passedOn);
  dropUnused(graph);
  if (options.fuses)
    fuse(graph);
  dropUnused(graph);
  if (!checkStates(graph, state.diags))
    return false;
  chooseLayouts(graph);
  // The names that trials took are free again.
  state.names = LayerNames();
  state.numSubgraphs = 0;
  if (!emitGraph(graph, compass::kMainGraph, state))
    return false;
  // Boxes of a detection are not what the model gives.
  compass::setModelNames(state.module, namesOf(graph.inputs),
                         state.detection ? std::vector<std::string>()
                                         : outputs);
  return true;
}

OwningOpRef<ModuleOp> graph::importGraph(MLIRContext &context, Graph &graph,
                                         const ImportOptions &options,
                                         DiagnosticEngine &diags) {
  DialectRegistry registry;
  compass::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  // The caller's engine may hold errors of other files: judge this one alone.
  yarrow::DiagnosticEngine own;
  Builder b(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  (*module)->setAttr(compass::kHeaderAttr, header(b, options));
  {
    compass::DiagnosticForwarder forward(&context, own, diag::ImportBadNode);
    ImportState state{context, own, *module, graph.file,       {},
                      {},      {},  0,       options.mostTrips};
    if (options.detection)
      state.detection = &*options.detection;
    state.imported = options.names;
    bool isImported = importInto(state, graph, options) && !own.hasErrors();
    // No input may fail without a word.
    if (!isImported && !own.hasErrors())
      own.report(diag::ImportBadGraph, {graph.file},
                 "the model could not be converted to a network");
    if (isImported && !options.inFloats)
      storeTensors(state, graph.roundsExactly ? CastReads::Numbers
                                              : CastReads::Integers);
    if (graph.roundsExactly && compass::isCompat(*module))
      compass::setRoundsExactly(*module);
    if (own.hasErrors() || failed(verify(*module)))
      module = nullptr;
  }
  for (const yarrow::Diagnostic &d : own.all())
    diags.add(d);
  return module;
}
