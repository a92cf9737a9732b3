//===- Main.cpp - yarrow-conformance --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks Yarrow against the reference packs and prints one line per pack that
// differs, or that is refused for a reason that is not on the list.
//
//   yarrow-conformance --packs ../shared/packs
//                      --refusals test/conformance/refusals.txt
//   yarrow-conformance --packs test/conformance/packs --filter Softmax
//   yarrow-conformance --targets X2_1204,Z1_0701 --in-turn --every 3
//   yarrow-conformance --network out/net_o.txt --stage cost
//
//===----------------------------------------------------------------------===//
#include "support/ThreadPool.h"
#include "test/conformance/Refusals.h"
#include "test/conformance/Stages.h"
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>

using namespace yarrow;
using namespace yarrow::conformance;

#ifndef YARROW_CONFORMANCE_PACKS
#define YARROW_CONFORMANCE_PACKS "."
#endif

namespace {
/// ctest counts this exit code as "skipped".
constexpr int kSkipped = 77;

struct Stage {
  std::string name;
  std::string ir; ///< The one that it reads.
  Outcome (*check)(const Pack &, const Options &);
  bool isOnnx = false;     ///< Of these packs, or of all others.
  bool isModel = false;    ///< Of models of another folder.
  bool isOptional = false; ///< No part of "all".
};
const Stage stages[] = {
    {"eval", "int", checkEval},
    {"float", "float", checkFloat},
    // Many packs of single layers have no model to go through.
    {"qdq", "qdq", checkQdq, /*isOnnx=*/false, /*isModel=*/false,
     /*isOptional=*/true},
    {"qnn", "qnn", checkQnn, /*isOnnx=*/false, /*isModel=*/false,
     /*isOptional=*/true},
#ifdef YARROW_CONFORMANCE_NPU
    {"npu", "int", checkNpu},
    {"cost", "int", checkCost},
    {"onnx", "onnx", checkOnnx, /*isOnnx=*/true},
    {"import-npu", "import-npu", checkImportNpu, /*isOnnx=*/false,
     /*isModel=*/true},
#endif
    {"import", "import", checkImport, /*isOnnx=*/false, /*isModel=*/true},
};

struct Arguments {
  std::string packs = YARROW_CONFORMANCE_PACKS, filter, stage = "all";
  std::string refusals; ///< "": no pack may be skipped.
  std::string network;  ///< A single one, in the place of all packs.
  std::string models;   ///< Folder of ONNX's tests.
  bool table = false;   ///< Of models by operator.
  size_t every = 1;     ///< Of the packs every so many are taken.
  bool inTurn = false;  ///< A pack has one of the targets, the next the next.
  unsigned jobs = 2;
  bool verbose = false;
  Options options;
};

std::vector<std::string> splitWords(const std::string &list) {
  std::vector<std::string> words(1);
  for (char c : list)
    if (c == ',')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

int usage() {
  std::cerr << "usage: yarrow-conformance [--packs DIR] [--refusals FILE] "
               "[--filter SUBSTRING]\n"
               "         [--stage "
               "eval|float|qdq|qnn|npu|cost|onnx|import|import-npu|all]\n"
               "         [--network FILE] [--models DIR] [--table]\n"
               "         [--targets NAME,NAME] [--in-turn] [--every N] "
               "[--jobs N] [--verbose]\n";
  return 2;
}

bool parse(int argc, char **argv, Arguments &args) {
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--verbose") {
      args.verbose = true;
      continue;
    }
    if (flag == "--table") {
      args.table = true;
      continue;
    }
    if (flag == "--in-turn") {
      args.inTurn = true;
      continue;
    }
    if (i + 1 == argc)
      return false;
    std::string value = argv[++i];
    if (flag == "--packs")
      args.packs = value;
    else if (flag == "--refusals")
      args.refusals = value;
    else if (flag == "--network")
      args.network = value;
    else if (flag == "--models")
      args.models = value;
    else if (flag == "--filter")
      args.filter = value;
    else if (flag == "--stage")
      args.stage = value;
    else if (flag == "--targets")
      args.options.targets = splitWords(value);
    else if (flag == "--every")
      args.every = size_t(std::max(1, std::atoi(value.c_str())));
    else if (flag == "--jobs")
      args.jobs = unsigned(std::max(1, std::atoi(value.c_str())));
    else
      return false;
  }
  return true;
}

/// The outcomes of a stage, printed in the order of the packs as soon as all
/// packs before them are done.
class Progress {
public:
  Progress(const Stage &stage, const std::vector<Pack> &packs,
           const Refusals &refusals, bool verbose)
      : stage(stage), packs(packs), refusals(refusals), verbose(verbose),
        outcomes(packs.size()) {}

  void add(size_t pack, Outcome outcome) {
    std::lock_guard<std::mutex> lock(mutex);
    outcomes[pack] = std::move(outcome);
    for (; next < packs.size() && outcomes[next]; ++next)
      print(packs[next], *outcomes[next]);
  }

  /// Prints the totals and returns the number that failed. If \p isComplete,
  /// also where the refused packs are not as many as the list says.
  size_t finish(bool isComplete) {
    if (isComplete)
      for (const std::string &text : refusals.differences(stage.ir, reasons)) {
        ++count[Outcome::Failed];
        std::cout << "FAIL " << stage.name << " " << text << '\n';
      }
    std::cout << stage.name << ": " << count[Outcome::Passed] << " passed, "
              << count[Outcome::Failed] << " failed, "
              << count[Outcome::Skipped] << " skipped";
    if (worst > 0)
      std::cout << " (largest error of floats: " << worst
                << " of a tensor's largest value)";
    std::cout << '\n' << std::flush;
    return count[Outcome::Failed];
  }

  /// Of each operator how many models that have it pass.
  void printTable() const {
    std::map<std::string, std::pair<size_t, size_t>> rows;
    for (auto &outcome : outcomes)
      for (const std::string &name : outcome->operators) {
        rows[name].first += outcome->kind == Outcome::Passed;
        ++rows[name].second;
      }
    for (auto &[name, row] : rows)
      std::cout << name << " " << row.first << " of " << row.second << '\n';
  }

private:
  /// Fails a pack that is skipped for a reason that is not on the list.
  void judge(Outcome &o) {
    for (const std::string &reason : o.reasons) {
      ++reasons[reason];
      o.text += (o.text.empty() ? "" : ", ") + reason;
      if (!refusals.allows(stage.ir, reason))
        o.kind = Outcome::Failed;
    }
  }

  void print(const Pack &pack, Outcome &o) {
    judge(o);
    ++count[o.kind];
    if (o.kind == Outcome::Passed)
      worst = std::max(worst, o.worstRatio);
    static const char *const words[] = {"pass", "FAIL", "skip"};
    if (o.kind == Outcome::Failed || verbose)
      std::cout << words[o.kind] << " " << stage.name << " " << pack.name
                << ": " << o.text << '\n'
                << std::flush;
  }

  const Stage &stage;
  const std::vector<Pack> &packs;
  const Refusals &refusals;
  Refusals::Counts reasons; ///< Of all packs so far.
  bool verbose;
  std::mutex mutex;
  std::vector<std::optional<Outcome>> outcomes;
  size_t next = 0, count[3] = {};
  double worst = 0;
};

/// Runs one stage over all packs and returns the number that failed.
size_t runStage(const Stage &stage, std::vector<Pack> packs,
                const Refusals &refusals, const Arguments &args) {
  std::erase_if(packs, [&](const Pack &p) {
    return p.isOnnx != stage.isOnnx || p.isModel != stage.isModel;
  });
  if (stage.isModel && packs.empty()) {
    std::cout << stage.name << ": skipped: no models\n";
    return 0;
  }
  Progress progress(stage, packs, refusals, args.verbose);
  parallelFor(
      packs.size(),
      [&](size_t i) {
        Options options = args.options;
        if (args.inTurn)
          options.targets = {options.targets[i % options.targets.size()]};
        progress.add(i, stage.check(packs[i], options));
      },
      args.jobs);
  if (args.table && stage.isModel)
    progress.printTable();
  return progress.finish(
      /*isComplete=*/args.filter.empty() && args.every == 1);
}
} // namespace

int main(int argc, char **argv) {
  Arguments args;
  if (!parse(argc, argv, args))
    return usage();
  Refusals refusals;
  if (!args.refusals.empty())
    if (std::string why = refusals.read(args.refusals); !why.empty()) {
      std::cerr << why << "\n";
      return 2;
    }
  std::vector<Pack> packs = findPacks(args.packs);
  if (!args.models.empty()) {
    std::vector<Pack> models = findModels(args.models);
    packs.insert(packs.end(), models.begin(), models.end());
  }
  if (!args.network.empty()) {
    std::string_view base = args.network;
    if (base.ends_with(".txt"))
      base.remove_suffix(4);
    Pack network;
    network.name = args.network;
    network.integerIr = base;
    packs = {network};
  }
  if (packs.empty()) {
    std::cout << "skipped: no reference packs\n";
    return kSkipped;
  }
  std::erase_if(packs, [&](const Pack &p) {
    return p.name.find(args.filter) == std::string::npos;
  });
  size_t place = 0;
  std::erase_if(packs, [&](const Pack &) { return place++ % args.every != 0; });
  bool known = false;
  size_t failed = 0;
  for (const Stage &stage : stages)
    if (args.stage == stage.name ||
        (args.stage == "all" && !stage.isOptional)) {
      known = true;
      failed += runStage(stage, packs, refusals, args);
    }
  if (!known) {
    std::cerr << "stage " << args.stage << " is not part of this build\n";
    return usage();
  }
  return failed ? 1 : 0;
}
