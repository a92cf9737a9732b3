//===- Trace.cpp - A run on a time line -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Trace.h"

#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::runtime;
using Json = nlohmann::ordered_json;

static std::string line(const Json &event) {
  // Names come from files and may hold anything.
  return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Of a core, which is a process of the trace.
static uint32_t processOf(uint32_t core) { return core + 1; }

static std::string trackName(uint32_t core, uint32_t track,
                             const std::string &name) {
  return line({{"ph", "M"},
               {"name", "thread_name"},
               {"pid", processOf(core)},
               {"tid", track},
               {"args", {{"name", name}}}}) +
         ",\n" +
         line({{"ph", "M"},
               {"name", "thread_sort_index"},
               {"pid", processOf(core)},
               {"tid", track},
               {"args", {{"sort_index", track}}}}) +
         ",\n";
}

/// The tracks of a unit, one for each of its channels.
static std::string trackNames(uint32_t core, isa::Unit unit, uint32_t channels,
                              bool isNumbered) {
  std::string out;
  for (uint32_t i = 0; i < channels; ++i)
    out += trackName(core, isa::infoOf(unit).track + i,
                     std::string(isa::name(unit)) +
                         (isNumbered ? " " + std::to_string(i) : ""));
  return out;
}

std::string runtime::traceJson(const Executable &executable,
                               const isa::Machine &machine,
                               const RecordedRun &run) {
  const Provenance &origin = executable.provenance();
  auto nameOf = [&](int64_t layer, std::string_view otherwise) {
    return layer >= 0 ? origin.layers[size_t(layer)].name
                      : std::string(otherwise);
  };
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  uint32_t cores = coresOf(run);
  for (uint32_t core = 0; core < cores; ++core) {
    std::string part = cores > 1 ? ", core " + std::to_string(core) : "";
    out += line({{"ph", "M"},
                 {"name", "process_name"},
                 {"pid", processOf(core)},
                 {"args",
                  {{"name", origin.model + " on " + machine.name + part +
                                " (1 us = 1 cycle)"}}}}) +
           ",\n";
    for (unsigned q = 0; q < isa::kNumQueues; ++q) {
      uint32_t channels = machine.channelsOf(isa::Unit(q));
      out += trackNames(core, isa::Unit(q), channels,
                        /*isNumbered=*/channels > 1);
    }
    out += trackNames(core, isa::Unit::Tec, machine.tecs, /*isNumbered=*/true);
  }

  std::string separator;
  for (const RecordedCommand &c : run.commands) {
    uint32_t track = isa::infoOf(c.queue).track + c.channel;
    out +=
        separator +
        line({{"ph", "X"},
              {"name", nameOf(origin.layerAt(c.descriptorOffset), c.mnemonic)},
              {"cat", c.mnemonic},
              {"pid", processOf(c.core)},
              {"tid", track},
              {"ts", c.startCycle},
              {"dur", c.endCycle - c.startCycle},
              {"args",
               {{"command", c.ordinal},
                {"waited_until", c.readyCycle},
                {"macs", c.cost.macs},
                {"array_cycles", c.cost.computeCycles},
                {"ddr_bytes", c.cost.ddrReadBytes + c.cost.ddrWrittenBytes},
                {"ddr_spared_bytes", c.cost.ddrSparedBytes},
                {"sram_bytes",
                 c.cost.sramReadBytes + c.cost.sramWrittenBytes}}}});
    separator = ",\n";
  }
  for (const sim::TecEvent &s : run.steps) {
    std::string_view kernel =
        s.step < origin.steps.size()
            ? std::string_view(origin.steps[s.step].kernel)
            : "step";
    out +=
        separator +
        line({{"ph", "X"},
              {"name", nameOf(origin.layerOfStep(s.step), kernel)},
              {"cat", kernel},
              {"pid", processOf(s.core)},
              {"tid", isa::infoOf(isa::Unit::Tec).track + s.tec % machine.tecs},
              {"ts", s.startCycle},
              {"dur", s.endCycle - s.startCycle},
              {"args",
               {{"step", s.step},
                {"instructions", s.instructions},
                {"ddr_bytes", s.ddrReadBytes + s.ddrWrittenBytes},
                {"sram_bytes", s.sramReadBytes + s.sramWrittenBytes}}}});
    separator = ",\n";
  }
  if (separator.empty())
    out.resize(out.size() - 2);
  return out + "\n]}\n";
}
