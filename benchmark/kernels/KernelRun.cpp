//===- KernelRun.cpp - Runs a call on the TECs of a machine ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelRun.h"

#include "codegen/TecProgram.h"
#include "kernels/registry/Registry.h"
#include "simulator/device/TecTimingOf.h"
#include "test/unit/codegen/TecSimulation.h"

using namespace yarrow;
using namespace yarrow::benchmark;
using yarrow::testing::TecSimulation;

/// Vectors of the host need no more.
static constexpr uint32_t kAlignment = 64;

/// Where the buffers lie in one area.
static std::vector<uint32_t> placesOf(const KernelCall &call) {
  std::vector<uint32_t> places;
  uint32_t end = 0;
  for (const CallBuffer &buffer : call.buffers) {
    places.push_back(end);
    end += (buffer.sizeBytes() + kAlignment - 1) / kAlignment * kAlignment;
  }
  places.push_back(end);
  return places;
}

static std::vector<uint8_t> areaOf(const KernelCall &call,
                                   const std::vector<uint32_t> &places) {
  std::vector<uint8_t> area(places.back());
  for (size_t k = 0; k < call.buffers.size(); ++k)
    if (!call.buffers[k].isOutput && !call.buffers[k].isNull)
      std::ranges::copy(bytesOf(call.buffers[k], k + 1),
                        area.begin() + places[k]);
  return area;
}

static void runOnHost(const KernelCall &call,
                      const std::vector<uint32_t> &places,
                      std::vector<uint8_t> &area) {
  std::vector<void *> buffers;
  buffers.reserve(call.buffers.size());
  for (size_t k = 0; k < call.buffers.size(); ++k)
    buffers.push_back(call.buffers[k].isNull ? nullptr
                                             : area.data() + places[k]);
  // The struct's alignment is not that of a vector of char.
  std::vector<uint64_t> params((call.params.size() + 7) / 8);
  std::memcpy(params.data(), call.params.data(), call.params.size());
  kernels::lookupKernel(call.symbol)(params.data(), buffers.data(), 0, 1);
}

static std::vector<TecStep> stepsOf(const KernelCall &call,
                                    const std::vector<uint32_t> &places) {
  TecStep step{.symbol = call.symbol, .params = call.params};
  for (size_t k = 0; k < call.buffers.size(); ++k)
    step.buffers.push_back(
        {.offset = places[k], .isNull = call.buffers[k].isNull});
  return {step};
}

/// \p area is SRAM from its first byte on, before and after.
static KernelRun runOnTecs(std::vector<TecStep> steps,
                           const isa::Machine &machine,
                           std::vector<uint8_t> &area) {
  TecProgramInput input{.steps = std::move(steps), .regionCount = 1};
  input.tecs = machine.tecs;
  input.stackTopAddress = isa::kSramBaseAddress + machine.sramBytes;
  input.groups = {{.programs = {{{.numSteps = input.steps.size()}}}}};
  input.groups[0].programs[0][0].finalWaits[unsigned(isa::Unit::Tec)] =
      uint32_t(machine.tecs * input.steps.size());
  DiagnosticEngine diags;
  std::optional<TecProgram> program = buildTecProgram(input, diags);
  if (!program)
    return {.error = diags.all()[0].str()};
  if (area.size() > machine.dataSramBytes())
    return {.error = "its buffers do not fit SRAM"};
  TecSimulation simulation({}, machine.sramBytes);
  simulation.timing = sim::tecTimingOf(machine);
  std::ranges::copy(area, simulation.at(0));
  KernelRun run{.error = simulation.run(program->text, machine.tecs)};
  run.cycles = simulation.cycles;
  std::copy_n(simulation.at(0), area.size(), area.begin());
  return run;
}

KernelRun benchmark::runKernelCall(const KernelCall &call,
                                   const isa::Machine &machine) {
  std::vector<uint32_t> places = placesOf(call);
  std::vector<uint8_t> expected = areaOf(call, places), found = expected;
  std::vector<uint8_t> nothing;
  runOnHost(call, places, expected);
  KernelRun run = runOnTecs(stepsOf(call, places), machine, found);
  if (run.error.empty() && found != expected)
    run.error = "not what the host computes";
  run.cycles -= std::min(run.cycles, runOnTecs({}, machine, nothing).cycles);
  return run;
}
