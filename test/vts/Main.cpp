//===- Main.cpp - yarrow-vts: recorded cases of NNAPI ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Replays recorded cases on the evaluator or a simulated machine, prints each
// that fails or is refused with the reason, and their numbers. Fails if there
// is one, or no case at all.
//
// On a machine a case goes through the C library, as a client's model would. It
// is compiled once for all ways to execute it.
//
//   yarrow-vts --evaluator nnapi_vts/V1_2.jsonl
//   yarrow-vts --target X2_1204 --operation CONV_2D nnapi_vts/*.jsonl
//   yarrow-vts --target X2_1204 --way sync,burst --every 13 nnapi_vts/*.jsonl
//   yarrow-vts --target X2_1204 --turns async,memory nnapi_vts/*.jsonl
//
//===----------------------------------------------------------------------===//
#include "support/Format.h"
#include "support/OrderedLoop.h"
#include "support/TextTable.h"
#include "test/vts/LibraryReplay.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>

using namespace yarrow;
using namespace yarrow::vts;

namespace {

constexpr int kSkipped = 77; // SKIP_RETURN_CODE of ctest

struct Arguments {
  std::string target, filter, operation;
  std::vector<Way> ways = {Way::Sync};
  /// Each case is executed in one of them as well, by turns.
  std::vector<Way> turns;
  bool isSigned = false, isTableWanted = false;
  /// Of the cases that are wanted every so many are taken.
  std::size_t every = 1;
  std::vector<std::string> files;
};

struct Totals {
  struct Row {
    std::size_t passed = 0, failed = 0, refused = 0;
    Difference difference;
  };
  std::map<std::string, Row> byOperation;
  Row all;

  void add(const std::string &operation, const Outcome &outcome) {
    for (Row *row : {&byOperation[operation], &all}) {
      row->passed += outcome.kind == Outcome::Passed;
      row->failed += outcome.kind == Outcome::Failed;
      row->refused += outcome.kind == Outcome::Refused;
      row->difference += outcome.difference;
    }
  }
};

/// Plays a case, the i-th of its file.
using Player = std::function<Outcome(const Case &, std::size_t)>;

/// Of a list of names; false if one is none.
bool parseWays(std::string_view names, std::vector<Way> &ways) {
  ways.clear();
  while (!names.empty()) {
    std::size_t end = std::min(names.find(','), names.size());
    auto way = std::ranges::find(kWays, names.substr(0, end),
                                 [](auto pair) { return pair.first; });
    if (way == std::end(kWays))
      return false;
    ways.push_back(way->second);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return !ways.empty();
}

bool parse(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--evaluator")
      arguments.target.clear();
    else if (option == "--table")
      arguments.isTableWanted = true;
    else if (option == "--signed")
      arguments.isSigned = true;
    else if (i + 1 < argc && option == "--every")
      arguments.every = std::strtoul(argv[++i], nullptr, 10);
    else if (i + 1 < argc && (option == "--way" || option == "--turns")) {
      if (!parseWays(argv[++i],
                     option == "--way" ? arguments.ways : arguments.turns))
        return false;
    } else if (i + 1 < argc && option == "--target")
      arguments.target = argv[++i];
    else if (i + 1 < argc && option == "--filter")
      arguments.filter = argv[++i];
    else if (i + 1 < argc && option == "--operation")
      arguments.operation = argv[++i];
    else if (option.starts_with("-"))
      return false;
    else
      arguments.files.emplace_back(option);
  }
  return !arguments.files.empty() && arguments.every > 0;
}

bool isWanted(const Case &recorded, const Arguments &arguments) {
  return recorded.name.find(arguments.filter) != std::string::npos &&
         (arguments.operation.empty() ||
          recorded.operation() == arguments.operation);
}

/// The case, or its signed twin; nullopt if it is not wanted.
std::optional<Case> chosen(Case recorded, const Arguments &arguments) {
  if (!isWanted(recorded, arguments))
    return std::nullopt;
  return arguments.isSigned ? signedTwin(recorded)
                            : std::optional(std::move(recorded));
}

void judge(const Case &recorded, const Outcome &outcome, Totals &totals) {
  totals.add(recorded.operation(), outcome);
  if (outcome.kind != Outcome::Passed)
    std::cout << (outcome.kind == Outcome::Failed ? "failed " : "refused ")
              << recorded.name << ": " << outcome.why << "\n";
}

/// False after errors of the file itself.
bool replayFile(const CaseFile &file, const Arguments &arguments,
                const Player &play, Totals &totals, DiagnosticEngine &diags) {
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
        slot.recorded.reset();
        if (i % arguments.every != 0)
          return true;
        auto recorded = file.read(i, diags);
        if (!recorded)
          return false;
        slot.recorded = chosen(std::move(*recorded), arguments);
        if (slot.recorded)
          slot.outcome = play(*slot.recorded, i);
        return true;
      },
      [&](std::size_t i) {
        const Slot &slot = slots[i % window];
        if (slot.recorded)
          judge(*slot.recorded, slot.outcome, totals);
        return true;
      });
}

/// Null if there is no such target.
Player playerFor(const Arguments &arguments) {
  if (arguments.target.empty())
    return [backend = nnapi::evaluatorBackend()](const Case &recorded,
                                                 std::size_t) {
      return replay(recorded, backend);
    };
  std::string device = "yarrow-" + arguments.target;
  if (!LibraryClient::hasDevice(device))
    return nullptr;
  return [client = LibraryClient(device), &arguments](const Case &recorded,
                                                      std::size_t i) {
    std::vector<Way> ways = arguments.ways;
    if (!arguments.turns.empty())
      ways.push_back(
          arguments.turns[i / arguments.every % arguments.turns.size()]);
    return replay(recorded, client, ways);
  };
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
  Player play = playerFor(arguments);
  if (!play) {
    std::cerr << "yarrow-vts: there is no target " << arguments.target << "\n";
    return 2;
  }
  DiagnosticEngine diags;
  bool ok = true;
  Totals totals;
  for (const std::string &path : arguments.files) {
    auto file = ok ? CaseFile::open(path, diags) : nullptr;
    ok = file && replayFile(*file, arguments, play, totals, diags);
  }
  if (!ok) {
    diags.print(std::cerr);
    return 1;
  }
  if (arguments.isTableWanted)
    std::cout << table(totals);
  const Difference &d = totals.all.difference;
  std::cout << "8-bit results: " << formatCount(d.equal) << " equal, "
            << formatCount(d.offByOne) << " off by one, " << formatCount(d.more)
            << " more\n"
            << totals.all.passed << " passed, " << totals.all.failed
            << " failed, " << totals.all.refused << " refused\n";
  bool isGood = totals.all.passed > 0 && totals.all.failed == 0 &&
                totals.all.refused == 0;
  return isGood ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (parse(argc, argv, arguments))
    return run(arguments);
  std::cerr
      << "usage: yarrow-vts [--evaluator | --target T] [--filter TEXT] "
         "[--operation NAME]\n"
         "                  [--way LIST] [--turns LIST] [--signed] [--every N] "
         "[--table] FILE.jsonl...\n"
         "lists of: sync,async,burst,fenced,reusable,memory,unsized\n";
  return 2;
}
