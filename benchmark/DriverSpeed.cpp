//===- DriverSpeed.cpp - A job through the driver's interface -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The same executable on the simulator in this program and on the one in a
// library, in turn: what it costs that the driver keeps the memory.
//
//   bench_driver aipu.bin lib/yarrow-driver/libaipu_simulator_x2.so [runs]
//
//===----------------------------------------------------------------------===//
#include "runtime/SimulatedDevice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

using namespace yarrow;
using namespace yarrow::runtime;

static std::unique_ptr<Session>
sessionOn(const std::shared_ptr<const Executable> &model, const char *library,
          DiagnosticEngine &diags) {
  SimulationOptions options;
  options.library = library;
  auto session = model ? simulatedSession(model, options, diags) : nullptr;
  for (size_t i = 0; session && i < model->inputs().size(); ++i) {
    std::vector<std::byte> data(model->inputs()[i].sizeBytes);
    for (size_t k = 0; k < data.size(); ++k)
      data[k] = std::byte(k * 37 + k / 11);
    session->setInput(i, data, diags);
  }
  return session;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: %s aipu.bin libaipu_simulator_x2.so [runs]\n",
                 argv[0]);
    return 2;
  }
  int runs = argc > 3 ? std::max(1, std::atoi(argv[3])) : 20;
  DiagnosticEngine diags;
  std::shared_ptr<const Executable> model = Executable::open(argv[1], diags);
  std::unique_ptr<Session> sessions[] = {sessionOn(model, "", diags),
                                         sessionOn(model, argv[2], diags)};
  double best[2] = {1e9, 1e9};
  bool ok = sessions[0] && sessions[1];
  for (int run = 0; ok && run < runs; ++run)
    for (unsigned way = 0; way < 2; ++way) {
      auto start = std::chrono::steady_clock::now();
      ok &= sessions[way]->run(diags);
      std::chrono::duration<double> time =
          std::chrono::steady_clock::now() - start;
      best[way] = std::min(best[way], time.count());
    }
  for (size_t i = 0; ok && i < model->outputs().size(); ++i)
    ok &= std::ranges::equal(sessions[0]->output(i), sessions[1]->output(i));
  if (!ok) {
    diags.print(std::cerr);
    std::fprintf(stderr, "the two do not agree\n");
    return 1;
  }
  std::printf("in this program %8.3f ms\n", best[0] * 1e3);
  std::printf("in the library  %8.3f ms, %.2f times\n", best[1] * 1e3,
              best[1] / best[0]);
  return 0;
}
