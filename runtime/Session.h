//===- Session.h - An executable loaded into a device ---------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Does what the vendor's driver does: places the buffers in device memory,
// patches their addresses, builds the task control blocks and runs them. A
// session belongs to one thread at a time; for several inputs at once, make
// several sessions on one executable.
//
//   std::unique_ptr<Session> session = Session::create(model, {}, diags);
//   session->setInput(0, image, diags);
//   if (session->run(diags))
//     use(session->output(0));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_SESSION_H
#define YARROW_RUNTIME_SESSION_H

#include "runtime/Executable.h"
#include "simulator/device/Device.h"

#include <optional>

namespace yarrow::runtime {

struct SessionOptions {
  /// Null: the machine that the executable was compiled for.
  const isa::Machine *machine = nullptr;
  bool timed = false;
  /// Work after which a run stops, in units of about 5 ns of the host
  /// (simulator/engine/Effort.h).
  uint64_t budget = sim::kDefaultBudget;
  sim::TecSchedule schedule = {};
};

class Session {
public:
  /// Null after errors.
  static std::unique_ptr<Session>
  create(std::shared_ptr<const Executable> executable,
         const SessionOptions &options, DiagnosticEngine &diags);

  const Executable &executable() const { return *model; }
  sim::Device &device() { return *npu; }
  const sim::RunStatistics &statistics() const { return npu->statistics(); }

  /// False (TensorMismatch) if the index or the size is wrong. An input keeps
  /// its value for all later runs, until it is set again.
  bool setInput(size_t index, std::span<const std::byte> data,
                DiagnosticEngine &diags);
  /// Every input was set.
  bool hasInputs() const;
  /// False if an input was never set (TensorMismatch), the program faulted
  /// (SimulatorFault, MemoryFault, Deadlock) or an observer stopped it; outputs
  /// are then undefined.
  bool run(DiagnosticEngine &diags);
  /// The last run went to its end: there are outputs.
  bool hasOutputs() const { return isDone; }
  /// An observer of the device stopped the last run.
  bool isStopped() const {
    return npu->fault() && npu->faultSite().cause == sim::FaultSite::Stopped;
  }
  /// Where the program's .text lies, its header first.
  uint32_t programAddress() const { return textAddress; }
  /// Valid until the next run.
  std::span<const std::byte> output(size_t index) const;

private:
  Session(std::shared_ptr<const Executable> executable)
      : model(std::move(executable)) {}
  bool load(const SessionOptions &options, DiagnosticEngine &diags);
  bool placeBuffers(DiagnosticEngine &diags);
  void patch(std::vector<uint8_t> &parameters) const;
  void buildTasks();
  uint32_t allocate(uint64_t sizeBytes);
  bool writeInputs(DiagnosticEngine &diags);

  std::shared_ptr<const Executable> model;
  std::unique_ptr<sim::Device> npu;
  /// By input; nothing where it was not set yet. Kept here, as a run may put
  /// other tensors where its inputs were.
  std::vector<std::optional<std::vector<std::byte>>> inputs;
  bool isDone = false;
  uint64_t top = 0; ///< Of the device memory given out.
  uint32_t textAddress = 0, rodataAddress = 0, descAddress = 0;
  uint32_t chainAddress = 0;
  std::vector<uint32_t> sectionAddresses;
  std::vector<uint32_t> stackAddresses, privateAddresses;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_SESSION_H
