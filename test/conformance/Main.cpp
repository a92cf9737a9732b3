//===- Main.cpp - yarrow-conformance --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks Yarrow against the reference packs and prints one line per pack that
// differs.
//
//   yarrow-conformance --packs ../shared/packs --stage eval --filter resnet
//
//===----------------------------------------------------------------------===//
#include "support/ThreadPool.h"
#include "test/conformance/Stages.h"
#include <algorithm>
#include <cstdlib>
#include <iostream>

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
#endif
};

struct Arguments {
  std::string packs = YARROW_CONFORMANCE_PACKS, filter, stage = "all";
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
               "[--stage eval|float|npu|all]\n"
               "         [--targets NAME,NAME] [--jobs N] [--verbose]\n";
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

/// Runs one stage over all packs, prints, and returns the number that failed.
size_t runStage(const Stage &stage, const std::vector<Pack> &packs,
                const Arguments &args) {
  std::vector<Outcome> outcomes(packs.size());
  parallelFor(
      packs.size(),
      [&](size_t i) { outcomes[i] = stage.check(packs[i], args.options); },
      args.jobs);
  size_t count[3] = {};
  double worst = 0;
  for (size_t i = 0; i < packs.size(); ++i) {
    const Outcome &o = outcomes[i];
    ++count[o.kind];
    worst = std::max(worst, o.kind == Outcome::Passed ? o.worstRatio : 0.0);
    static const char *const words[] = {"pass", "FAIL", "skip"};
    if (o.kind == Outcome::Failed || args.verbose)
      std::cout << words[o.kind] << " " << stage.name << " " << packs[i].name
                << ": " << o.text << "\n";
  }
  std::cout << stage.name << ": " << count[Outcome::Passed] << " passed, "
            << count[Outcome::Failed] << " failed, " << count[Outcome::Skipped]
            << " skipped";
  if (worst > 0)
    std::cout << " (largest error of floats: " << worst
              << " of a tensor's largest value)";
  std::cout << std::endl;
  return count[Outcome::Failed];
}
} // namespace

int main(int argc, char **argv) {
  Arguments args;
  if (!parse(argc, argv, args))
    return usage();
  std::vector<Pack> packs = findPacks(args.packs);
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
