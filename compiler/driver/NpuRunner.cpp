//===- NpuRunner.cpp - Many samples through one executable ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/NpuRunner.h"

using namespace yarrow;
using namespace yarrow::runtime;

std::unique_ptr<NpuRunner> NpuRunner::open(const std::string &path,
                                           const SimulationOptions &options,
                                           DiagnosticEngine &diags) {
  auto runner = std::make_unique<NpuRunner>();
  runner->options = options;
  runner->model = Executable::open(path, diags);
  if (!runner->model)
    return nullptr;
  return runner;
}

std::unique_ptr<Session> NpuRunner::take(DiagnosticEngine &diags) {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<Session> session = std::move(idle.back());
      idle.pop_back();
      return session;
    }
  }
  return simulatedSession(model, options, diags);
}

bool NpuRunner::run(const IoBytes &inputs, IoBytes &outputs,
                    DiagnosticEngine &diags) {
  if (hasFailed)
    return false;
  // What stops one sample stops those beside it as well: it is told once.
  DiagnosticEngine own;
  std::unique_ptr<Session> session = take(own);
  if (!session || !setInputs(*session, inputs, own) || !session->run(own)) {
    if (!hasFailed.exchange(true))
      for (const Diagnostic &d : own.all())
        diags.add(d);
    return false;
  }
  outputs = outputsOf(*session);
  std::lock_guard lock(mutex);
  idle.push_back(std::move(session));
  return true;
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
