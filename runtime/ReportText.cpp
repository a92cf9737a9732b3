//===- ReportText.cpp - A report as a table and as JSON -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Report.h"
#include "support/Format.h"
#include "support/TextTable.h"
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::runtime;
using Json = nlohmann::ordered_json;

static std::vector<std::string> cells(const LayerReport &l,
                                      const Report &report) {
  auto macs = double(l.macs);
  return {l.name,
          l.type,
          formatCount(l.cycles),
          formatPercent(double(l.cycles), double(report.cycles)),
          formatCount(l.macs),
          l.macs ? formatPercent(macs, double(l.cycles) *
                                           double(report.peakMacsPerCycle))
                 : "-",
          formatCount(l.ddrBytes),
          formatCount(l.sramBytes),
          formatCount(l.spanCycles),
          formatCount(l.boundCycles),
          l.limit};
}

std::string Report::text() const {
  TextTable table;
  table.column("layer").column("type").number("cycles").number("share");
  table.number("MACs").number("array use").number("DDR bytes");
  table.number("SRAM bytes").number("span").number("bound").column("limit");
  for (const LayerReport &l : layers)
    table.row(cells(l, *this));
  table.rule().row(cells(total, *this));
  std::string out = table.str();
  out += "\n" + model + " on " + target + ": " + formatCount(cycles) +
         " cycles, " + formatFixed(milliseconds(), 3) + " ms at " +
         std::to_string(clockMhz) + " MHz, array use " +
         formatPercent(utilization(), 1) + "\n";
  auto share = [&](uint64_t busy, uint32_t units = 1) {
    return formatPercent(double(busy), double(cycles) * units);
  };
  out += "busy: tensor engine " + share(tensorBusyCycles) + ", DMA load " +
         share(loadBusyCycles, loadChannels) + ", DMA store " +
         share(storeBusyCycles, storeChannels);
  for (size_t i = 0; i < tecBusyCycles.size(); ++i)
    out += ", TEC " + std::to_string(i) + " " + share(tecBusyCycles[i]);
  return out + "\n";
}

static Json layerJson(const LayerReport &l) {
  return {{"name", l.name},
          {"type", l.type},
          {"cycles", l.cycles},
          {"span_cycles", l.spanCycles},
          {"tensor_engine_cycles", l.tensorCycles},
          {"tec_cycles", l.tecCycles},
          {"dma_cycles", l.dmaCycles},
          {"tec_instructions", l.instructions},
          {"macs", l.macs},
          {"ddr_bytes", l.ddrBytes},
          {"sram_bytes", l.sramBytes},
          {"bound_cycles", l.boundCycles},
          {"limit", l.limit}};
}

std::string Report::json() const {
  Json root{{"version", 1},
            {"model", model},
            {"target", target},
            {"clock_mhz", clockMhz},
            {"cycles", cycles},
            {"milliseconds", milliseconds()},
            {"macs", macs},
            {"peak_macs_per_cycle", peakMacsPerCycle},
            {"array_utilization", utilization()},
            {"tensor_engine_busy_cycles", tensorBusyCycles},
            {"dma_load_busy_cycles", loadBusyCycles},
            {"dma_store_busy_cycles", storeBusyCycles},
            {"tec_busy_cycles", tecBusyCycles}};
  root["layers"] = Json::array();
  for (const LayerReport &l : layers)
    root["layers"].push_back(layerJson(l));
  root["total"] = layerJson(total);
  // Names come from files and may hold anything.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
