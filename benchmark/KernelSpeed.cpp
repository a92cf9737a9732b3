//===- KernelSpeed.cpp - Cycles of every kernel beside its bound ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs representative calls of each kernel (benchmark/kernels) on all TECs of
// a machine, simulated in cycles, and prints a table of them: cycles per unit
// of work, the bound that kernels/registry/Work.def gives, and their ratio.
//
//   bench_kernels [--check] [--machine NAME] [kernel ...]
//
// Cycles are simulated: the same text on every host. --check ends with 1 if a
// ratio is above its limit, if TECs and host differ, or if a kernel has no call
// or no record in Work.def.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelRun.h"
#include "kernels/OrderKeys.h"
#include "kernels/registry/Registry.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>

using namespace yarrow;
using namespace yarrow::benchmark;

namespace {

/// The greatest ratios to the bound without a reason: of kernels that networks
/// are full of, and of others.
constexpr double kMostCommon = 3, kMostOther = 10;

/// What converting a half to float and back takes at the least, in vector
/// operations of 32 bits, once for each element: TECs have no instruction for
/// it.
constexpr double kFromHalf = 7, kToHalf = 11;

/// The same of a call, in cycles of all TECs.
double conversionCycles(const KernelCall &call, const isa::Machine &machine) {
  double operations = 0;
  for (const CallBuffer &buffer : call.buffers)
    if (kernels::isFloatType(buffer.type) && buffer.type != DType::F32)
      operations += buffer.count * (buffer.isOutput ? kToHalf : kFromHalf);
  return operations * 4 * 8 / machine.tec.vectorDatapathBits / machine.tecs;
}

struct Work {
  const char *symbol, *unit;
  double operations, laneBytes, sramBytes, gathers;

  /// Cycles of a unit on all TECs: they issue one instruction at a time, so
  /// that what is computed and what is moved add up.
  double bound(const isa::Machine &machine) const {
    double datapathBytes = machine.tec.vectorDatapathBits / 8.0;
    double sramBytesPerCycle =
        std::min(datapathBytes, double(machine.sramBytesPerCycle));
    return (operations * laneBytes / datapathBytes +
            sramBytes / sramBytesPerCycle +
            gathers / machine.tec.gatherElementsPerCycle) /
           machine.tecs;
  }
};

const std::vector<Work> kWork = {
#define WORK(NAME, UNIT, OPERATIONS, LANE_BYTES, SRAM_BYTES, GATHERS)          \
  {kernels::NAME::kSymbol, #UNIT, OPERATIONS, LANE_BYTES, SRAM_BYTES, GATHERS},
#include "kernels/registry/Work.def"
};

/// For a ratio above the limit, and up to what.
struct Reason {
  const char *symbol;
  double most;
  const char *text;
};
const std::vector<Reason> kReasons = {
#define REASON(NAME, MOST, TEXT) {kernels::NAME::kSymbol, MOST, TEXT},
#include "benchmark/kernels/Reasons.def"
};

/// The record of \p symbol, or null.
template <typename Record>
const Record *find(const std::vector<Record> &records,
                   const std::string &symbol) {
  for (const Record &record : records)
    if (symbol == record.symbol)
      return &record;
  return nullptr;
}

struct Options {
  bool check = false;
  std::string machine = "X2_1204";
  std::vector<std::string> kernels; ///< Empty: all.

  bool wants(const std::string &symbol) const {
    return kernels.empty() ||
           std::ranges::find(kernels, symbol) != kernels.end();
  }
};

std::optional<Options> parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--check")
      options.check = true;
    else if (arg == "--machine" && i + 1 < argc)
      options.machine = argv[++i];
    else if (kernels::findKernel(arg))
      options.kernels.push_back(arg);
    else
      return std::nullopt;
  }
  return options;
}

/// Prints a line of the table; false if it is not as it should be.
bool measure(const KernelCall &call, const isa::Machine &machine) {
  KernelRun run = runKernelCall(call, machine);
  const Work *work = find(kWork, call.symbol);
  const Reason *reason = find(kReasons, call.symbol);
  if (!run.error.empty() || !work) {
    std::printf("%-26s %s\n", call.symbol.c_str(),
                work ? run.error.c_str() : "no record in Work.def");
    return false;
  }
  double cycles = double(run.cycles) / double(call.units);
  double bound = work->bound(machine) +
                 conversionCycles(call, machine) / double(call.units);
  double ratio = bound > 0 ? cycles / bound : 0;
  bool isAbove = ratio > (call.isCommon ? kMostCommon : kMostOther);
  const char *remark = reason    ? reason->text
                       : isAbove ? "above its limit, without a reason"
                                 : "";
  bool isExpected = isAbove == (reason != nullptr);
  if (reason && !isAbove)
    remark = "below its limit: remove the reason";
  if (reason && ratio > reason->most) {
    isExpected = false;
    remark = "above the limit of its reason";
  }
  std::printf("%-26s %-42s %9llu %8.3f %-8s %8.4f %6.1f  %s\n",
              call.symbol.c_str(), call.what,
              static_cast<unsigned long long>(run.cycles), cycles, work->unit,
              bound, ratio, remark);
  return isExpected;
}

} // namespace

int main(int argc, char **argv) {
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options) {
    std::fprintf(stderr,
                 "bench_kernels [--check] [--machine NAME] [kernel ...]\n");
    return 2;
  }
  DiagnosticEngine diags;
  std::optional<isa::Machine> machine =
      isa::findTarget(options->machine, diags);
  if (!machine) {
    diags.print(std::cerr);
    return 2;
  }
  std::printf("%s, %u TECs\n", machine->name.c_str(), machine->tecs);
  std::printf("%-26s %-42s %9s %8s %-8s %8s %6s  %s\n", "kernel", "call",
              "cycles", "cycles /", "unit", "bound", "ratio", "reason");
  bool ok = true;
  std::vector<KernelCall> calls = allKernelCalls();
  for (const kernels::KernelInfo &kernel : kernels::allKernels()) {
    std::string symbol(kernel.symbol);
    if (!options->wants(symbol))
      continue;
    bool isCalled = false;
    for (const KernelCall &call : calls)
      if (call.symbol == symbol) {
        isCalled = true;
        ok &= measure(call, *machine);
      }
    if (!isCalled) {
      std::printf("%-26s no call in benchmark/kernels%s\n", symbol.c_str(),
                  find(kWork, symbol) ? "" : ", no record in Work.def");
      ok = false;
    }
  }
  return ok || !options->check ? 0 : 1;
}
