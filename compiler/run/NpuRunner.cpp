//===- NpuRunner.cpp - Many samples through one executable ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/NpuRunner.h"

using namespace yarrow;
using namespace yarrow::runtime;

std::unique_ptr<NpuRunner> NpuRunner::open(const std::string &path,
                                           const SimulationOptions &options,
                                           DiagnosticEngine &diags) {
  std::shared_ptr<const Executable> model = Executable::open(path, diags);
  return model ? std::make_unique<NpuRunner>(std::move(model), options)
               : nullptr;
}

bool NpuRunner::run(const IoBytes &inputs, IoBytes &outputs,
                    DiagnosticEngine &diags) {
  if (hasFailed)
    return false;
  // What stops one sample stops those beside it as well: it is told once.
  DiagnosticEngine own;
  std::unique_ptr<Session> session = sessions.take(own);
  if (!session || !beginSequence(*session, own) ||
      !setInputs(*session, inputs, own) || !session->run(own)) {
    if (!hasFailed.exchange(true))
      for (const Diagnostic &d : own.all())
        diags.add(d);
    return false;
  }
  outputs = outputsOf(*session);
  sessions.give(std::move(session));
  return true;
}

bool NpuRunner::beginSequence(Session &session, DiagnosticEngine &diags) {
  if (!keepsState() || !isReset)
    return true;
  isReset = false;
  session.resetStates();
  for (std::size_t i = 0; i < firstStates.size(); ++i)
    if (firstStates[i] &&
        !session.setState(i, std::as_bytes(std::span(*firstStates[i])), diags))
      return false;
  return true;
}

IoBytes NpuRunner::statesNow(DiagnosticEngine &diags) {
  IoBytes states;
  std::unique_ptr<Session> session = sessions.take(diags);
  if (!session)
    return states;
  for (std::size_t i = 0; i < executable().states().size(); ++i) {
    auto bytes = session->state(i);
    const char *begin = reinterpret_cast<const char *>(bytes.data());
    states.emplace_back(begin, begin + bytes.size());
  }
  sessions.give(std::move(session));
  return states;
}

bool yarrow::setInputs(Session &session, const IoBytes &inputs,
                       DiagnosticEngine &diags, uint32_t frame) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!session.setInput(i, std::as_bytes(std::span(inputs[i])), diags, frame))
      return false;
  return true;
}

IoBytes yarrow::outputsOf(const Session &session, uint32_t frame) {
  IoBytes outputs;
  for (std::size_t i = 0; i < session.executable().outputs().size(); ++i) {
    auto bytes = session.output(i, frame);
    const char *begin = reinterpret_cast<const char *>(bytes.data());
    outputs.emplace_back(begin, begin + bytes.size());
  }
  return outputs;
}
