//===- FaultReport.cpp - Why a device stopped, in terms of the network ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/FaultReport.h"

#include "runtime/TecImage.h"
#include "simulator/engine/Fault.h"
#include "support/Format.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Simulator.h"

using namespace yarrow;
using namespace yarrow::runtime;
using sim::FaultSite;

namespace {
class Reporter {
public:
  Reporter(const Executable &executable, uint32_t textAddress)
      : executable(executable), origin(executable.provenance()),
        symbols(TecImage::symbolsOf(executable.tecElf(), textAddress)) {}

  Place place(int64_t layer) const {
    if (layer < 0)
      return {executable.name()};
    const ProvenanceLayer &l = origin.layers[size_t(layer)];
    return {l.file.empty() ? executable.name() : l.file, unsigned(l.line),
            l.name};
  }

  int64_t layerOf(const FaultSite &site) const {
    return site.kind == FaultSite::Engine
               ? origin.layerAt(site.descriptorOffset)
           : site.kind == FaultSite::Tec ? origin.layerOfStep(site.ordinal)
                                         : -1;
  }

  /// " of layer 'conv1'", or "".
  std::string layerText(int64_t layer) const {
    return layer < 0 ? ""
                     : " of layer '" + origin.layers[size_t(layer)].name + "'";
  }

  /// "pc 0x00001040 in step.3.yk_lut+0x24"
  std::string pcText(uint32_t pc) const {
    std::string symbol = symbols.describe(pc);
    return "pc " + sim::hex(pc) + (symbol.empty() ? "" : " in " + symbol);
  }

  /// The program has looked for a variant in vain.
  bool isUnknownShape(const FaultSite &site) const {
    const TecSymbol *symbol =
        site.kind == FaultSite::Tec ? symbols.find(site.pc) : nullptr;
    return symbol && symbol->name == isa::kChooseFunction &&
           !executable.variants().empty();
  }
  /// "one of 2: [1,8], [1,16]", inputs of a variant with a semicolon between.
  std::string variantsText() const {
    std::string text =
        "one of " + std::to_string(executable.variants().size()) + ":";
    for (const ProvenanceVariant &variant : executable.variants()) {
      text += &variant == &executable.variants().front() ? " " : ", ";
      for (const std::vector<int64_t> &shape : variant.inputs)
        text +=
            (&shape == &variant.inputs.front() ? "" : ";") + shapeText(shape);
    }
    return text;
  }

  std::string deadlockText(const sim::Deadlock &deadlock) const {
    std::string text;
    auto add = [&](const std::string &line) {
      text += (text.empty() ? "" : "; ") + line;
    };
    for (const sim::BlockedTec &t : deadlock.tecs)
      add("TEC " + std::to_string(t.tec) + " " + sim::waitText(t) + ", at " +
          pcText(t.pc) + layerText(origin.layerOfStep(t.step)));
    for (const sim::BlockedCommand &c : deadlock.commands)
      add(std::string(isa::name(c.queue)) + " command " +
          std::to_string(c.ordinal) +
          layerText(origin.layerAt(c.descriptorOffset)) + " at " +
          sim::hex(c.descriptorAddress) + " " +
          sim::waitText(c, deadlock.values));
    return text;
  }

private:
  const Executable &executable;
  const Provenance &origin;
  TecSymbols symbols;
};
} // namespace

DiagId runtime::faultCode(FaultSite::Cause cause) {
  switch (cause) {
  case FaultSite::Memory:
    return diag::MemoryFault;
  case FaultSite::Budget:
    return diag::InstructionLimit;
  case FaultSite::Limit:
    return diag::DeviceLimit;
  default:
    return diag::SimulatorFault;
  }
}

void runtime::reportFault(const Executable &executable,
                          const DeviceFault &fault, uint32_t textAddress,
                          DiagnosticEngine &diags) {
  Reporter reporter(executable, textAddress);
  const FaultSite &site = fault.site;
  if (site.cause == FaultSite::Deadlock) {
    const sim::Deadlock &deadlock = fault.deadlock;
    int64_t layer = -1;
    if (!deadlock.commands.empty())
      layer = executable.provenance().layerAt(
          deadlock.commands[0].descriptorOffset);
    else if (!deadlock.tecs.empty())
      layer = executable.provenance().layerOfStep(deadlock.tecs[0].step);
    diags
        .report(diag::Deadlock, reporter.place(layer),
                "deadlock: no TEC and no engine can continue")
        .found(reporter.deadlockText(deadlock));
    return;
  }
  if (reporter.isUnknownShape(site)) {
    diags
        .report(diag::TensorMismatch, {executable.name()},
                "the executable has no program for inputs of these shapes")
        .expected(reporter.variantsText())
        .hint("choose the shapes with `yarrow compile --input-shape-range`");
    return;
  }
  Diagnostic &d =
      diags.report(faultCode(site.cause),
                   reporter.place(reporter.layerOf(site)), fault.text);
  if (site.kind == FaultSite::Tec)
    d.found(reporter.pcText(site.pc));
  if (site.cause == FaultSite::Budget)
    d.hint("allow more with --budget; Yarrow's programs end within the "
           "default, unless the network is huge and computes in floats");
}
