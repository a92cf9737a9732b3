//===- CycleCount.cpp - What a network takes on a target ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/CycleCount.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/NpuRunner.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace yarrow;
using namespace yarrow::runtime;

namespace {

/// A folder for the files of one run, removed with all that is in it.
class TemporaryFolder {
public:
  explicit TemporaryFolder(DiagnosticEngine &diags) {
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("yarrow", path))
      diags
          .report(DiagId::FileUnwritable, {std::string(path)},
                  "no temporary folder can be made")
          .found(error.message());
    else
      isMade = true;
  }
  ~TemporaryFolder() {
    if (isMade)
      (void)llvm::sys::fs::remove_directories(path); // nobody would mend it
  }
  explicit operator bool() const { return isMade; }
  std::string file(const char *name) const { return (path + "/" + name).str(); }

private:
  llvm::SmallString<128> path;
  bool isMade = false;
};

} // namespace

/// Compiles in a context of its own: what lowering adds to one stays until the
/// context goes, and a search compiles many times.
static std::shared_ptr<const Executable>
compileApart(mlir::ModuleOp network, const isa::Machine &machine,
             const CompileOptions &options, const TemporaryFolder &folder,
             DiagnosticEngine &diags) {
  std::string text = folder.file("net.txt"), bin = folder.file("net.bin"),
              executable = folder.file("aipu.bin");
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
  TemporaryFolder folder(diags);
  if (!folder)
    return std::nullopt;
  std::shared_ptr<const Executable> model =
      compileApart(network, machine, options, folder, diags);
  if (!model)
    return std::nullopt;
  SessionOptions session;
  session.timed = true;
  std::unique_ptr<Session> run = Session::create(model, session, diags);
  IoBytes inputs;
  for (const IoDescription &input : model->inputs())
    inputs.emplace_back(input.sizeBytes);
  if (!run || !setInputs(*run, inputs, diags))
    return std::nullopt;
  Recorder recorder;
  run->device().setObserver(&recorder);
  bool ok = run->run(diags);
  run->device().setObserver(nullptr);
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
