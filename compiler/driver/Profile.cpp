//===- Profile.cpp - One sample with cycles counted -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Profile.h"
#include "runtime/TecInspector.h"
#include "runtime/Trace.h"
#include "support/AtomicFile.h"

#include <algorithm>
#include <span>

using namespace yarrow;
using namespace yarrow::runtime;

std::optional<Profile>
yarrow::profileSample(const std::shared_ptr<const Executable> &model,
                      SimulationOptions options, const IoBytes &inputs,
                      const ProfileFiles &files, const InspectRequest &request,
                      IoBytes &outputs, DiagnosticEngine &diags) {
  options.timed = true;
  std::unique_ptr<Session> session = simulatedSession(model, options, diags);
  if (!session || !setInputs(*session, inputs, diags))
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
  for (uint32_t address : request.breakAddresses)
    inspector.breakAtAddress(address);
  for (std::size_t layer : request.breakLayers)
    inspector.breakAtLayer(layer);
  session->device().observe(&inspector);
  bool ok = session->run(diags);
  session->device().observe(nullptr);
  // After a fault, too: that is when it is wanted.
  if (tecTrace && !tecTrace->commit())
    return std::nullopt;
  if (session->isStopped()) {
    Profile profile;
    profile.stopText = inspector.stopText();
    return profile;
  }
  if (!ok)
    return std::nullopt;
  outputs = outputsOf(*session);
  const isa::Machine &machine = session->device().machine();
  if (!files.trace.empty() &&
      !writeFile(files.trace, traceJson(*model, machine, recorder.run()),
                 diags))
    return std::nullopt;
  Profile profile;
  profile.report = makeReport(*model, machine, recorder.run());
  if (request.profilesTecs)
    profile.tecProfile = inspector.profileText(request.tableWidth);
  return profile;
}
