//===- Lower.cpp - From layers to engine commands -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/Lower.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/Graphs.h"
#include "isa/ElfLayout.h"
#include "passes/lower/commands/Lowering.h"
#include "support/diagnostics/Compiler.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

bool Lowering::run() {
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       diag::CompileFailed);
  size_t errorsBefore = diags.numErrors();
  auto func = compass::mainGraph(module);
  builder.setInsertionPointToEnd(module.getBody());
  auto out = func::FuncOp::create(builder, loc, kMainFunction,
                                  builder.getFunctionType({}, {}));
  Block *body = out.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  // Buffers come first; commands follow after this terminator-to-be.
  Operation *ret = func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(ret);
  Operation *mark = func::ReturnOp::create(builder, loc);
  bufferBuilder.setInsertionPoint(mark);
  createStates(func);
  // Regions of what a caller gives and gets, in this order; those of states
  // follow.
  SmallVector<unsigned> inputs = compass::callerInputs(func),
                        outputs = compass::callerOutputs(func);
  auto io = [&](size_t index, Value v) {
    Tensor t;
    t.info = compass::describe(v);
    t.buffer = createBuffer(bufferBuilder, loc, isa::kFirstIoRegion + index,
                            t.sizeBytes(), compass::tensorNameOf(v));
    return t;
  };
  auto input = [&](unsigned i, Value v) {
    for (const KeptState &kept : states)
      if (kept.state.input == i)
        return kept.home;
    return io(size_t(llvm::find(inputs, i) - inputs.begin()), v);
  };
  auto output = [&](unsigned i, Value v) {
    if (const KeptState *kept = stateOfOutput(func, i))
      return kept->home;
    return io(inputs.size() + size_t(llvm::find(outputs, i) - outputs.begin()),
              v);
  };
  lowerGraph(func, {input, output});
  mark->erase();
  if (isTrial())
    return diags.numErrors() == errorsBefore;
  // Places of tensors that came to lie in others', or to exist only in parts.
  for (BufferOp buffer : llvm::make_early_inc_range(out.getOps<BufferOp>()))
    if (buffer.use_empty() && buffer.getRegion() < isa::kFirstIoRegion)
      buffer.erase();
  module->setAttr(kLayersAttr, layerTable(layers, builder));
  module->setAttr(kTilingsAttr, builder.getArrayAttr(tilings));
  return diags.numErrors() == errorsBefore;
}

bool npu::lowerToNpu(ModuleOp module, const isa::Machine &machine,
                     const LowerOptions &options,
                     yarrow::DiagnosticEngine &diags) {
  WeightStreams streams(machine);
  return lowerToNpu(module, machine, options, streams, diags);
}

/// As lowerToNpu; a trial gets the commands, if there is one.
static bool lower(ModuleOp module, const isa::Machine &machine,
                  const LowerOptions &options, WeightStreams &streams,
                  const Trial &trial, yarrow::DiagnosticEngine &diags) {
  module.getContext()->loadDialect<NpuDialect, func::FuncDialect>();
  if (auto earlier = module.lookupSymbol<func::FuncOp>(kMainFunction))
    earlier.erase();
  LowerOptions enabled = withoutDisabled(options, module);
  if (Lowering(module, machine, enabled, streams, trial, diags).run())
    return true;
  if (auto partial = module.lookupSymbol<func::FuncOp>(kMainFunction))
    partial.erase();
  return false;
}

bool npu::lowerToNpu(ModuleOp module, const isa::Machine &machine,
                     const LowerOptions &options, WeightStreams &streams,
                     yarrow::DiagnosticEngine &diags) {
  return lower(module, machine, options, streams, Trial(), diags);
}

bool npu::lowerForTrial(ModuleOp module, const isa::Machine &machine,
                        LowerOptions options, WeightStreams &streams,
                        TrialMemo &memo, TrialCommands &trial,
                        yarrow::DiagnosticEngine &diags) {
  options.isTrial = true;
  return lower(module, machine, options, streams, {&trial, &memo}, diags);
}
