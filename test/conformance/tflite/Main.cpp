//===- Main.cpp - yarrow-tflite: models beside what TFLite computed -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs every TFLite model of a folder of packs on the evaluator and prints, by
// operator, how many of its stored integers are TensorFlow Lite's: equal, one
// off, more. Fails for what the list of allowed differences does not have.
//
//   yarrow-tflite --packs ../shared/packs/tflite --allowed allowed.txt
//
//===----------------------------------------------------------------------===//
#include "support/Format.h"
#include "support/TextTable.h"
#include "test/conformance/tflite/Allowed.h"
#include "test/conformance/tflite/CheckPack.h"
#include <cstdio>
#include <iostream>
#include <string_view>

using namespace yarrow;
using namespace yarrow::conformance;

namespace {

constexpr int kSkipped = 77; // SKIP_RETURN_CODE of ctest

struct Arguments {
  std::string packs = YARROW_TFLITE_PACKS, allowed, filter;
  bool isVerbose = false;
};

/// What all packs together gave.
struct Totals {
  std::map<std::string, OperatorResult> byOperator;
  std::set<std::string> packs;
  std::vector<std::string> failures;
  std::size_t refused = 0;
};

bool parse(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--verbose")
      arguments.isVerbose = true;
    else if (i + 1 < argc && option == "--packs")
      arguments.packs = argv[++i];
    else if (i + 1 < argc && option == "--allowed")
      arguments.allowed = argv[++i];
    else if (i + 1 < argc && option == "--filter")
      arguments.filter = argv[++i];
    else
      return false;
  }
  return true;
}

std::string worstText(double worst) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", worst);
  return text;
}

std::string table(const std::map<std::string, OperatorResult> &rows) {
  TextTable table;
  table.column("operator").number("tensors").number("elements");
  table.number("equal").number("1 off").number("more").number("worst");
  for (const auto &[op, row] : rows) {
    const StoredDifference &d = row.difference;
    table.row({op, formatCount(row.tensors), formatCount(d.elements),
               formatCount(d.equal), formatCount(d.offByOne),
               formatCount(d.more), worstText(d.worst)});
  }
  return table.str();
}

void judge(const TflitePack &pack, const PackResult &result, Allowed &allowed,
           Totals &totals) {
  totals.packs.insert(pack.name);
  auto fail = [&](const std::string &what) {
    totals.failures.push_back(pack.name + ": " + what);
  };
  if (!result.refusal.empty()) {
    ++totals.refused;
    if (!allowed.allowsRefusal(pack.name, result.refusal))
      fail("refused, " + result.refusal + result.messages);
    return;
  }
  if (!result.problem.empty())
    fail(result.problem);
  for (const auto &[op, row] : result.byOperator) {
    bool isWhole = op == "OUTPUT" && !pack.onlyOp.empty();
    OperatorResult &total = totals.byOperator[isWhole ? pack.onlyOp : op];
    total.tensors += row.tensors;
    total.difference += row.difference;
    if (!allowed.allows(pack.name, isWhole ? pack.onlyOp : op,
                        row.difference.worst))
      fail(op + " differs by " + worstText(row.difference.worst) + " in " +
           formatCount(row.difference.elements - row.difference.equal) +
           " of " + formatCount(row.difference.elements) +
           " elements, first in " + row.first);
  }
}

int run(const Arguments &arguments) {
  DiagnosticEngine diags;
  std::vector<TflitePack> packs = findTflitePacks(arguments.packs, diags);
  if (packs.empty()) {
    std::cout << "skipped: no reference packs in " << arguments.packs << "\n";
    return kSkipped;
  }
  Allowed allowed;
  if (std::string problem =
          arguments.allowed.empty() ? "" : allowed.read(arguments.allowed);
      !problem.empty() || diags.hasErrors()) {
    diags.print(std::cerr);
    std::cerr << problem << "\n";
    return 1;
  }
  Totals totals;
  for (const TflitePack &pack : packs) {
    if (pack.name.find(arguments.filter) == std::string::npos)
      continue;
    PackResult result = checkPack(pack);
    judge(pack, result, allowed, totals);
    if (!arguments.isVerbose)
      continue;
    std::cout << pack.name << "\n" << table(result.byOperator);
    for (const std::string &name : result.vanished)
      std::cout << "  no tensor any more: " << name << "\n";
  }
  for (const std::string &line : allowed.unneeded(totals.packs))
    totals.failures.push_back("not needed on the list any more: " + line);
  std::cout << table(totals.byOperator);
  for (const std::string &failure : totals.failures)
    std::cout << "FAILED " << failure << "\n";
  std::cout << totals.packs.size() << " models, " << totals.refused
            << " refused, " << totals.failures.size() << " failures\n";
  return totals.failures.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::cerr << "usage: yarrow-tflite [--packs FOLDER] [--allowed FILE] "
                 "[--filter TEXT] [--verbose]\n";
    return 2;
  }
  return run(arguments);
}
