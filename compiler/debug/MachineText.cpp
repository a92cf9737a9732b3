//===- MachineText.cpp - A stopped run as text ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/MachineText.h"

#include "compiler/debug/MemoryText.h"
#include "compiler/debug/Places.h"
#include "isa/TecInsts.h"
#include "support/Format.h"
#include "support/TextTable.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

std::string MachineText::layerText(int64_t layer) const {
  if (layer < 0)
    return "(no layer)";
  const ProvenanceLayer &l = origin.layers[std::size_t(layer)];
  return l.file.empty()
             ? l.name
             : l.name + " (" + l.file + ":" + std::to_string(l.line) + ")";
}

std::string MachineText::wrapped(std::string_view words,
                                 std::size_t indent) const {
  words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
  std::string text;
  std::size_t room = std::max<std::size_t>(width, indent + 40) - indent;
  for (const std::string &line :
       wrapText(words, std::min<std::size_t>(room, 96)))
    text += std::string(indent, ' ') + line + "\n";
  return text;
}

//===--- Where it is ------------------------------------------------------===//

std::string MachineText::stopLine(const RunPoint &point) const {
  std::string what;
  if (point.isInstruction) {
    std::string symbol = stepper.symbols().describe(point.pc);
    what = "TEC " + std::to_string(point.tec) + " at " + addressText(point.pc);
    if (!symbol.empty())
      what += " in " + symbol;
    if (point.command)
      what += ", step " + std::to_string(point.command->index) + " (" +
              origin.steps[point.command->index].kernel + ")";
  } else {
    what = point.command ? commandName(*point.command) : "a command";
    if (executable.machine().cores > 1)
      what += " of core " + std::to_string(point.core);
  }
  return "stopped before " + what + ", layer " + layerText(point.layer) +
         ", cycle " + formatCount(point.cycle) + "\n";
}

std::string MachineText::nextText(const RunPoint &point) const {
  if (!point.isInstruction)
    return wrapped(isa::disassemble(*point.descriptor), 2);
  return instructions(point.core, point.pc, 1, point.pc);
}

std::string MachineText::tensorsOf(int64_t layer, uint32_t core) const {
  if (layer < 0)
    return "";
  std::string text;
  const ProvenanceLayer &l = origin.layers[std::size_t(layer)];
  for (const std::string &name : l.reads) {
    auto index = stepper.tensors().find(name);
    text += "  reads    " +
            (index ? tensorSummary(stepper.tensors().all()[*index],
                                   stepper.look(*index, core))
                   : name + ": not in memory as a whole") +
            "\n";
  }
  for (const ProvenanceValue &result : l.results) {
    auto index = stepper.tensors().find(result.name);
    text += "  computes " +
            (index ? tensorSummary(stepper.tensors().all()[*index],
                                   stepper.look(*index, core))
                   : result.name + ": not in memory as a whole") +
            "\n";
  }
  return text;
}

std::string MachineText::units() const {
  std::string text;
  for (unsigned q = 0; q < isa::kNumQueues; ++q) {
    uint64_t done = stepper.doneBy(isa::Unit(q));
    uint64_t all = stepper.commandsOf(isa::Unit(q));
    text += "  " + std::string(isa::name(isa::Unit(q))) + ": ";
    // Loops, and several samples, execute commands again.
    text += done > all
                ? formatCount(done) + " commands done, of a program of " +
                      formatCount(all) + "\n"
                : std::to_string(done) + " of " + std::to_string(all) +
                      " commands done\n";
  }
  return text;
}

std::string MachineText::tecs(bool needsRegisters) const {
  std::string text;
  for (uint32_t n = 0; n < stepper.numTecs(); ++n) {
    std::optional<TecRegisters> registers = stepper.registersOf(n);
    if (!registers)
      continue;
    uint32_t pc = stepper.pcOf(n);
    std::string symbol = stepper.symbols().describe(pc);
    std::optional<CommandId> step = stepper.stepOf(n);
    text += "  TEC " + std::to_string(n) + ": pc " + addressText(pc) +
            (symbol.empty() ? "" : " in " + symbol) + ", step " +
            std::to_string(step ? step->index : 0) + " of " +
            std::to_string(origin.steps.size()) + "\n";
    if (needsRegisters)
      text += wrapped(registers->changesSince({}), 4);
  }
  return text;
}

//===--- Tables -----------------------------------------------------------===//

static std::string progressText(const Stepper::Progress &progress) {
  std::string text;
  if (progress.done)
    text = std::to_string(progress.done) + " of " +
           std::to_string(progress.commands) + " done";
  if (progress.passes)
    text += (text.empty() ? "" : ", ") +
            (progress.passes == 1
                 ? std::string("done")
                 : "done " + formatCount(progress.passes) + " times");
  return text;
}

std::string MachineText::layers() const {
  TextTable table;
  table.number("").column("layer").shortened().column("type");
  table.number("commands").column("so far").column("from").optional(1);
  for (std::size_t i = 0; i < origin.layers.size(); ++i) {
    if (!executable.hasLayer(i))
      continue;
    const ProvenanceLayer &l = origin.layers[i];
    Stepper::Progress progress = stepper.progressOf(i);
    table.row({std::to_string(i), l.name, l.type,
               formatCount(progress.commands), progressText(progress),
               l.file.empty() ? "" : l.file + ":" + std::to_string(l.line)});
  }
  return table.str(width);
}

std::string MachineText::tensors(uint32_t core) const {
  TextTable table;
  table.column("tensor").shortened().column("type").column("layer").shortened();
  table.column("address").column("state").wrapped();
  const std::vector<RunTensor> &all = stepper.tensors().all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    RunTensors::Contents contents = stepper.look(i, core);
    bool hasPlace = contents.state != RunTensors::State::NoPlace;
    table.row({all[i].name, typeText(all[i]),
               all[i].layer < 0 ? "(input)"
                                : origin.layers[std::size_t(all[i].layer)].name,
               hasPlace ? addressText(contents.address) : "",
               std::string(stateText(contents.state))});
  }
  return table.str(width);
}

std::string MachineText::regions(uint32_t core) const {
  TextTable table;
  table.number("").column("region").column("begins at").number("bytes");
  auto row = [&](std::size_t i, const std::string &name, uint64_t bytes) {
    std::optional<uint32_t> base = stepper.regionBase(core, uint32_t(i));
    table.row({std::to_string(i), name,
               base ? addressText(*base) : "(not placed yet)",
               formatCount(bytes)});
  };
  for (std::size_t i = 0; i < origin.regions.size(); ++i)
    row(i, origin.regions[i].name, origin.regions[i].sizeBytes);
  for (std::size_t i = 0; i < executable.inputs().size(); ++i)
    row(origin.inputs[i].region, executable.inputs()[i].tensor,
        executable.inputs()[i].sizeBytes);
  for (std::size_t i = 0; i < executable.outputs().size(); ++i)
    row(origin.outputs[i].region, executable.outputs()[i].tensor,
        executable.outputs()[i].sizeBytes);
  return table.str(width);
}

std::string MachineText::breakpointText(const Breakpoint &b) const {
  switch (b.kind) {
  case Breakpoint::Layer:
    return "layer " + layerText(b.layer);
  case Breakpoint::Command:
    return commandName(b.command) + ", layer " +
           layerText(origin.layerOf(b.command));
  case Breakpoint::Address:
    break;
  }
  std::string symbol = stepper.symbols().describe(b.address);
  return "pc " + addressText(b.address) +
         (symbol.empty() ? "" : " in " + symbol);
}

std::string MachineText::breakpoints(const StopConditions &conditions) const {
  TextTable table;
  table.number("").column("stops before").shortened().number("hits").column("");
  for (const Breakpoint &b : conditions.breakpoints())
    table.row({std::to_string(b.number), breakpointText(b), formatCount(b.hits),
               b.isTemporary ? "once" : ""});
  return table.empty() ? "there are no breakpoints\n" : table.str(width);
}

//===--- Registers --------------------------------------------------------===//

static std::string hexText(uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits,
                (unsigned long long)value);
  return text;
}

static std::string
vectorText(const std::array<uint8_t, sim::Tec::kVlenBytes> &bytes) {
  std::string text = "0x";
  for (std::size_t i = bytes.size(); i-- > 0;)
    text += hexText(bytes[i], 2).substr(2);
  return text;
}

std::string
MachineText::registers(uint32_t tec, const TecRegisters &r,
                       const std::vector<std::string> &names) const {
  std::string text;
  auto wants = [&](const std::string &name, const std::string &other) {
    return names.empty() || std::count(names.begin(), names.end(), name) ||
           std::count(names.begin(), names.end(), other);
  };
  auto line = [&](const std::string &name, const std::string &other,
                  const std::string &value, const std::string &more) {
    std::string head = other == name ? name : name + " " + other;
    head.resize(std::max<std::size_t>(head.size(), 9), ' ');
    text += head + " " + value + (more.empty() ? "" : "  " + more) + "\n";
  };
  uint32_t pc = stepper.pcOf(tec);
  if (wants("pc", "pc"))
    line("pc", "pc", hexText(pc, 8), stepper.symbols().describe(pc));
  for (unsigned i = 0; i < 32; ++i) {
    std::string name = "x" + std::to_string(i),
                other = isa::tec::xRegisterName(i);
    if (wants(name, other))
      line(name, other, hexText(r.x[i], 8), std::to_string(int32_t(r.x[i])));
  }
  const std::pair<const char *, uint32_t> singles[] = {{"fcsr", r.fcsr},
                                                       {"vl", r.vl},
                                                       {"vtype", r.vtype},
                                                       {"vstart", r.vstart},
                                                       {"vcsr", r.vcsr}};
  for (auto [name, value] : singles)
    if (wants(name, name))
      line(name, name, hexText(value, 8), "");
  for (unsigned i = 0; i < 32; ++i) {
    std::string name = "f" + std::to_string(i),
                other = isa::tec::fRegisterName(i);
    if (wants(name, other) && (r.f[i] != 0 || !names.empty()))
      line(name, other, hexText(r.f[i], 16), "");
  }
  for (unsigned i = 0; i < 32; ++i) {
    std::string name = "v" + std::to_string(i);
    bool isZero = std::all_of(r.v[i].begin(), r.v[i].end(),
                              [](uint8_t byte) { return byte == 0; });
    if (wants(name, name) && (!isZero || !names.empty()))
      line(name, name, vectorText(r.v[i]), "");
  }
  return text;
}

//===--- Commands and instructions ----------------------------------------===//

std::string MachineText::commandLine(CommandId command) const {
  if (command.unit == isa::Unit::Tec) {
    const ProvenanceStep &step = origin.steps[command.index];
    return step.kernel + " at " +
           addressText(stepper.programAddress() + step.pcBegin);
  }
  std::string_view bytes = executable.descriptors();
  uint32_t offset = origin.descriptorOffsetOf(command).value_or(UINT32_MAX);
  if (offset >= bytes.size())
    return "?";
  bytes.remove_prefix(offset);
  std::vector<uint32_t> words(std::min<std::size_t>(bytes.size() / 4, 256));
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  std::optional<isa::AnyDescriptor> descriptor = isa::decode(words);
  return descriptor ? isa::disassemble(*descriptor) : "?";
}

static std::string listLine(const MachineText &text, CommandId command,
                            int64_t layer, bool isPresent) {
  return std::string(isPresent ? "=> " : "   ") + commandName(command) +
         ", layer " + text.layerText(layer) + "\n";
}

std::string MachineText::commands(isa::Unit unit, uint64_t first,
                                  uint64_t count,
                                  std::optional<CommandId> present) const {
  std::string text;
  uint64_t end = std::min(first + count, stepper.commandsOf(unit));
  for (uint64_t i = first; i < end; ++i) {
    CommandId command{unit, i};
    text +=
        listLine(*this, command, origin.layerOf(command), present == command) +
        wrapped(commandLine(command), 6);
  }
  return text.empty() ? "no more commands\n" : text;
}

std::string MachineText::commandsOf(int64_t layer,
                                    std::optional<CommandId> present) const {
  std::string text;
  for (unsigned u = 0; u < isa::kNumCounters; ++u)
    for (uint64_t i = 0; i < stepper.commandsOf(isa::Unit(u)); ++i) {
      CommandId command{isa::Unit(u), i};
      if (origin.layerOf(command) == layer)
        text += listLine(*this, command, layer, present == command) +
                wrapped(commandLine(command), 6);
    }
  return text.empty() ? "the layer has no commands\n" : text;
}

std::string MachineText::instructions(uint32_t core, uint32_t address,
                                      uint64_t count,
                                      std::optional<uint32_t> pc) const {
  std::string text;
  for (uint64_t i = 0; i < count; ++i, address += 4) {
    std::span<const std::byte> bytes = stepper.read(core, address, 4);
    if (bytes.size() < 4)
      return text + "no memory at " + addressText(address) + "\n";
    uint32_t word = 0;
    std::memcpy(&word, bytes.data(), 4);
    const TecSymbol *symbol = stepper.symbols().find(address);
    if (symbol && (i == 0 || symbol->address == address))
      text += stepper.symbols().describe(address) + ":\n";
    char numbers[32];
    std::snprintf(numbers, sizeof numbers, "%08x %08x  ", address, word);
    std::string line = isa::tec::disassemble(word, address);
    std::replace(line.begin(), line.end(), '\t', ' ');
    text += (pc == address ? "=> " : "   ") + (numbers + line) + "\n";
  }
  return text;
}
