//===- FuzzRun.cpp - Broken executables that run --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the loader accepts runs to its end, under a small budget: no crash, no
// hang, an error exactly if the run fails, and outputs, report and trace can be
// written after it. Once with timing and once without: as long as program and
// commands are the compiler's, both give the same outputs, whatever became of
// weights and tensors.
//
//===----------------------------------------------------------------------===//
#include "runtime/Report.h"
#include "runtime/SimulatedDevice.h"
#include "runtime/Trace.h"
#include "test/Seal.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

using namespace yarrow;
using namespace yarrow::runtime;
using fuzz::require;

namespace {
/// A few times what the seeds need.
constexpr std::uint64_t kBudget = 2'000'000;
/// Tensors of a made-up file may have as many bytes as the device.
constexpr std::uint64_t kMostBytes = 1 << 20;

/// What one run gave.
struct Outcome {
  bool ran = false;
  bool usedUpBudget = false;
  std::vector<std::string> outputs;
};
} // namespace

/// Programs and descriptors of files that came with checksums that fit: the
/// compiler's. They wait for whatever they need. In a made-up program commands
/// may race, and then what comes first is a matter of cycles.
static std::set<std::uint64_t> ordered;

static std::uint64_t programOf(const Executable &executable) {
  Digest digest;
  digest.add(executable.text());
  digest.add(executable.descriptors());
  return digest.value();
}

static Outcome run(const std::shared_ptr<const Executable> &executable,
                   bool timed, DiagnosticEngine &diags) {
  Outcome outcome;
  SimulationOptions options;
  options.timed = timed;
  options.budget = kBudget;
  std::unique_ptr<Session> session =
      simulatedSession(executable, options, diags);
  require((session != nullptr) == !diags.hasErrors(),
          "a session exactly if there is no error", &diags);
  if (!session)
    return outcome;
  for (std::size_t i = 0; i < executable->inputs().size(); ++i) {
    std::uint64_t sizeBytes = executable->inputs()[i].sizeBytes;
    if (sizeBytes > kMostBytes)
      continue;
    std::vector<std::byte> input(sizeBytes);
    std::minstd_rand random(unsigned(i + 1));
    for (std::byte &b : input)
      b = std::byte(random() >> 8);
    require(session->setInput(i, input, diags), "an input has a place", &diags);
  }
  Recorder recorder;
  session->device().observe(&recorder);
  outcome.ran = session->run(diags);
  require(outcome.ran == !diags.hasErrors(),
          "a run fails exactly with an error", &diags);
  outcome.usedUpBudget = session->fault() &&
                         session->fault()->site.cause == sim::FaultSite::Budget;
  for (const Diagnostic &diag : diags.all())
    diag.str();
  for (std::size_t i = 0; i < executable->outputs().size(); ++i) {
    auto bytes = session->output(i);
    require(bytes.size() == executable->outputs()[i].sizeBytes &&
                bytes.data() != nullptr,
            "an output has a place");
    bytes = bytes.first(std::min<std::size_t>(bytes.size(), kMostBytes));
    outcome.outputs.emplace_back(reinterpret_cast<const char *>(bytes.data()),
                                 bytes.size());
  }
  const isa::Machine &machine = session->device().machine();
  Report report = makeReport(*executable, machine, recorder.run());
  require(!report.text().empty() && !report.json().dump().empty(), "a report");
  require(!traceJson(*executable, machine, recorder.run()).empty(), "a trace");
  return outcome;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  std::string file(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diags, timedDiags, asItCame;
  if (auto untouched = Executable::parse(file, "fuzz.bin", asItCame))
    ordered.insert(programOf(*untouched));
  file = sealed(std::move(file));
  std::shared_ptr<const Executable> executable =
      Executable::parse(file, "fuzz.bin", diags);
  if (!executable)
    return 0;
  ++fuzz::numAccepted;
  Outcome plain = run(executable, false, diags);
  Outcome timed = run(executable, true, timedDiags);
  if (plain.usedUpBudget || timed.usedUpBudget ||
      !ordered.contains(programOf(*executable)))
    return 0;
  require(plain.ran == timed.ran, "timing does not change whether it runs",
          plain.ran ? &timedDiags : &diags);
  require(!plain.ran || plain.outputs == timed.outputs,
          "timing does not change outputs");
  return 0;
}
