//===- CycleCount.cpp - What a network takes on a target ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/CycleCount.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/NpuRunner.h"
#include "support/MemoryFile.h"

using namespace yarrow;
using namespace yarrow::runtime;

/// Compiles in a context of its own: what lowering adds to one stays until the
/// context goes, and a search compiles many times.
static std::shared_ptr<const Executable>
compileApart(mlir::ModuleOp network, const isa::Machine &machine,
             const CompileOptions &options, DiagnosticEngine &diags) {
  MemoryFile textFile("net.txt"), binFile("net.bin"), exeFile("aipu.bin");
  std::string text = textFile.path(), bin = binFile.path(),
              executable = exeFile.path();
  if (!compass::writeCompassIr(network, text, bin, diags))
    return nullptr;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> copy =
      readModel(*context, text, bin, diags);
  if (!copy || !compileNetwork(*copy, machine, options, executable, diags))
    return nullptr;
  return Executable::open(executable, diags);
}

static std::optional<Report> compileAndRun(mlir::ModuleOp network,
                                           const isa::Machine &machine,
                                           const CompileOptions &options,
                                           DiagnosticEngine &diags) {
  std::shared_ptr<const Executable> model =
      compileApart(network, machine, options, diags);
  if (!model)
    return std::nullopt;
  SimulationOptions session;
  session.timed = true;
  std::unique_ptr<Session> run = simulatedSession(model, session, diags);
  IoBytes inputs;
  for (const IoDescription &input : model->inputs())
    inputs.emplace_back(input.sizeBytes);
  if (!run || !setInputs(*run, inputs, diags))
    return std::nullopt;
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
                                          DiagnosticEngine &diags) {
  // Warnings name a file that is gone, and a search would repeat them for each
  // network that it tries.
  DiagnosticEngine own;
  std::optional<Report> report = compileAndRun(network, machine, options, own);
  for (const Diagnostic &d : own.all())
    if (d.isError())
      diags.add(d);
  return report;
}
