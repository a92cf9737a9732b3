//===- MachineText.h - A stopped run as text --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the debugger says of the run that a Stepper holds: where it is, its
// layers, commands, units and registers.
//
//   MachineText text(executable, stepper, width);
//   os << text.stopLine(point) << text.layers();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DEBUG_MACHINETEXT_H
#define YARROW_COMPILER_DEBUG_MACHINETEXT_H

#include "runtime/Stepper.h"

namespace yarrow {

class MachineText {
public:
  MachineText(const runtime::Executable &executable,
              const runtime::Stepper &stepper, std::size_t width)
      : executable(executable), origin(executable.provenance()),
        stepper(stepper), width(width) {}

  /// "stopped before tensor engine command 3, layer conv (net.txt:20), cycle
  /// 1,234"
  std::string stopLine(const runtime::RunPoint &point) const;
  /// The command or instruction that comes next.
  std::string nextText(const runtime::RunPoint &point) const;
  /// What the layer reads and computes.
  std::string tensorsOf(int64_t layer, uint32_t core) const;

  std::string units() const;
  /// Of each TEC that has begun: its pc, and registers that are not 0 if they
  /// are wanted.
  std::string tecs(bool needsRegisters) const;
  std::string layers() const;
  std::string tensors(uint32_t core) const;
  std::string regions(uint32_t core) const;
  std::string breakpoints(const runtime::StopConditions &conditions) const;
  std::string breakpointText(const runtime::Breakpoint &breakpoint) const;
  /// Those of \p names, or all.
  std::string registers(uint32_t tec, const runtime::TecRegisters &registers,
                        const std::vector<std::string> &names) const;
  std::string commands(isa::Unit unit, uint64_t first, uint64_t count,
                       std::optional<runtime::CommandId> present) const;
  std::string commandsOf(int64_t layer,
                         std::optional<runtime::CommandId> present) const;
  std::string instructions(uint32_t core, uint32_t address, uint64_t count,
                           std::optional<uint32_t> pc) const;

  std::string layerText(int64_t layer) const;

private:
  std::string commandLine(runtime::CommandId command) const;
  std::string wrapped(std::string_view words, std::size_t indent) const;

  const runtime::Executable &executable;
  const runtime::Provenance &origin;
  const runtime::Stepper &stepper;
  std::size_t width;
};

} // namespace yarrow

#endif // YARROW_COMPILER_DEBUG_MACHINETEXT_H
