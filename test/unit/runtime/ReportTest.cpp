//===- ReportTest.cpp - Every figure of a report against its events -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A run of a few events whose report is counted by hand, field by field, as
// JSON has it; and runs of many events, whose cycles are given to layers here
// one by one, by the words of Report.h.
//
//===----------------------------------------------------------------------===//
#include "runtime/Report.h"
#include "runtime/Trace.h"
#include "test/Random.h"
#include "test/unit/runtime/SmallExecutable.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::runtime;
using yarrow::testing::Random;
using Json = nlohmann::ordered_json;

namespace {
/// Where the descriptors of SmallExecutable are, and one where there is none.
constexpr uint32_t kCopyBytes = isa::Copy::kLeastWords * 4;
constexpr uint32_t kOfFirst = 0, kOfSecond = kCopyBytes, kOfNone = 1;

class ReportTest : public ::testing::Test {
protected:
  void SetUp() override {
    model = Executable::parse(bytes, "small.bin", diags);
    ASSERT_TRUE(model);
  }
  static isa::Machine machineOf(const char *name) {
    DiagnosticEngine diags;
    return isa::findTarget(name, diags).value();
  }
  RecordedCommand &add(isa::Unit queue, uint32_t offset, uint64_t start,
                       uint64_t end, const isa::CommandCost &cost) {
    run.commands.push_back({0, queue, uint32_t(run.commands.size()), 0, offset,
                            "command", cost, start, start, end});
    return run.commands.back();
  }
  /// Traffic of one TEC in bytes: 4 and 8 of DDR, 16 and 32 of SRAM.
  sim::TecEvent &addStep(uint32_t tec, uint64_t start, uint64_t end,
                         uint64_t instructions) {
    run.steps.push_back(
        {tec / 4, tec, 0, start, end, instructions, 4, 8, 16, 32});
    return run.steps.back();
  }
  /// What the tests below count.
  void fillByHand() {
    using isa::Unit;
    add(Unit::DmaLoad, kOfFirst, 10, 40,
        {.ddrReadBytes = 960, .ddrSparedBytes = 12, .sramWrittenBytes = 900});
    add(Unit::TensorEngine, kOfSecond, 40, 100,
        {.startCycles = 5,
         .computeCycles = 30,
         .sramCycles = 20,
         .exposedCycles = 2,
         .macs = 40960,
         .sramReadBytes = 300,
         .sramWrittenBytes = 50});
    add(Unit::DmaStore, 2 * kCopyBytes, 90, 130,
        {.ddrWrittenBytes = 640, .sramReadBytes = 641});
    add(Unit::TensorEngine, kOfNone, 140, 150, {.startCycles = 3});
    add(Unit::DmaLoad, kOfFirst, 20, 60, {.ddrReadBytes = 64}).channel = 1;
    addStep(0, 50, 70, 11);
    addStep(3, 60, 120, 100);
    run.cycles = 160;
  }
  Json report(const char *target = "X2_1204") {
    machine = machineOf(target);
    return makeReport(*model, machine, run).json();
  }

  std::string bytes = SmallExecutable().build();
  DiagnosticEngine diags;
  std::shared_ptr<const Executable> model;
  isa::Machine machine;
  RecordedRun run;
};
} // namespace

// Of 160 cycles: to 10 nothing works, to 40 the loads of "first"; to 100 the
// tensor engine on "second", to 120 a TEC on "first", to 130 the store of
// "second"; then until the end what belongs to no layer.
TEST_F(ReportTest, EveryFieldByHand) {
  fillByHand();
  EXPECT_EQ(report(), Json::parse(R"json({
    "clock_mhz": 1000, "cores": 1, "cores_used": 1, "samples": 1,
    "cycles": 160, "milliseconds": 0.00016, "macs": 40960,
    "peak_macs_per_cycle": 4096, "array_utilization": 0.0625,
    "tensor_engine_busy_cycles": 70, "dma_load_busy_cycles": 70,
    "dma_store_busy_cycles": 40, "tec_busy_cycles": [20, 0, 0, 60],
    "layers": [
      {"name": "first", "type": "Copy", "cycles": 60, "span_cycles": 110,
       "tensor_engine_cycles": 0, "tec_cycles": 80, "dma_cycles": 70,
       "tec_instructions": 111, "macs": 0, "ddr_bytes": 1048,
       "ddr_spared_bytes": 12, "sram_bytes": 996, "bound_cycles": 33,
       "limit": "ddr",
       "on_tecs": "no engine has yk_start"},
      {"name": "second", "type": "Copy", "cycles": 70, "span_cycles": 90,
       "tensor_engine_cycles": 60, "tec_cycles": 0, "dma_cycles": 40,
       "tec_instructions": 0, "macs": 40960, "ddr_bytes": 640,
       "ddr_spared_bytes": 0, "sram_bytes": 991, "bound_cycles": 20,
       "limit": "shape",
       "on_tecs": ""},
      {"name": "(none)", "type": "", "cycles": 30, "span_cycles": 10,
       "tensor_engine_cycles": 10, "tec_cycles": 0, "dma_cycles": 0,
       "tec_instructions": 0, "macs": 0, "ddr_bytes": 0,
       "ddr_spared_bytes": 0, "sram_bytes": 0, "bound_cycles": 0,
       "limit": "start",
       "on_tecs": ""}],
    "total":
      {"name": "total", "type": "", "cycles": 160, "span_cycles": 160,
       "tensor_engine_cycles": 70, "tec_cycles": 80, "dma_cycles": 110,
       "tec_instructions": 111, "macs": 40960, "ddr_bytes": 1688,
       "ddr_spared_bytes": 12, "sram_bytes": 1987, "bound_cycles": 53,
       "limit": "",
       "on_tecs": ""}})json"));
}

// On three cores of which two did something: their arrays count, their TECs
// are told apart, and the bus is one.
TEST_F(ReportTest, EveryFieldOfTwoCores) {
  fillByHand();
  run.commands[1].core = 1;
  run.commands[1].cost.macs = 4096 * 101;
  addStep(6, 0, 9, 1);
  Json json = report("X2_1204MP3");
  EXPECT_EQ(json["cores"], 3);
  EXPECT_EQ(json["cores_used"], 2);
  EXPECT_EQ(json["peak_macs_per_cycle"], 2 * 4096);
  EXPECT_EQ(json["array_utilization"], 101.0 / 320);
  EXPECT_EQ(json["tec_busy_cycles"], Json({20, 0, 0, 60, 0, 0, 9, 0}));
  EXPECT_EQ(json["layers"][1]["bound_cycles"], 51);
  EXPECT_EQ(json["total"]["bound_cycles"], 51);
}

// Of a machine whose clock is not known there are cycles alone.
TEST_F(ReportTest, NoTimeWithoutAClock) {
  fillByHand();
  EXPECT_EQ(report("X2_1204")["milliseconds"], 0.00016);
  machine.clockMhz = 0;
  Json json = makeReport(*model, machine, run).json();
  EXPECT_EQ(json["cycles"], 160);
  EXPECT_EQ(json["milliseconds"], 0);
}

// Without events of no layer there is no row for them.
TEST_F(ReportTest, NoRowForNothing) {
  fillByHand();
  run.commands.erase(run.commands.begin() + 3);
  run.cycles = 130;
  EXPECT_EQ(report()["layers"].size(), 2u);
  run.cycles = 131;
  EXPECT_EQ(report()["layers"].size(), 3u);
}

TEST_F(ReportTest, WhatTheTimeWentTo) {
  using isa::Unit;
  struct Case {
    const char *limit;
    Unit queue;
    isa::CommandCost cost;
  } cases[] = {
      {"ddr", Unit::DmaStore, {.ddrWrittenBytes = 1}},
      {"dma", Unit::DmaLoad, {.sramReadBytes = 8}},
      {"sram",
       Unit::TensorEngine,
       {.computeCycles = 10, .sramCycles = 11, .macs = 40960}},
      {"start",
       Unit::TensorEngine,
       {.startCycles = 6,
        .computeCycles = 10,
        .sramCycles = 9,
        .exposedCycles = 5,
        .macs = 40960}},
      // An array of 4096 MACs, for two cycles of three.
      {"mac array",
       Unit::TensorEngine,
       {.startCycles = 5,
        .computeCycles = 15,
        .sramCycles = 15,
        .exposedCycles = 10,
        .macs = 40960}},
      {"shape", Unit::TensorEngine, {.computeCycles = 16, .macs = 40960}},
  };
  for (const Case &c : cases) {
    run = {};
    add(c.queue, kOfFirst, 0, 50, c.cost);
    // Less time than the other, so that it does not decide.
    addStep(0, 50, 99, 5).ddrReadBytes = 0;
    run.steps[0].ddrWrittenBytes = 0;
    run.cycles = 99;
    EXPECT_EQ(report()["layers"][0]["limit"], c.limit);
    run.steps[0].endCycle = run.cycles = 101;
    EXPECT_EQ(report()["layers"][0]["limit"], "tec");
    EXPECT_NE(
        makeReport(*model, machine, run)
            .text()
            .find("on the TECs: first, 101 cycles: no engine has yk_start\n"),
        std::string::npos);
  }
  run = {};
  EXPECT_EQ(report()["layers"][0]["limit"], "");
}

namespace {
/// A cycle's worth of work on a unit.
struct Work {
  uint64_t begin, end;
  size_t layer;
  int rank; ///< 0 tensor engine, 1 TEC, 2 DMA
};

/// Cycles by layer, each given by itself.
std::vector<uint64_t> ownersOf(const std::vector<Work> &works,
                               uint64_t numCycles, size_t numLayers) {
  std::vector<uint64_t> cycles(numLayers);
  size_t next = numLayers - 1; // nothing works until the end
  for (uint64_t cycle = numCycles; cycle-- > 0;) {
    int rank = 3;
    size_t layer = next;
    for (const Work &w : works)
      if (w.begin <= cycle && cycle < w.end &&
          (w.rank < rank || (w.rank == rank && w.layer < layer)))
        rank = w.rank, layer = w.layer;
    ++cycles[next = layer];
  }
  return cycles;
}
} // namespace

TEST_F(ReportTest, CyclesHaveOneOwner) {
  using isa::Unit;
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    run = {};
    std::vector<Work> works;
    uint64_t loads = 0, stores = 0, tensor = 0, last = 0;
    std::vector<uint64_t> tecs(4);
    // At most one begins in a cycle: else it is open who works next.
    uint64_t start = 0;
    for (uint32_t i = 0, n = random.between(1, 12); i < n; ++i) {
      start += random.between(1, 30);
      uint64_t end = start + random.below(50);
      last = std::max(last, end);
      if (random.oneIn(3)) {
        uint32_t tec = random.below(4);
        addStep(tec, start, end, 1);
        works.push_back({start, end, 0, 1});
        tecs[tec] += end - start;
        continue;
      }
      Unit queue =
          random.of({Unit::DmaLoad, Unit::DmaStore, Unit::TensorEngine});
      size_t layer = random.below(3);
      const uint32_t offsets[] = {kOfFirst, kOfSecond, kOfNone};
      add(queue, offsets[layer], start, end, {});
      works.push_back({start, end, layer, queue == Unit::TensorEngine ? 0 : 2});
      (queue == Unit::DmaLoad    ? loads
       : queue == Unit::DmaStore ? stores
                                 : tensor) += end - start;
    }
    run.cycles = last + random.below(10);
    Json json = report();
    std::vector<uint64_t> expected = ownersOf(works, run.cycles, 3);
    uint64_t sum = 0;
    for (size_t layer = 0; layer < json["layers"].size(); ++layer) {
      EXPECT_EQ(json["layers"][layer]["cycles"], expected[layer])
          << "round " << round << ", layer " << layer;
      sum += expected[layer];
    }
    EXPECT_EQ(sum, run.cycles);
    EXPECT_EQ(json["dma_load_busy_cycles"], loads);
    EXPECT_EQ(json["dma_store_busy_cycles"], stores);
    EXPECT_EQ(json["tensor_engine_busy_cycles"], tensor);
    EXPECT_EQ(json["tec_busy_cycles"], Json(tecs));
  }
}

TEST_F(ReportTest, ATraceHasEveryFieldOfEveryEvent) {
  fillByHand();
  run.commands[1].readyCycle = 33;
  machine = machineOf("X2_1204");
  Json events = Json::parse(traceJson(*model, machine, run))["traceEvents"];
  std::vector<Json> slices;
  for (const Json &event : events)
    if (event["ph"] == "X")
      slices.push_back(event);
  ASSERT_EQ(slices.size(), 7u);
  auto track = [](isa::Unit unit) { return isa::infoOf(unit).track; };
  EXPECT_EQ(slices[1], (Json{{"ph", "X"},
                             {"name", "second"},
                             {"cat", "command"},
                             {"pid", 1},
                             {"tid", track(isa::Unit::TensorEngine)},
                             {"ts", 40},
                             {"dur", 60},
                             {"args",
                              {{"command", 1},
                               {"waited_until", 33},
                               {"macs", 40960},
                               {"array_cycles", 30},
                               {"ddr_bytes", 0},
                               {"ddr_spared_bytes", 0},
                               {"sram_bytes", 350}}}}));
  EXPECT_EQ(slices[0]["args"]["ddr_bytes"], 960);
  EXPECT_EQ(slices[0]["args"]["ddr_spared_bytes"], 12);
  EXPECT_EQ(slices[2]["args"]["ddr_bytes"], 640);
  EXPECT_EQ(slices[3]["name"], "command") << "of no layer";
  EXPECT_EQ(slices[4]["tid"], track(isa::Unit::DmaLoad) + 1);
  EXPECT_EQ(slices[6], (Json{{"ph", "X"},
                             {"name", "first"},
                             {"cat", "yk_start"},
                             {"pid", 1},
                             {"tid", track(isa::Unit::Tec) + 3},
                             {"ts", 60},
                             {"dur", 60},
                             {"args",
                              {{"step", 0},
                               {"instructions", 100},
                               {"ddr_bytes", 12},
                               {"sram_bytes", 48}}}}));
}
