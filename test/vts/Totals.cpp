//===- Totals.cpp - How many recorded cases hold --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/Totals.h"
#include "support/Format.h"
#include "support/TextTable.h"
#include <filesystem>
#include <iostream>

using namespace yarrow;
using namespace yarrow::vts;

void Totals::add(const std::string &name, const Outcome &outcome) {
  for (Row *row : {&rows[name], &all}) {
    row->passed += outcome.kind == Outcome::Passed;
    row->failed += outcome.kind == Outcome::Failed;
    row->refused += outcome.kind == Outcome::Refused;
    row->difference += outcome.difference;
  }
}

std::string Totals::table() const {
  TextTable table;
  table.column(kind).number("passed").number("failed");
  table.number("refused").number("equal").number("1 off").number("more");
  for (const auto &[name, row] : rows)
    table.row({name, formatCount(row.passed), formatCount(row.failed),
               formatCount(row.refused), formatCount(row.difference.equal),
               formatCount(row.difference.offByOne),
               formatCount(row.difference.more)});
  return table.str();
}

std::string Totals::summary() const {
  const Difference &d = all.difference;
  return "8-bit results: " + formatCount(d.equal) + " equal, " +
         formatCount(d.offByOne) + " off by one, " + formatCount(d.more) +
         " more\n" + std::to_string(all.passed) + " passed, " +
         std::to_string(all.failed) + " failed, " +
         std::to_string(all.refused) + " refused\n";
}

std::string vts::lineOf(const std::string &name, const Outcome &outcome) {
  if (outcome.kind == Outcome::Passed)
    return "";
  return (outcome.kind == Outcome::Failed ? "failed " : "refused ") + name +
         ": " + outcome.why + "\n";
}

bool vts::haveCases(const std::vector<std::string> &files) {
  if (std::filesystem::exists(files.front()))
    return true;
  std::cout << "skipped: no reference packs: " << files.front() << "\n";
  return false;
}
