//===- DriverTargets.cpp - Which machine a driver asks for ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/driver/DriverTargets.h"

#include "isa/DriverInterface.h"
#include "isa/SimulatorCode.h"
#include "simulator/engine/Fault.h"
#include "support/diagnostics/Settings.h"

#include <cstdlib>

using namespace yarrow;
using namespace yarrow::driver;

static std::optional<isa::Machine> unknownTarget(int32_t code,
                                                 DiagnosticEngine &diags) {
  diags
      .report(diag::TargetInvalid, {},
              "the driver asks for a target that this simulator does not have")
      .found("code " + sim::hex(uint32_t(code)))
      .expected("the code of a built-in target of version 3 or 3.2")
      .hint("set YARROW_TARGET to a machine's file");
  return std::nullopt;
}

std::optional<isa::Machine> driver::machineOf(int32_t code,
                                              DiagnosticEngine &diags) {
  if (const char *target = std::getenv("YARROW_TARGET"); target && *target)
    return isa::findTarget(target, diags);
  for (const std::string &name : isa::builtinTargetNames()) {
    std::optional<isa::Machine> machine = isa::findTarget(name, diags);
    if (!machine)
      continue;
    if (isa::simulatorCode(*machine) == code)
      return machine;
    if (isa::blockFormatOf(machine->device.version) !=
        isa::BlockFormat::Contiguous)
      continue;
    // There need not be a target for each number of cores.
    machine->cores = isa::coresOfSimulatorCode(code);
    if (isa::simulatorCode(*machine) != code)
      continue;
    machine->name += "MP" + std::to_string(machine->cores);
    return machine;
  }
  return unknownTarget(code, diags);
}
