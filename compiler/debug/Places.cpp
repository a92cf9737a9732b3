//===- Places.cpp - What words of debugger commands name ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/Places.h"

#include "compiler/debug/CommandLanguage.h"
#include "isa/TecInsts.h"

#include <algorithm>
#include <cstdio>

using namespace yarrow;
using namespace yarrow::runtime;

std::string yarrow::addressText(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", (unsigned long long)address);
  return text;
}

std::string yarrow::commandName(CommandId command) {
  return std::string(isa::name(command.unit)) +
         (command.unit == isa::Unit::Tec ? " step " : " command ") +
         std::to_string(command.index);
}

/// " (did you mean 'x'?)", or the way to the names.
static std::string orNear(const std::string &name,
                          const std::vector<std::string> &names,
                          const std::string &otherwise) {
  std::string near = nearestName(name, names);
  return near.empty() ? otherwise : ": did you mean '" + near + "'?";
}

std::optional<std::size_t> yarrow::findLayer(const Executable &executable,
                                             const std::string &name,
                                             std::string &problem) {
  const std::vector<ProvenanceLayer> &layers = executable.provenance().layers;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!executable.hasLayer(i)) // of another variant
      continue;
    if (layers[i].name == name)
      return i;
    names.push_back(layers[i].name);
  }
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (executable.hasLayer(i) &&
        std::count(layers[i].members.begin(), layers[i].members.end(), name))
      return i;
  problem = "no layer is called '" + name + "'" +
            orNear(name, names, "; `info layers` lists them");
  return std::nullopt;
}

std::optional<CommandId> yarrow::findCommand(const Executable &executable,
                                             std::span<const std::string> words,
                                             std::string &problem) {
  const Provenance &origin = executable.provenance();
  CommandId command{isa::Unit::TensorEngine, 0};
  if (words.size() == 2) {
    auto unit = std::find_if(
        std::begin(isa::kUnits), std::end(isa::kUnits),
        [&](const isa::UnitInfo &info) { return info.mnemonic == words[0]; });
    if (unit == std::end(isa::kUnits)) {
      problem = "no unit is called '" + words[0] + "': te, load, store or tec";
      return std::nullopt;
    }
    command.unit = isa::Unit(unit - std::begin(isa::kUnits));
    words = words.subspan(1);
  }
  std::optional<uint64_t> index =
      words.size() == 1 ? parseNumber(words[0]) : std::nullopt;
  if (!index) {
    problem = "a command is a unit and a number, such as `te 3` or `load 0`";
    return std::nullopt;
  }
  command.index = *index;
  std::size_t count = command.unit == isa::Unit::Tec
                          ? origin.steps.size()
                          : origin.queueLayers[unsigned(command.unit)].size();
  if (command.index < count)
    return command;
  problem =
      "the " + std::string(isa::name(command.unit)) + " has " +
      (count == 0 ? std::string("none") : "0 to " + std::to_string(count - 1));
  return std::nullopt;
}

std::optional<Breakpoint> yarrow::findBreak(const Executable &executable,
                                            const std::string &place,
                                            std::string &problem) {
  if (auto layer = findLayer(executable, place, problem))
    return Breakpoint{.kind = Breakpoint::Layer, .layer = int64_t(*layer)};
  std::optional<uint64_t> address =
      place.starts_with("0x") ? parseNumber(place) : std::nullopt;
  if (!address || *address > UINT32_MAX)
    return std::nullopt;
  problem.clear();
  return Breakpoint{.kind = Breakpoint::Address, .address = uint32_t(*address)};
}

std::optional<std::size_t> yarrow::findTensor(const RunTensors &tensors,
                                              const std::string &name,
                                              std::string &problem) {
  if (auto index = tensors.find(name))
    return index;
  std::vector<std::string> names;
  for (const RunTensor &tensor : tensors.all())
    names.push_back(tensor.name);
  problem = "no tensor in memory is called '" + name + "'" +
            orNear(name, names, "; `info tensors` lists them");
  return std::nullopt;
}

static std::optional<uint64_t> valueOf(const TecRegisters &r,
                                       const std::string &name) {
  for (unsigned i = 0; i < 32; ++i) {
    if (name == isa::tec::xRegisterName(i) || name == "x" + std::to_string(i))
      return r.x[i];
    if (name == isa::tec::fRegisterName(i) || name == "f" + std::to_string(i))
      return r.f[i];
  }
  if (name == "fp")
    return r.x[8];
  const std::pair<const char *, uint32_t> singles[] = {{"fcsr", r.fcsr},
                                                       {"vl", r.vl},
                                                       {"vtype", r.vtype},
                                                       {"vstart", r.vstart},
                                                       {"vcsr", r.vcsr}};
  for (auto [each, value] : singles)
    if (name == each)
      return value;
  return std::nullopt;
}

std::optional<uint64_t> yarrow::findRegister(const Stepper &stepper,
                                             uint32_t tec,
                                             const std::string &name,
                                             std::string &problem) {
  std::optional<TecRegisters> registers = stepper.registersOf(tec);
  if (!registers) {
    problem = "TEC " + std::to_string(tec) + " has not begun";
    return std::nullopt;
  }
  if (name == "pc")
    return stepper.pcOf(tec);
  std::optional<uint64_t> value = valueOf(*registers, name);
  if (!value)
    problem = "no register is called '" + name +
              "': pc, x0 to x31 or by their ABI's names, f0 to f31, fcsr, vl, "
              "vtype, vstart, vcsr";
  return value;
}

std::optional<uint32_t> yarrow::findFunction(const Stepper &stepper,
                                             const std::string &name) {
  for (const TecSymbol &symbol : stepper.symbols().all())
    if (symbol.name == name)
      return symbol.address;
  return std::nullopt;
}

/// Without what is added.
static std::optional<uint64_t> baseAddress(const Stepper &stepper, uint32_t tec,
                                           uint32_t core,
                                           const std::string &text,
                                           std::string &problem) {
  if (auto number = parseNumber(text))
    return number;
  if (text.starts_with("$"))
    return findRegister(stepper, tec, text.substr(1), problem);
  if (text.starts_with("&")) {
    auto index = findTensor(stepper.tensors(), text.substr(1), problem);
    if (!index)
      return std::nullopt;
    RunTensors::Contents contents = stepper.look(*index, core);
    if (contents.state == RunTensors::State::NoPlace) {
      problem = "'" + text.substr(1) + "' has no place in memory yet";
      return std::nullopt;
    }
    return contents.address;
  }
  if (std::optional<uint32_t> base = stepper.regionBase(core, text))
    return base;
  if (std::optional<uint32_t> function = findFunction(stepper, text))
    return function;
  problem = "'" + text +
            "' is not an address: give a number, $REGISTER, &TENSOR, a "
            "region that is placed (`info regions`) or a function";
  return std::nullopt;
}

std::optional<uint32_t> yarrow::findAddress(const Stepper &stepper,
                                            uint32_t tec, uint32_t core,
                                            const std::string &text,
                                            std::string &problem) {
  std::string ignored;
  // A name may have a sign in it.
  std::optional<uint64_t> address =
      baseAddress(stepper, tec, core, text, ignored);
  std::size_t sign = text.find_last_of("+-");
  if (!address && sign != std::string::npos && sign != 0)
    if (auto offset = parseNumber(text.substr(sign + 1))) {
      address = baseAddress(stepper, tec, core, text.substr(0, sign), problem);
      if (!address)
        return std::nullopt;
      *address = text[sign] == '+' ? *address + *offset : *address - *offset;
    }
  if (!address) {
    problem = ignored;
    return std::nullopt;
  }
  if (*address > UINT32_MAX) {
    problem = "addresses have 32 bits";
    return std::nullopt;
  }
  return uint32_t(*address);
}
