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
#include "test/vts/LibraryReplay.h"
#include "test/vts/Totals.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>

using namespace yarrow;
using namespace yarrow::vts;

namespace {

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

struct Slot {
  std::optional<Case> recorded; ///< None: it is not wanted.
  Outcome outcome = {};
};

int run(const Arguments &arguments) {
  if (!haveCases(arguments.files))
    return kSkipped;
  Player play = playerFor(arguments);
  if (!play) {
    std::cerr << "yarrow-vts: there is no target " << arguments.target << "\n";
    return 2;
  }
  DiagnosticEngine diags;
  Totals totals("operation");
  bool isWhole = forEachCase<Slot>(
      arguments.files, arguments.every, diags,
      [&](Case recorded, std::size_t i, Slot &slot) {
        slot.recorded = chosen(std::move(recorded), arguments);
        if (slot.recorded)
          slot.outcome = play(*slot.recorded, i);
      },
      [&](const Slot &slot) {
        if (!slot.recorded)
          return;
        totals.add(slot.recorded->operation(), slot.outcome);
        std::cout << lineOf(slot.recorded->name, slot.outcome);
      });
  if (!isWhole) {
    diags.print(std::cerr);
    return 1;
  }
  if (arguments.isTableWanted)
    std::cout << totals.table();
  std::cout << totals.summary();
  return totals.isGood() ? 0 : 1;
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
