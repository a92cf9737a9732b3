//===- Compile.cpp - Executables from networks --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Compile.h"
#include "compiler/forms/CycleCount.h"
#include "compiler/quantize/FormOptions.h"
#include "compiler/work/Preflight.h"
#include "support/diagnostics/Settings.h"

using namespace yarrow;

std::shared_ptr<const session::Executable>
session::Executable::make(std::string_view bytes, const std::string &name,
                          DiagnosticEngine &diags,
                          const std::optional<CompileResult> &numbers) {
  std::shared_ptr<session::Executable> executable(new session::Executable());
  executable->numbers = numbers;
  executable->model = runtime::Executable::copyOf(bytes, name, diags);
  return executable->model ? executable : nullptr;
}

std::shared_ptr<const session::Executable>
session::Executable::open(const std::string &path, DiagnosticEngine &diags) {
  std::shared_ptr<session::Executable> executable(new session::Executable());
  executable->model = runtime::Executable::open(path, diags);
  return executable->model ? executable : nullptr;
}

namespace {

/// A network on its way to a machine.
class Compilation {
public:
  Compilation(session::OwnNetwork given,
              const session::CompileSettings &settings,
              const session::Call &call)
      : network(std::move(given)), settings(settings), call(call) {}
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// False after errors.
  bool prepare();
  bool toFiles(const session::CompileFiles &files);
  /// Nullopt or null after errors, as the others.
  std::optional<std::string> inMemory();
  mlir::OwningOpRef<mlir::ModuleOp> until(const std::string &last) {
    return yarrow::compileUntil(network.modules().back(), *machine, options,
                                last, call.diags);
  }
  std::optional<std::string> asTrial(DiagnosticEngine &diags) {
    return compileToRun(network.modules().back(), *machine, options, diags,
                        /*isTrial=*/true);
  }

  /// None after errors, and of what is compiled to be run and forgotten.
  const std::optional<CompileResult> &numbers() const { return result; }

  session::OwnNetwork network;
  std::optional<FormDecision> forms;

private:
  const session::CompileSettings &settings;
  const session::Call &call;
  std::optional<isa::Machine> machine;
  CompileOptions options;
  std::optional<CompileResult> result;
};

} // namespace

bool Compilation::prepare() {
  machine = settings.machine
                ? settings.machine
                : targetAt(settings.target, {"target"}, call.diags);
  auto asked = machine ? optionsOf(settings, call.diags) : std::nullopt;
  if (!asked)
    return false;
  options = std::move(*asked);
  FormSettings use =
      settings.forms.value_or(FormSettings{formUseOf(settings.winograd)});
  options.chooseForms =
      exactForms(use, *machine, options, call.work(),
                 [this](const FormDecision &decision) { forms = decision; });
  if (network.variants.size() == 1 || options.samples == 1)
    return true;
  call.diags.report(diag::UsageInvalid, {},
                    "batch cannot be used with several shapes");
  return false;
}

bool Compilation::toFiles(const session::CompileFiles &files) {
  options.dumpNpuPath = files.npuDump;
  options.weightFile = files.weights;
  std::vector<mlir::ModuleOp> modules = network.modules();
  CompileResult found;
  bool isDone = modules.size() == 1
                    ? compileNetwork(modules.front(), *machine, options,
                                     files.executable, call.diags, &found)
                    : compileVariants(modules, *machine, options,
                                      files.executable, call.diags, &found);
  if (isDone)
    result = found;
  return isDone;
}

std::optional<std::string> Compilation::inMemory() {
  std::vector<mlir::ModuleOp> modules = network.modules();
  if (!settings.warnsOfSpeed && modules.size() == 1)
    return compileToRun(modules.front(), *machine, options, call.diags);
  CompileResult found;
  auto bytes = compileInMemory(modules, *machine, options, call.diags, &found);
  if (bytes)
    result = found;
  return bytes;
}

static std::shared_ptr<const session::Executable>
compileNow(session::OwnNetwork network, const std::string &name,
           const session::CompileSettings &settings,
           const session::Call &call) {
  Compilation compilation(std::move(network), settings, call);
  auto bytes = compilation.prepare() ? compilation.inMemory() : std::nullopt;
  return bytes ? session::Executable::make(*bytes, name, call.diags,
                                           compilation.numbers())
               : nullptr;
}

std::shared_ptr<const session::Executable>
session::compile(const Network &network, const CompileSettings &settings,
                 const Call &call) {
  std::shared_ptr<const session::Executable> executable;
  bool isDone = call.run([&] {
    executable =
        compileNow(OwnNetwork(network), network.name(), settings, call);
  });
  return isDone ? executable : nullptr;
}

std::shared_ptr<const session::Executable>
session::compile(std::shared_ptr<const Network> network,
                 const CompileSettings &settings, const Call &call) {
  std::shared_ptr<const session::Executable> executable;
  bool isDone = call.run([&] {
    std::string name = network->name();
    executable =
        compileNow(OwnNetwork(std::move(network)), name, settings, call);
  });
  return isDone ? executable : nullptr;
}

session::Compiled
session::compileToFiles(std::shared_ptr<const Network> network,
                        const CompileSettings &settings,
                        const CompileFiles &files, const Call &call) {
  Compiled compiled;
  call.run([&] {
    Compilation compilation(OwnNetwork(std::move(network)), settings, call);
    if (compilation.prepare())
      (void)compilation.toFiles(files);
    compiled.forms = std::move(compilation.forms);
    compiled.numbers = compilation.numbers();
  });
  return compiled;
}

session::PhaseModule
session::compileUntil(std::shared_ptr<const Network> network,
                      const CompileSettings &settings, const std::string &last,
                      const Call &call) {
  PhaseModule stopped;
  call.run([&] {
    Compilation compilation(OwnNetwork(std::move(network)), settings, call);
    auto module = compilation.prepare() ? compilation.until(last) : nullptr;
    stopped.constants = compilation.network.origin();
    stopped.context = std::move(compilation.network.context);
    stopped.module = std::move(module);
    stopped.forms = std::move(compilation.forms);
  });
  return stopped;
}

std::optional<runtime::Report>
session::countCycles(const Network &network, const CompileSettings &settings,
                     const Call &call) {
  std::optional<runtime::Report> report;
  DiagnosticEngine own;
  Call quiet = call.toldTo(own);
  quiet.run([&] {
    std::optional<std::string> bytes;
    {
      Compilation compilation(OwnNetwork(network), settings, quiet);
      if (compilation.prepare())
        bytes = compilation.asTrial(own);
    }
    if (bytes)
      report = cyclesOf(*bytes, own);
  });
  for (const Diagnostic &d : own.all())
    if (d.isError())
      call.diags.add(d);
  return report;
}
