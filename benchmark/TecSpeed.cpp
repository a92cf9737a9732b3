//===- TecSpeed.cpp - Simulation speed of a TEC ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs the programs of benchmark/tec on one thread, on the simulated TEC and,
// where it is installed, on qemu-riscv32, a translator to host code, in the
// same run, so that a figure means something on any host:
//
//   bench_tec [runs]
//
// Goals: 400 million scalar instructions and 10^9 int8 products a second.
//
//===----------------------------------------------------------------------===//
#include "benchmark/tec/Dot.h"
#include "runtime/TecProcess.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <sys/resource.h>

using namespace yarrow;
using namespace yarrow::benchmark;

namespace {

/// Of this process and what it waited for: another program on the machine does
/// not count.
double cpuSeconds() {
  double seconds = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    getrusage(who, &usage);
    for (timeval time : {usage.ru_utime, usage.ru_stime})
      seconds += double(time.tv_sec) + double(time.tv_usec) * 1e-6;
  }
  return seconds;
}

/// Best of \p runs.
template <typename Fn> double bestSeconds(int runs, Fn fn) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    double start = cpuSeconds();
    fn();
    best = std::min(best, cpuSeconds() - start);
  }
  return best;
}

struct Program {
  const char *name;
  double macs; ///< 0: none worth a figure.
};

/// Instructions, or 0 if the program failed.
uint64_t runOnTec(const runtime::TecImage &image, bool timed,
                  DiagnosticEngine &diags) {
  auto process = runtime::TecProcess::create(image, {.timed = timed}, diags);
  if (!process)
    return 0;
  runtime::TecExit end = process->run(diags);
  bool ok = end.reason == runtime::TecExit::Exited && end.status == 0;
  return ok ? process->tec().retired() : 0;
}

bool hasQemu() {
  return std::system("command -v qemu-riscv32 > /dev/null") == 0;
}

} // namespace

int main(int argc, char **argv) {
  int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  const Program programs[] = {
      {"Sort", 0},
      {"Float", 0},
      {"Dot", double(kDotRows) * kDotInputs * kDotOutputs * kDotRepeats}};
  bool qemu = hasQemu();
  std::printf("%-6s %12s %10s %10s %10s %12s %12s\n", "", "instructions",
              "TEC M/s", "timed M/s", "QEMU M/s", "TEC / QEMU", "TEC GMAC/s");
  for (const Program &program : programs) {
    std::string path =
        std::string(YARROW_TEC_PROGRAMS) + "/" + program.name + ".elf";
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    DiagnosticEngine diags;
    auto image = runtime::TecImage::parse(bytes, path, diags);
    uint64_t instructions = image ? runOnTec(*image, false, diags) : 0;
    if (instructions == 0) {
      diags.print(std::cerr);
      std::fprintf(stderr, "%s failed\n", path.c_str());
      return 1;
    }
    double ours = bestSeconds(runs, [&] { runOnTec(*image, false, diags); });
    double timed = bestSeconds(runs, [&] { runOnTec(*image, true, diags); });
    std::string command =
        "qemu-riscv32 -cpu rv32,v=true,vlen=256,elen=64,vext_spec=v1.0 " + path;
    bool ok = true;
    double theirs =
        qemu ? bestSeconds(runs,
                           [&] { ok &= std::system(command.c_str()) == 0; })
             : 0;
    double millions = double(instructions) * 1e-6;
    std::printf("%-6s %12llu %10.0f %10.0f", program.name,
                static_cast<unsigned long long>(instructions), millions / ours,
                millions / timed);
    if (qemu && ok)
      std::printf(" %10.0f %12.2f", millions / theirs, theirs / ours);
    else
      std::printf(" %10s %12s", "-", "-");
    if (program.macs > 0)
      std::printf(" %12.2f", program.macs * 1e-9 / ours);
    std::printf("\n");
  }
  if (!qemu)
    std::printf("qemu-riscv32 not found (Debian: qemu-user)\n");
  return 0;
}
