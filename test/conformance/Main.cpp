//===- Main.cpp - yarrow-conformance --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks Yarrow against the reference packs and prints one line per pack that
// differs.
//
//   yarrow-conformance --packs ../shared/packs --stage eval --filter resnet
//   yarrow-conformance --network out/net_o.txt --stage cost
//
//===----------------------------------------------------------------------===//
#include "support/ThreadPool.h"
#include "test/conformance/Stages.h"
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>

using namespace yarrow;
using namespace yarrow::conformance;

#ifndef YARROW_CONFORMANCE_PACKS
#define YARROW_CONFORMANCE_PACKS "."
#endif

namespace {
struct Stage {
  std::string name;
  Outcome (*check)(const Pack &, const Options &);
};
const Stage stages[] = {
    {"eval", checkEval},
    {"float", checkFloat},
#ifdef YARROW_CONFORMANCE_NPU
    {"npu", checkNpu},
    {"cost", checkCost},
#endif
};

struct Arguments {
  std::string packs = YARROW_CONFORMANCE_PACKS, filter, stage = "all";
  std::string network; ///< A single one, in the place of all packs.
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
  std::cerr << "usage: yarrow-conformance [--packs DIR] [--filter SUBSTRING] "
               "[--stage eval|float|npu|cost|all]\n"
               "         [--network FILE] [--targets NAME,NAME] [--jobs N] "
               "[--verbose]\n";
  return 2;
}

bool parse(int argc, char **argv, Arguments &args) {
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--verbose") {
      args.verbose = true;
      continue;
    }
    if (i + 1 == argc)
      return false;
    std::string value = argv[++i];
    if (flag == "--packs")
      args.packs = value;
    else if (flag == "--network")
      args.network = value;
    else if (flag == "--filter")
      args.filter = value;
    else if (flag == "--stage")
      args.stage = value;
    else if (flag == "--targets")
      args.options.targets = splitWords(value);
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
  Progress(const Stage &stage, const std::vector<Pack> &packs, bool verbose)
      : stage(stage), packs(packs), verbose(verbose), outcomes(packs.size()) {}

  void add(size_t pack, Outcome outcome) {
    std::lock_guard<std::mutex> lock(mutex);
    outcomes[pack] = std::move(outcome);
    for (; next < packs.size() && outcomes[next]; ++next)
      print(packs[next], *outcomes[next]);
  }

  /// Prints the totals and returns the number that failed.
  size_t finish() const {
    std::cout << stage.name << ": " << count[Outcome::Passed] << " passed, "
              << count[Outcome::Failed] << " failed, "
              << count[Outcome::Skipped] << " skipped";
    if (worst > 0)
      std::cout << " (largest error of floats: " << worst
                << " of a tensor's largest value)";
    std::cout << std::endl;
    return count[Outcome::Failed];
  }

private:
  void print(const Pack &pack, const Outcome &o) {
    ++count[o.kind];
    if (o.kind == Outcome::Passed)
      worst = std::max(worst, o.worstRatio);
    static const char *const words[] = {"pass", "FAIL", "skip"};
    if (o.kind == Outcome::Failed || verbose)
      std::cout << words[o.kind] << " " << stage.name << " " << pack.name
                << ": " << o.text << std::endl;
  }

  const Stage &stage;
  const std::vector<Pack> &packs;
  bool verbose;
  std::mutex mutex;
  std::vector<std::optional<Outcome>> outcomes;
  size_t next = 0, count[3] = {};
  double worst = 0;
};

/// Runs one stage over all packs and returns the number that failed.
size_t runStage(const Stage &stage, const std::vector<Pack> &packs,
                const Arguments &args) {
  Progress progress(stage, packs, args.verbose);
  parallelFor(
      packs.size(),
      [&](size_t i) { progress.add(i, stage.check(packs[i], args.options)); },
      args.jobs);
  return progress.finish();
}
} // namespace

int main(int argc, char **argv) {
  Arguments args;
  if (!parse(argc, argv, args))
    return usage();
  std::vector<Pack> packs = findPacks(args.packs);
  if (!args.network.empty()) {
    std::string_view base = args.network;
    if (base.ends_with(".txt"))
      base.remove_suffix(4);
    packs = {{args.network, "", false, std::string(base)}};
  }
  if (packs.empty()) {
    std::cout << "skipped: no reference packs\n";
    return 0;
  }
  std::erase_if(packs, [&](const Pack &p) {
    return p.name.find(args.filter) == std::string::npos;
  });
  bool known = false;
  size_t failed = 0;
  for (const Stage &stage : stages)
    if (args.stage == "all" || args.stage == stage.name) {
      known = true;
      failed += runStage(stage, packs, args);
    }
  if (!known) {
    std::cerr << "stage " << args.stage << " is not part of this build\n";
    return usage();
  }
  return failed ? 1 : 0;
}
