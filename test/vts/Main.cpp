//===- Main.cpp - yarrow-vts: recorded cases of NNAPI ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Replays recorded cases on the evaluator or a simulated machine, prints each
// that fails or is refused with the reason, and their numbers. Fails for what
// the list of allowed ones does not have, and for lines there that nothing
// needs.
//
//   yarrow-vts --evaluator nnapi_vts/V1_2.jsonl
//   yarrow-vts --target X2_1204 --operation CONV_2D nnapi_vts/*.jsonl
//
//===----------------------------------------------------------------------===//
#include "isa/Machine.h"
#include "support/Format.h"
#include "support/OrderedLoop.h"
#include "support/TextTable.h"
#include "test/vts/Allowed.h"
#include "test/vts/Replay.h"
#include <filesystem>
#include <iostream>
#include <map>

using namespace yarrow;
using namespace yarrow::vts;

namespace {

constexpr int kSkipped = 77; // SKIP_RETURN_CODE of ctest

struct Arguments {
  std::string target, filter, operation, allowed;
  bool isTableWanted = false;
  std::vector<std::string> files;
};

struct Totals {
  struct Row {
    std::size_t passed = 0, failed = 0, refused = 0;
    Difference difference;
  };
  std::map<std::string, Row> byOperation;
  Row all;
  std::size_t unexpected = 0;

  void add(const std::string &operation, const Outcome &outcome) {
    for (Row *row : {&byOperation[operation], &all}) {
      row->passed += outcome.kind == Outcome::Passed;
      row->failed += outcome.kind == Outcome::Failed;
      row->refused += outcome.kind == Outcome::Refused;
      row->difference += outcome.difference;
    }
  }
};

bool parse(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--evaluator")
      arguments.target.clear();
    else if (option == "--table")
      arguments.isTableWanted = true;
    else if (i + 1 < argc && option == "--target")
      arguments.target = argv[++i];
    else if (i + 1 < argc && option == "--filter")
      arguments.filter = argv[++i];
    else if (i + 1 < argc && option == "--operation")
      arguments.operation = argv[++i];
    else if (i + 1 < argc && option == "--allowed")
      arguments.allowed = argv[++i];
    else if (option.starts_with("-"))
      return false;
    else
      arguments.files.emplace_back(option);
  }
  return !arguments.files.empty();
}

bool isWanted(const Case &recorded, const Arguments &arguments) {
  return recorded.name.find(arguments.filter) != std::string::npos &&
         (arguments.operation.empty() ||
          recorded.operation() == arguments.operation);
}

/// False after errors of the file itself.
bool replayFile(const CaseFile &file, const Arguments &arguments,
                const std::shared_ptr<nnapi::Backend> &backend,
                Allowed &allowed, Totals &totals, DiagnosticEngine &diags) {
  struct Slot {
    std::optional<Case> recorded;
    Outcome outcome;
  };
  std::size_t window = defaultWindow();
  std::vector<Slot> slots(window);
  return orderedLoop(
      file.count(), window,
      [&](std::size_t i) {
        Slot &slot = slots[i % window];
        slot.recorded = file.read(i, diags);
        if (slot.recorded && isWanted(*slot.recorded, arguments))
          slot.outcome = replay(*slot.recorded, backend);
        return slot.recorded.has_value();
      },
      [&](std::size_t i) {
        const Slot &slot = slots[i % window];
        const Case &recorded = *slot.recorded;
        if (!isWanted(recorded, arguments))
          return true;
        totals.add(recorded.operation(), slot.outcome);
        if (slot.outcome.kind == Outcome::Passed)
          return true;
        bool isAllowed = allowed.allows(recorded.name);
        totals.unexpected += !isAllowed;
        std::cout << (isAllowed ? "allowed " : "")
                  << (slot.outcome.kind == Outcome::Failed ? "failed "
                                                           : "refused ")
                  << recorded.name << ": " << slot.outcome.why << "\n";
        return true;
      });
}

std::string table(const Totals &totals) {
  TextTable table;
  table.column("operation").number("passed").number("failed");
  table.number("refused").number("equal").number("1 off").number("more");
  for (const auto &[operation, row] : totals.byOperation)
    table.row({operation, formatCount(row.passed), formatCount(row.failed),
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
  std::shared_ptr<nnapi::Backend> backend = nnapi::evaluatorBackend();
  if (!arguments.target.empty()) {
    auto machine = isa::findTarget(arguments.target, diags);
    backend = machine ? nnapi::npuBackend(*machine) : nullptr;
  }
  Allowed allowed;
  bool ok = backend && allowed.read(arguments.allowed, diags);
  Totals totals;
  for (const std::string &path : arguments.files) {
    auto file = ok ? CaseFile::open(path, diags) : nullptr;
    ok = file && replayFile(*file, arguments, backend, allowed, totals, diags);
  }
  if (!ok) {
    diags.print(std::cerr);
    return 1;
  }
  if (arguments.isTableWanted)
    std::cout << table(totals);
  bool isWhole = arguments.filter.empty() && arguments.operation.empty();
  std::vector<std::string> unneeded;
  if (isWhole)
    unneeded = allowed.unneeded();
  for (const std::string &line : unneeded)
    std::cout << "not needed any more: " << line << "\n";
  const Difference &d = totals.all.difference;
  std::cout << "8-bit results: " << formatCount(d.equal) << " equal, "
            << formatCount(d.offByOne) << " off by one, " << formatCount(d.more)
            << " more\n"
            << totals.all.passed << " passed, " << totals.all.failed
            << " failed, " << totals.all.refused << " refused\n";
  return totals.unexpected || !unneeded.empty() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (parse(argc, argv, arguments))
    return run(arguments);
  std::cerr << "usage: yarrow-vts [--evaluator | --target T] [--filter TEXT] "
               "[--operation NAME]\n"
               "                  [--allowed FILE] [--table] FILE.jsonl...\n";
  return 2;
}
