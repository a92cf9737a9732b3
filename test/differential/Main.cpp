//===- Main.cpp - Compares the TEC with QEMU ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   tec_differential                          # a short run of all classes
//   tec_differential --instructions 100000    # per class
//   tec_differential --class vector-mask --seed 7 --programs 1 --elf p.elf
//   tec_differential --runner "yarrow tec"    # a program that runs programs
//
// Runs random programs on the TEC in its variants (any host, this host's SIMD,
// timed), or by a command, and on qemu-riscv32, and compares what they leave.
// Prints the first instruction of each program that differs. Ends with status 1
// if one differs, 77 (skipped) without QEMU.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Classes.h"
#include "test/differential/Machines.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

using namespace yarrow;
using namespace yarrow::differential;

/// Differing programs of a class that are explained.
static constexpr unsigned kShown = 5;

namespace {
struct Settings {
  std::string only, qemu = "qemu-riscv32", elfPath, runner;
  uint64_t seed = 1;
  unsigned instructions = 3000, steps = 250, programs = 0;
};

struct Side {
  std::string name;
  std::string command; ///< Empty: the simulator with options.
  sim::TecOptions options;
  Outcome run(const Program &program) const {
    return command.empty() ? runOnTec(program, options)
                           : runOnProgram(program, command);
  }
};
} // namespace

static size_t firstDifference(const std::vector<uint8_t> &a,
                              const std::vector<uint8_t> &b) {
  return size_t(std::ranges::mismatch(a, b).in1 - a.begin());
}

static std::string bytesAt(const std::vector<uint8_t> &from, size_t offset) {
  std::string text;
  size_t begin = offset / 8 * 8;
  for (size_t k = begin; k < std::min(begin + 16, from.size()); ++k) {
    char two[4];
    std::snprintf(two, sizeof two, "%02x ", from[k]);
    text += two;
  }
  return text;
}

/// Empty if the outcomes are equal.
static std::string difference(const Program &program, const Outcome &a,
                              const Outcome &b) {
  auto failed = [&](const Outcome &o) {
    return o.failure + " in " +
           (o.failurePc ? program.stepAt(o.failurePc) : "some step");
  };
  if (!a.failure.empty() || !b.failure.empty())
    return !a.failure.empty() ? failed(a) : failed(b);
  if (a.log != b.log) {
    size_t at = firstDifference(a.log, b.log);
    return program.stepOfLogByte(uint32_t(at)) + "\n    " + bytesAt(a.log, at) +
           "\n    " + bytesAt(b.log, at);
  }
  if (a.state != b.state) {
    size_t at = firstDifference(a.state, b.state);
    return "saved " + stateName(uint32_t(at)) + "\n    " +
           bytesAt(a.state, at) + "\n    " + bytesAt(b.state, at);
  }
  if (a.scratch != b.scratch)
    return "scratch byte " +
           std::to_string(firstDifference(a.scratch, b.scratch));
  return "";
}

/// The least number of steps with which \p a and \p b differ: a log does not
/// show what a store does, and a program that QEMU ends has none.
static unsigned leastSteps(const InstClass &instClass, uint64_t seed,
                           unsigned steps, const Side &a, const Side &b) {
  unsigned equal = 0;
  while (steps - equal > 1) {
    unsigned middle = equal + (steps - equal) / 2;
    Program program = generate(instClass, seed, middle);
    bool same = difference(program, a.run(program), b.run(program)).empty();
    (same ? equal : steps) = middle;
  }
  return steps;
}

static int number(const char *text) { return std::atoi(text); }

static bool parse(int argc, char **argv, Settings &settings) {
  for (int k = 1; k < argc; k += 2) {
    std::string_view name = argv[k];
    if (k + 1 == argc)
      return false;
    const char *value = argv[k + 1];
    if (name == "--class")
      settings.only = value;
    else if (name == "--qemu")
      settings.qemu = value;
    else if (name == "--runner")
      settings.runner = value;
    else if (name == "--seed")
      settings.seed = std::strtoull(value, nullptr, 0);
    else if (name == "--instructions")
      settings.instructions = unsigned(number(value));
    else if (name == "--steps")
      settings.steps = unsigned(number(value));
    else if (name == "--programs")
      settings.programs = unsigned(number(value));
    else if (name == "--elf")
      settings.elfPath = value;
    else
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::fprintf(stderr,
                 "usage: %s [--class name] [--seed n] [--instructions n] "
                 "[--steps n] [--programs n] [--qemu path] [--elf path] "
                 "[--runner command]\n",
                 argv[0]);
    return 2;
  }
  auto qemu = findProgram(settings.qemu);
  if (!qemu) {
    std::printf("skipped: no %s\n", settings.qemu.c_str());
    return 77;
  }
  const Side reference{"qemu-riscv32", qemuCommand(*qemu), {}};
  std::vector<Side> variants = {{"tec", "", {}},
                                {"tec, any host", "", {.anyHost = true}},
                                {"tec, timed", "", {.timed = true}}};
  if (!settings.runner.empty())
    variants = {{settings.runner, settings.runner, {}}};
  unsigned differing = 0;
  for (const InstClass &c : instClasses()) {
    if (!settings.only.empty() && settings.only != c.name)
      continue;
    uint64_t executed = 0;
    unsigned programs = 0, bad = 0;
    std::set<InstId> drawn;
    uint64_t seed = settings.seed;
    for (; settings.programs ? programs < settings.programs
                             : executed < settings.instructions;
         ++seed, ++programs) {
      Program program = generate(c, seed, settings.steps);
      if (!settings.elfPath.empty()) {
        std::vector<uint8_t> elf = program.elf();
        std::ofstream(settings.elfPath, std::ios::binary)
            .write(reinterpret_cast<const char *>(elf.data()),
                   std::streamsize(elf.size()));
      }
      for (const Step &step : program.steps)
        drawn.insert(step.id);
      executed += uint64_t(program.steps.size()) * program.iterations;
      Outcome expected = reference.run(program);
      for (const Side &side : variants) {
        Outcome got = side.run(program);
        std::string text = difference(program, got, expected);
        if (text.empty())
          continue;
        if (++bad > kShown)
          break;
        unsigned least = leastSteps(c, seed, settings.steps, side, reference);
        Program shortest = generate(c, seed, least);
        std::printf(
            "%s, seed %llu: %s and %s differ with %u steps\n  last %s\n"
            "  %s\n",
            c.name, static_cast<unsigned long long>(seed), side.name.c_str(),
            reference.name.c_str(), least, shortest.describe(least - 1).c_str(),
            difference(shortest, side.run(shortest), reference.run(shortest))
                .c_str());
        break;
      }
    }
    std::printf(
        "%-24s %8llu instructions in %4u programs, %3zu of %3zu records: "
        "%u differ\n",
        c.name, static_cast<unsigned long long>(executed), programs,
        drawn.size(), c.records.size(), bad);
    std::fflush(stdout);
    differing += bad;
  }
  return differing ? 1 : 0;
}
