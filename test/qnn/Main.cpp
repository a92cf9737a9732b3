//===- Main.cpp - yarrow-qnn-twins: recorded cases as graphs of QNN -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes recorded cases of NNAPI as graphs of QNN, computes them, and compares
// with what is recorded. Prints each that fails or is refused, and a table by
// operator. Fails if one does, or if an operator of Twins.def has no case.
//
//   yarrow-qnn-twins nnapi_vts/*.jsonl
//   yarrow-qnn-twins --target X2_1204 --every 7 nnapi_vts/*.jsonl
//   yarrow-qnn-twins --op Conv2d --why nnapi_vts/V1_2.jsonl
//
//===----------------------------------------------------------------------===//
#include "support/Format.h"
#include "support/OrderedLoop.h"
#include "support/TextTable.h"
#include "test/qnn/TwinRunner.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

using namespace yarrow;
using namespace yarrow::qnntwins;
using vts::Outcome;

namespace {

constexpr int kSkipped = 77; // SKIP_RETURN_CODE of ctest

struct Arguments {
  std::string target, op, filter;
  bool tellsWhy = false; ///< Also why cases have no twin.
  std::size_t every = 1; ///< Of the cases every so many are taken.
  std::vector<std::string> files;
};

struct Row {
  std::size_t passed = 0, failed = 0, refused = 0;
  vts::Difference difference = {};
};

struct Totals {
  std::map<std::string, Row> byOp;
  Row all;
  std::map<std::string, std::size_t> withoutTwin; ///< By reason.

  void add(const std::string &op, const Outcome &outcome) {
    for (Row *row : {&byOp[op], &all}) {
      row->passed += outcome.kind == Outcome::Passed;
      row->failed += outcome.kind == Outcome::Failed;
      row->refused += outcome.kind == Outcome::Refused;
      row->difference += outcome.difference;
    }
  }
};

/// One case, between the two halves of the loop.
struct Slot {
  std::optional<Twin> twin;
  std::string why;
  Outcome outcome;
};

bool parse(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--why")
      arguments.tellsWhy = true;
    else if (i + 1 < argc && option == "--target")
      arguments.target = argv[++i];
    else if (i + 1 < argc && option == "--op")
      arguments.op = argv[++i];
    else if (i + 1 < argc && option == "--filter")
      arguments.filter = argv[++i];
    else if (i + 1 < argc && option == "--every")
      arguments.every = std::strtoul(argv[++i], nullptr, 10);
    else if (option.starts_with("-"))
      return false;
    else
      arguments.files.emplace_back(option);
  }
  return !arguments.files.empty() && arguments.every > 0;
}

bool isWanted(const Twin &twin, const Arguments &arguments) {
  return (arguments.op.empty() || twin.op == arguments.op) &&
         twin.name.find(arguments.filter) != std::string::npos;
}

void judge(const Slot &slot, Totals &totals) {
  if (!slot.twin)
    return;
  const Outcome &outcome = slot.outcome;
  totals.add(slot.twin->op, outcome);
  if (outcome.kind != Outcome::Passed)
    std::cout << (outcome.kind == Outcome::Failed ? "failed " : "refused ")
              << slot.twin->op << " " << slot.twin->name << ": " << outcome.why
              << "\n";
}

/// False after errors of the file itself.
bool runFile(const vts::CaseFile &file, const Arguments &arguments,
             const TwinRunner &runner, Totals &totals,
             DiagnosticEngine &diags) {
  std::size_t window = defaultWindow();
  std::vector<Slot> slots(window);
  return orderedLoop(
      file.count(), window,
      [&](std::size_t i) {
        Slot &slot = slots[i % window];
        slot = {};
        if (i % arguments.every != 0)
          return true;
        auto recorded = file.read(i, diags);
        if (!recorded)
          return false;
        slot.twin = qnnTwin(*recorded, slot.why);
        if (slot.twin && !isWanted(*slot.twin, arguments))
          slot.twin.reset();
        if (slot.twin)
          slot.outcome = runner.run(*slot.twin);
        return true;
      },
      [&](std::size_t i) {
        const Slot &slot = slots[i % window];
        if (!slot.why.empty())
          ++totals.withoutTwin[slot.why];
        judge(slot, totals);
        return true;
      });
}

std::string table(const Totals &totals) {
  TextTable table;
  table.column("operator").number("passed").number("failed");
  table.number("refused").number("equal").number("1 off").number("more");
  for (const auto &[op, row] : totals.byOp)
    table.row({op, formatCount(row.passed), formatCount(row.failed),
               formatCount(row.refused), formatCount(row.difference.equal),
               formatCount(row.difference.offByOne),
               formatCount(row.difference.more)});
  return table.str();
}

int run(const Arguments &arguments) {
  if (!std::filesystem::exists(arguments.files.front())) {
    std::cout << "skipped: no reference packs: " << arguments.files.front()
              << "\n";
    return kSkipped;
  }
  DiagnosticEngine diags;
  std::optional<isa::Machine> machine;
  bool ok = true;
  if (!arguments.target.empty()) {
    machine = isa::findTarget(arguments.target, diags);
    ok = machine.has_value();
  }
  TwinRunner runner(machine);
  Totals totals;
  for (const std::string &path : arguments.files) {
    auto file = ok ? vts::CaseFile::open(path, diags) : nullptr;
    ok = file && runFile(*file, arguments, runner, totals, diags);
  }
  if (!ok) {
    diags.print(std::cerr);
    return 1;
  }
  std::cout << table(totals);
  if (arguments.tellsWhy)
    for (const auto &[why, count] : totals.withoutTwin)
      std::cout << "no twin (" << count << "): " << why << "\n";
  const vts::Difference &d = totals.all.difference;
  std::cout << "8-bit results: " << formatCount(d.equal) << " equal, "
            << formatCount(d.offByOne) << " off by one, " << formatCount(d.more)
            << " more\n"
            << totals.byOp.size() << " operators, " << totals.all.passed
            << " passed, " << totals.all.failed << " failed, "
            << totals.all.refused << " refused\n";
  bool isNothing = totals.all.passed == 0;
  return isNothing || totals.all.failed || totals.all.refused ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (parse(argc, argv, arguments))
    return run(arguments);
  std::cerr << "usage: yarrow-qnn-twins [--target T] [--op NAME] [--filter "
               "TEXT] [--every N] [--why]\n"
               "                        FILE.jsonl...\n";
  return 2;
}
