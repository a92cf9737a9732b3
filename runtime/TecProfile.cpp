//===- TecProfile.cpp - Where a TEC's cycles go ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecProfile.h"

#include "support/Format.h"
#include "support/TextTable.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;
using sim::Cost;

TecCounts &TecCounts::operator+=(const TecCounts &o) {
  instructions += o.instructions;
  cycles += o.cycles;
  memoryStalls += o.memoryStalls;
  waitStalls += o.waitStalls;
  resultStalls += o.resultStalls;
  return *this;
}

/// What the cycles after an instruction's first are counted as.
static uint64_t TecCounts::*stallOf(Cost cost) {
  switch (cost) {
  case Cost::Load:
  case Cost::Store:
  case Cost::Amo:
    return &TecCounts::memoryStalls;
  case Cost::Npu:
    return &TecCounts::waitStalls;
  default:
    return cost >= Cost::VLoad ? &TecCounts::memoryStalls
                               : &TecCounts::resultStalls;
  }
}

void TecProfile::attach(const sim::Tec &core) {
  finish();
  tec = &core;
  cycleBefore = core.cycles();
}

TecCounts &TecProfile::at(uint32_t pc) {
  uint32_t number = pc / kPageBytes;
  if (!lastPage || number != lastNumber) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    lastNumber = number;
    lastPage = page.get();
  }
  return (*lastPage)[pc % kPageBytes / 4];
}

bool TecProfile::before(uint32_t pc, Cost cost) {
  // An npu.wait that has to wait is tried again, and was not charged for.
  if (pending && pc == pendingPc && cost == Cost::Npu &&
      tec->cycles() == cycleBefore)
    return false;
  finish();
  pendingPc = pc;
  pending = &at(pc);
  pendingCost = cost;
  return false;
}

void TecProfile::finish() {
  if (!pending)
    return;
  TecCounts counts;
  counts.instructions = 1;
  counts.cycles = tec->cycles() - cycleBefore;
  cycleBefore += counts.cycles;
  if (counts.cycles > 1)
    counts.*stallOf(pendingCost) = counts.cycles - 1;
  *pending += counts;
  if (also)
    *also += counts;
  pending = nullptr;
}

std::vector<TecProfileRow>
TecProfile::by(const std::function<std::string(uint32_t)> &nameOf) const {
  std::map<std::string, TecCounts> sums;
  for (const auto &[number, page] : pages)
    for (uint32_t i = 0; i < page->size(); ++i)
      if ((*page)[i].instructions)
        sums[nameOf(number * kPageBytes + i * 4)] += (*page)[i];
  std::vector<TecProfileRow> rows;
  rows.reserve(sums.size());
  for (const auto &[name, counts] : sums)
    rows.push_back({name, counts});
  sortByCycles(rows);
  return rows;
}

void runtime::sortByCycles(std::vector<TecProfileRow> &rows) {
  std::stable_sort(rows.begin(), rows.end(), [](auto &a, auto &b) {
    return a.counts.cycles > b.counts.cycles;
  });
}

std::string runtime::profileText(const std::string &what,
                                 const std::vector<TecProfileRow> &rows,
                                 std::size_t width) {
  TecCounts total;
  for (const TecProfileRow &row : rows)
    total += row.counts;
  TextTable table;
  table.column(what).shortened().number("instructions").number("cycles");
  table.number("share").number("stalls: memory").number("wait");
  table.number("result");
  auto add = [&](const std::string &name, const TecCounts &c) {
    table.row({name, formatCount(c.instructions), formatCount(c.cycles),
               formatPercent(double(c.cycles), double(total.cycles)),
               formatCount(c.memoryStalls), formatCount(c.waitStalls),
               formatCount(c.resultStalls)});
  };
  for (const TecProfileRow &row : rows)
    add(row.name, row.counts);
  table.rule();
  add("total", total);
  return table.str(width);
}
