//===- Compile.cpp - Executables from networks --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Compile.h"
#include "compiler/pipeline/Context.h"
#include "compiler/quantize/FormOptions.h"
#include "compiler/work/Preflight.h"
#include "support/diagnostics/Settings.h"

using namespace yarrow;

std::shared_ptr<const session::Executable>
session::Executable::make(std::string_view bytes, const std::string &name,
                          DiagnosticEngine &diags) {
  std::shared_ptr<session::Executable> executable(new session::Executable());
  executable->model = runtime::Executable::copyOf(bytes, name, diags);
  return executable->model ? executable : nullptr;
}

std::shared_ptr<const session::Executable>
session::Executable::open(const std::string &path, DiagnosticEngine &diags) {
  std::shared_ptr<session::Executable> executable(new session::Executable());
  executable->model = runtime::Executable::open(path, diags);
  return executable->model ? executable : nullptr;
}

static std::optional<std::string>
compileNow(const session::Network &network,
           const session::CompileSettings &settings, const session::Call &call,
           CompileResult &result) {
  auto machine = targetAt(settings.target, {"target"}, call.diags);
  if (!machine)
    return std::nullopt;
  auto options = optionsOf(settings, call.diags);
  if (!options)
    return std::nullopt;
  options->chooseForms = exactForms({formUseOf(settings.winograd)}, *machine,
                                    *options, call.work());
  std::unique_ptr<mlir::MLIRContext> own = makeContext();
  session::Variants copies = network.copyInto(*own);
  if (copies.size() > 1 && options->samples > 1) {
    call.diags.report(diag::UsageInvalid, {},
                      "batch cannot be used with several shapes");
    return std::nullopt;
  }
  std::vector<mlir::ModuleOp> modules;
  for (mlir::OwningOpRef<mlir::ModuleOp> &copy : copies)
    modules.push_back(*copy);
  return compileInMemory(modules, *machine, *options, call.diags, &result);
}

std::shared_ptr<const session::Executable>
session::compile(const Network &network, const CompileSettings &settings,
                 const Call &call) {
  std::shared_ptr<session::Executable> executable;
  bool isDone = call.run([&] {
    CompileResult result;
    auto bytes = compileNow(network, settings, call, result);
    if (!bytes)
      return;
    executable.reset(new session::Executable());
    executable->numbers = result;
    executable->model =
        runtime::Executable::copyOf(*bytes, network.name(), call.diags);
  });
  return isDone && executable && executable->model ? executable : nullptr;
}
