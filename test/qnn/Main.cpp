//===- Main.cpp - yarrow-qnn-twins: recorded cases as graphs of QNN -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes recorded cases of NNAPI as graphs of QNN, computes them, and compares
// with what is recorded. Prints each that fails or is refused, and a table by
// operator. Fails if one does, or if all cases ran and an operator of Twins.def
// has none.
//
//   yarrow-qnn-twins nnapi_vts/*.jsonl
//   yarrow-qnn-twins --target X2_1204 --every 7 nnapi_vts/*.jsonl
//   yarrow-qnn-twins --op Conv2d --why nnapi_vts/V1_2.jsonl
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinRunner.h"
#include "test/vts/Totals.h"
#include <cstdlib>
#include <iostream>

using namespace yarrow;
using namespace yarrow::qnntwins;
using vts::Outcome;

namespace {

struct Arguments {
  std::string target, op, filter;
  bool explainsWhy = false; ///< Also why cases have no twin.
  std::size_t every = 1;    ///< Of the cases every so many are taken.
  std::vector<std::string> files;
};

/// One case, between the two halves of the loop.
struct Slot {
  std::optional<Twin> twin; ///< None: there is none, or it is not wanted.
  std::string why = {};     ///< There is none.
  Outcome outcome = {};
};

bool parse(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--why")
      arguments.explainsWhy = true;
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

/// Where all cases ran each operator has some.
bool isComplete(const vts::Totals &totals, const Arguments &arguments) {
  if (arguments.every != 1 || !arguments.op.empty() ||
      !arguments.filter.empty())
    return true;
  std::size_t missing = 0;
  for (const std::string &op : twinOps())
    if (!totals.has(op)) {
      std::cout << "no case of " << op << "\n";
      ++missing;
    }
  return missing == 0;
}

int run(const Arguments &arguments) {
  if (!vts::haveCases(arguments.files))
    return vts::kSkipped;
  DiagnosticEngine diags;
  std::optional<isa::Machine> machine;
  if (!arguments.target.empty())
    machine = isa::findTarget(arguments.target, diags);
  bool ok = arguments.target.empty() || machine;
  TwinRunner runner(machine);
  vts::Totals totals("operator");
  std::map<std::string, std::size_t> withoutTwin; // by reason
  ok = ok && vts::forEachCase<Slot>(
                 arguments.files, arguments.every, diags,
                 [&](vts::Case recorded, std::size_t, Slot &slot) {
                   slot.twin = qnnTwin(recorded, slot.why);
                   if (slot.twin && !isWanted(*slot.twin, arguments))
                     slot.twin.reset();
                   if (slot.twin)
                     slot.outcome = runner.run(*slot.twin);
                 },
                 [&](const Slot &slot) {
                   if (!slot.why.empty())
                     ++withoutTwin[slot.why];
                   if (!slot.twin)
                     return;
                   totals.add(slot.twin->op, slot.outcome);
                   std::cout << vts::lineOf(
                       slot.twin->op + " " + slot.twin->name, slot.outcome);
                 });
  if (!ok) {
    diags.print(std::cerr);
    return 1;
  }
  std::cout << totals.table();
  if (arguments.explainsWhy)
    for (const auto &[why, count] : withoutTwin)
      std::cout << "no twin (" << count << "): " << why << "\n";
  std::cout << totals.numNames() << " operators\n" << totals.summary();
  return isComplete(totals, arguments) && totals.isGood() ? 0 : 1;
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
