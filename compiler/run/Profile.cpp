//===- Profile.cpp - Samples with cycles counted --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/Profile.h"
#include "runtime/TecInspector.h"
#include "runtime/Trace.h"
#include "support/AtomicFile.h"

#include <algorithm>
#include <cassert>
#include <span>

using namespace yarrow;
using namespace yarrow::runtime;

std::optional<Profile>
yarrow::profileSamples(const std::shared_ptr<const Executable> &model,
                       SimulationOptions options,
                       std::span<const IoBytes> inputs,
                       const ProfileFiles &files, const InspectRequest &request,
                       std::span<IoBytes> outputs, DiagnosticEngine &diags) {
  assert(inputs.size() == outputs.size() && "a place for each sample");
  options.timed = true;
  options.frames = uint32_t(inputs.size());
  std::unique_ptr<Session> session = simulatedSession(model, options, diags);
  if (!session)
    return std::nullopt;
  for (uint32_t frame = 0; frame < inputs.size(); ++frame)
    if (!setInputs(*session, inputs[frame], diags, frame))
      return std::nullopt;
  Recorder recorder;
  TecInspector inspector(*model, session->programAddress());
  inspector.forwardTo(&recorder);
  std::optional<AtomicFile> tecTrace;
  if (!files.tecTrace.empty()) {
    tecTrace.emplace(files.tecTrace, diags);
    inspector.traceTo(
        [&](uint32_t pc) {
          uint32_t word = 0;
          auto bytes = session->device().read(pc, sizeof word);
          std::copy(bytes.begin(), bytes.end(),
                    std::as_writable_bytes(std::span(&word, 1)).begin());
          return word;
        },
        [&](std::string_view text) { tecTrace->append(text); });
  }
  if (request.profilesTecs)
    inspector.countCycles();
  session->device().observe(
      request.companion ? &request.companion->attach(*session, inspector)
                        : &inspector);
  bool ok = session->run(diags);
  if (request.companion)
    request.companion->runEnded(*session, ok);
  session->device().observe(nullptr);
  // After a fault, too: that is when it is wanted.
  if (tecTrace && !tecTrace->commit())
    return std::nullopt;
  if (session->isStopped()) {
    Profile profile;
    profile.isStopped = true;
    return profile;
  }
  if (!ok)
    return std::nullopt;
  for (uint32_t frame = 0; frame < outputs.size(); ++frame)
    outputs[frame] = outputsOf(*session, frame);
  const isa::Machine &machine = session->device().machine();
  if (!files.trace.empty() &&
      !writeFile(files.trace, traceJson(*model, machine, recorder.run()),
                 diags))
    return std::nullopt;
  Profile profile;
  profile.report = makeReport(*model, machine, recorder.run());
  profile.report.samples = options.frames;
  profile.run = recorder.run();
  if (request.profilesTecs)
    profile.tecProfile = inspector.profileText(request.tableWidth);
  return profile;
}

std::optional<Profile>
yarrow::profileZeros(const std::shared_ptr<const Executable> &model,
                     DiagnosticEngine &diags) {
  IoBytes zeros[1], outputs[1];
  for (const IoDescription &input : model->inputs())
    zeros[0].emplace_back(input.sizeBytes);
  return profileSamples(model, {}, zeros, {}, {}, outputs, diags);
}
