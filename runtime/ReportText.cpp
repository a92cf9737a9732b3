//===- ReportText.cpp - A report as a table and as JSON -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Report.h"
#include "support/Format.h"
#include "support/TextTable.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

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

/// The units' shares of the time; TECs in a line of their own, there may be
/// many.
static std::string busyText(const Report &report) {
  auto share = [&](uint64_t busy, uint32_t units = 1) {
    return formatPercent(double(busy),
                         double(report.cycles) * units * report.coresUsed);
  };
  std::string text =
      "busy: tensor engine " + share(report.tensorBusyCycles) + ", DMA load " +
      share(report.loadBusyCycles, report.loadChannels) + ", DMA store " +
      share(report.storeBusyCycles, report.storeChannels) + "\n";
  for (size_t i = 0; i < report.tecBusyCycles.size(); ++i)
    text +=
        (i ? ", " : "busy: TECs ") +
        formatPercent(double(report.tecBusyCycles[i]), double(report.cycles));
  return text + (report.tecBusyCycles.empty() ? "" : "\n");
}

/// "X2_1204MP3, 1 of 3 cores"
static std::string machineText(const Report &report) {
  if (report.cores == report.coresUsed)
    return report.target;
  return report.target + ", " + std::to_string(report.coresUsed) + " of " +
         std::to_string(report.cores) + " cores";
}

/// ", 3 samples: 41 cycles each"
static std::string samplesText(const Report &report) {
  if (report.samples == 1)
    return "";
  return ", " + std::to_string(report.samples) +
         " samples: " + formatCount(report.cycles / report.samples) +
         " cycles each";
}

/// The layers that spend most on the TECs, and why they are there.
static std::string tecsText(const Report &report) {
  constexpr uint64_t kLeastShare = 50; // 2 %
  constexpr size_t kMostLines = 5;
  std::vector<const LayerReport *> found;
  for (const LayerReport &l : report.layers)
    if (l.limit == "tec" && !l.onTecs.empty() &&
        l.cycles * kLeastShare >= report.cycles)
      found.push_back(&l);
  std::ranges::stable_sort(
      found, [](auto *a, auto *b) { return a->cycles > b->cycles; });
  std::string text;
  for (const LayerReport *l :
       std::span(found).first(std::min(found.size(), kMostLines)))
    text += "on the TECs: " + l->name + ", " + formatCount(l->cycles) +
            " cycles: " + l->onTecs + "\n";
  return text;
}

std::string Report::text(size_t width) const {
  TextTable table;
  table.column("layer").shortened().column("type").optional(3);
  table.number("cycles").number("share").number("MACs").optional(4);
  table.number("array use").number("DDR bytes").number("SRAM bytes");
  table.optional(2).number("span").optional(1).number("bound").optional(5);
  table.column("limit");
  for (const LayerReport &l : layers)
    table.row(cells(l, *this));
  table.rule().row(cells(total, *this));
  return table.str(width) + "\n" + model + " on " + machineText(*this) + ": " +
         formatCount(cycles) + " cycles" + samplesText(*this) + ", " +
         formatFixed(milliseconds(), 3) + " ms at " + std::to_string(clockMhz) +
         " MHz, array use " + formatPercent(utilization(), 1) + "\n" +
         busyText(*this) + tecsText(*this);
}

std::string Report::summary() const {
  return machineText(*this) + ": " + formatCount(cycles) + " cycles" +
         samplesText(*this) + ", " + formatFixed(milliseconds(), 3) +
         " ms at " + std::to_string(clockMhz) + " MHz, " + formatCount(macs) +
         " MACs, " + formatPercent(utilization(), 1) + " of the MAC array\n";
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
          {"ddr_spared_bytes", l.ddrSparedBytes},
          {"sram_bytes", l.sramBytes},
          {"bound_cycles", l.boundCycles},
          {"limit", l.limit},
          {"on_tecs", l.onTecs}};
}

Json Report::json() const {
  Json root{{"clock_mhz", clockMhz},
            {"cores", cores},
            {"cores_used", coresUsed},
            {"samples", samples},
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
  return root;
}
