//===- ExecutableModel.cpp - Decoding on the simulated machine ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/TokenModel.h"
#include "compiler/run/IoFiles.h"
#include "runtime/Recorder.h"
#include "runtime/Report.h"
#include "runtime/SimulatedDevice.h"

using namespace yarrow;
using namespace yarrow::runtime;

namespace {

class ExecutableModel final : public TokenModel {
public:
  ExecutableModel(std::unique_ptr<Session> given, const TokenShape &shape)
      : session(std::move(given)) {
    tokenCount = std::size_t(shape.outputs[0]);
    positions = positionsOf(shape);
    const isa::Machine &machine = session->machine();
    total.target = machine.name;
    total.clockMhz = machine.clockMhz;
  }

  bool reset() override { return session->resetStates(); }

  bool step(std::int32_t token, std::vector<float> &logits,
            DiagnosticEngine &diags) override {
    if (!session->setInput(0, std::as_bytes(std::span(&token, 1)), diags) ||
        !(total.steps == 0 ? runFirst(diags) : session->run(diags)))
      return false;
    ++total.steps;
    total.cycles += session->counters().cycles;
    IoBytes outputs = outputsOf(*session);
    logits = dequantize(outputs[0], session->executable().outputs()[0]);
    return true;
  }

  std::optional<StepCosts> costs() const override { return total; }

private:
  /// With the traffic counted, which later steps have as well: the program is
  /// the same for every position.
  bool runFirst(DiagnosticEngine &diags) {
    Recorder recorder;
    session->device().observe(&recorder);
    bool ok = session->run(diags);
    session->device().observe(nullptr);
    if (ok)
      total.busBytes =
          makeReport(session->executable(), session->machine(), recorder.run())
              .total.ddrBytes;
    return ok;
  }

  std::unique_ptr<Session> session;
  StepCosts total;
};

} // namespace

static TokenShape shapeOf(const Executable &executable) {
  TokenShape shape;
  for (const IoDescription &input : executable.inputs())
    shape.inputs.push_back(int64_t(numElements(input)));
  shape.takesInt32 = !executable.inputs().empty() &&
                     npyTypeOf(executable.inputs()[0].type) == NpyType::Int32;
  for (const IoDescription &output : executable.outputs())
    shape.outputs.push_back(int64_t(numElements(output)));
  for (const IoDescription &state : executable.states())
    shape.states.push_back(state.shape);
  return shape;
}

std::unique_ptr<TokenModel>
yarrow::openExecutable(std::shared_ptr<const Executable> executable,
                       uint64_t budget, DiagnosticEngine &diags) {
  TokenShape shape = shapeOf(*executable);
  if (!checkTokenShape(shape, executable->name(), diags))
    return nullptr;
  SimulationOptions options;
  options.timed = true;
  options.budget = budget;
  auto session = simulatedSession(std::move(executable), options, diags);
  return session ? std::make_unique<ExecutableModel>(std::move(session), shape)
                 : nullptr;
}
