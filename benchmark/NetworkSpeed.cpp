//===- NetworkSpeed.cpp - Simulation speed and cycles of a network --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiles an integer IR, simulates it on one thread, functional and timed, and
// on all, and prints speed, cycles and the per-layer report:
//
//   bench_network net_o.txt net_o.bin [target] [runs] [kernel]
//
// The kernel is what the host multiplies bytes with (simulator/engine/
// ByteGemm.h), or `none`; by default the fastest that it has.
//
// With oneDNN installed, its time for ResNet-20's convolutions in the same run
// stands beside ours, so that a figure means something on any host.
//
//===----------------------------------------------------------------------===//
#ifdef YARROW_HAS_ONEDNN
#include "benchmark/OneDnnConv.h"
#endif
#include "compiler/pipeline/Compile.h"
#include "parser/compass/CompassReader.h"
#include "runtime/Report.h"
#include "runtime/SimulatedDevice.h"
#include "support/ThreadPool.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <unistd.h>

using namespace yarrow;

namespace {

/// Best of \p runs, in seconds: what the machine can do, not what else it did.
template <typename Fn> double bestSeconds(int runs, Fn fn) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    fn();
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

/// Null for a name that the host does not have, and for "none".
const sim::ByteKernel *kernelOf(std::string_view name) {
  for (const sim::ByteKernel &kernel : sim::byteKernels())
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

int fail(const DiagnosticEngine &diags) {
  diags.print(std::cerr);
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 6) {
    std::fprintf(stderr,
                 "usage: %s net_o.txt net_o.bin [target] [runs] [kernel]\n",
                 argv[0]);
    return 2;
  }
  std::string target = argc > 3 ? argv[3] : "X2_1204";
  int runs = argc > 4 ? std::max(1, std::atoi(argv[4])) : 20;
  runtime::SimulationOptions options;
  if (argc > 5) {
    options.byteKernel = kernelOf(argv[5]);
    if (!options.byteKernel && std::string_view(argv[5]) != "none") {
      std::fprintf(stderr, "this host has no kernel '%s'\n", argv[5]);
      return 2;
    }
  }
  setDefaultThreadCount(1);
  DiagnosticEngine diags;
  auto machine = isa::findTarget(target, diags);
  if (!machine)
    return fail(diags);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = compass::readCompassIr(context, argv[1], argv[2], diags);
  if (!module)
    return fail(diags);
  std::string path = (std::filesystem::temp_directory_path() /
                      ("yarrow-bench-" + std::to_string(getpid())))
                         .string();
  CompileResult compiled;
  double compileSeconds = bestSeconds(1, [&] {
    compileNetwork(*module, *machine, {}, path, diags, &compiled);
  });
  auto executable =
      diags.hasErrors() ? nullptr : runtime::Executable::open(path, diags);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  auto session = executable
                     ? runtime::simulatedSession(executable, options, diags)
                     : nullptr;
  if (!session)
    return fail(diags);
  for (size_t i = 0; i < executable->inputs().size(); ++i) {
    std::vector<std::byte> data(executable->inputs()[i].sizeBytes);
    for (size_t k = 0; k < data.size(); ++k)
      data[k] = std::byte(
          k * 37 + k / 11); // any pattern: the work does not depend on it
    session->setInput(i, data, diags);
  }
  bool ok = true;
  double functional = bestSeconds(runs, [&] { ok &= session->run(diags); });
  setDefaultThreadCount(0);
  unsigned threads = defaultThreadCount();
  double threaded = bestSeconds(runs, [&] { ok &= session->run(diags); });
  setDefaultThreadCount(1);
  runtime::Recorder recorder;
  session->device().countCycles(true);
  double timed = bestSeconds(runs, [&] { ok &= session->run(diags); });
  session->device().observe(&recorder);
  ok &= session->run(diags);
  if (!ok)
    return fail(diags);
  runtime::Report report =
      runtime::makeReport(*executable, *machine, recorder.run());
  std::cout << report.text() << "\n";
  double gmacs = double(report.macs) * 1e-9;
  std::printf("compile     %8.1f ms\n", compileSeconds * 1e3);
  std::printf("functional  %8.3f ms  %6.2f GMAC/s on one thread\n",
              functional * 1e3, gmacs / functional);
  std::printf(
      "timed       %8.3f ms  %6.2f GMAC/s, %.2f times the functional time\n",
      timed * 1e3, gmacs / timed, timed / functional);
  std::printf("threads     %8.3f ms  %6.2f GMAC/s, functional on %u threads\n",
              threaded * 1e3, gmacs / threaded, threads);
#ifdef YARROW_HAS_ONEDNN
  double seconds = 0, macs = 0;
  for (const benchmark::NamedConv &layer : benchmark::resnet20Convs) {
    double speed = benchmark::timeOneDnnConv(layer.shape, 20);
    if (speed == 0)
      continue;
    seconds += double(layer.shape.macs()) * layer.count / speed * 1e-9;
    macs += double(layer.shape.macs()) * layer.count;
  }
  if (seconds > 0)
    std::printf("oneDNN int8 %8.3f ms  %6.2f GMAC/s, ResNet-20's convolutions "
                "alone, one thread\n",
                seconds * 1e3, macs * 1e-9 / seconds);
#endif
  return 0;
}
