//===- CycleCount.cpp - What a network takes on a target ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/CycleCount.h"
#include "compiler/pipeline/Context.h"
#include "runtime/SimulatedDevice.h"

using namespace yarrow;
using namespace yarrow::runtime;

/// The executable's bytes; nullopt after errors.
///
/// Compiles in a context of its own: what lowering adds to one stays until the
/// context goes, and a search compiles many times.
static std::optional<std::string>
compileApart(mlir::ModuleOp network, const isa::Machine &machine,
             const CompileOptions &options, yarrow::DiagnosticEngine &diags) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> copy = shareWith(*context, network);
  return compileToRun(*copy, machine, options, diags, /*isTrial=*/true);
}

std::optional<Report> yarrow::cyclesOf(std::string_view executable,
                                       yarrow::DiagnosticEngine &diags) {
  std::shared_ptr<const Executable> model =
      Executable::parse(executable, "aipu.bin", diags);
  if (!model)
    return std::nullopt;
  SimulationOptions session;
  session.timed = true;
  std::unique_ptr<Session> run = simulatedSession(model, session, diags);
  if (!run)
    return std::nullopt;
  for (std::size_t i = 0; i < model->inputs().size(); ++i) {
    std::vector<std::byte> zeros(model->inputs()[i].sizeBytes);
    if (!run->setInput(i, zeros, diags))
      return std::nullopt;
  }
  Recorder recorder;
  run->device().observe(&recorder);
  bool ok = run->run(diags);
  run->device().observe(nullptr);
  if (!ok)
    return std::nullopt;
  return makeReport(*model, run->device().machine(), recorder.run());
}

std::optional<Report> yarrow::countCycles(mlir::ModuleOp network,
                                          const isa::Machine &machine,
                                          const CompileOptions &options,
                                          yarrow::DiagnosticEngine &diags) {
  // A search would repeat warnings for each network that it tries.
  yarrow::DiagnosticEngine own;
  std::optional<std::string> bytes =
      compileApart(network, machine, options, own);
  std::optional<Report> report = bytes ? cyclesOf(*bytes, own) : std::nullopt;
  for (const yarrow::Diagnostic &d : own.all())
    if (d.isError())
      diags.add(d);
  return report;
}

FormCost yarrow::simulatedCost(const isa::Machine &machine,
                               CompileOptions options,
                               yarrow::DiagnosticEngine &diags) {
  // How well the weights of each form happen to encode decides nothing: a form
  // rounds its weights, and cycles that only an encoding saves do not pay for
  // that. A search saves the encoding of each trial, too.
  options.disabled.push_back(npu::Optimization::CompressWeights);
  return
      [&machine, &diags, options = std::move(options)](mlir::ModuleOp network) {
        return countCycles(network, machine, options, diags);
      };
}
