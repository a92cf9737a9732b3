//===- Session.h - An executable loaded into a device -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Does what the vendor's driver does: places the buffers in device memory,
// patches their addresses, builds the task control blocks and runs them. It
// does not depend on the kind of device. A session belongs to one thread at a
// time; for several inputs at once, make several sessions on one executable.
//
//   std::unique_ptr<Device> device = SimulatedDevice::create(machine);
//   auto session = Session::create(model, std::move(device), diags);
//   session->setInput(0, image, diags);
//   if (session->run(diags))
//     use(session->output(0));
//
// A session can have several frames: memory for inputs, outputs and tensors
// between. A run then executes the program once for each, on as many cores at a
// time as the device has:
//
//   auto session = Session::create(model, std::move(device), diags, 3);
//   session->setInput(0, otherImage, diags, /*frame=*/2);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_SESSION_H
#define YARROW_RUNTIME_SESSION_H

#include "runtime/Device.h"
#include "runtime/Executable.h"
#include "runtime/TaskBlocks.h"

#include <memory>
#include <optional>

namespace yarrow::runtime {

class Session {
public:
  /// Loads the program; null after errors.
  static std::unique_ptr<Session>
  create(std::shared_ptr<const Executable> executable,
         std::unique_ptr<Device> device, DiagnosticEngine &diags,
         uint32_t numFrames = 1);

  const Executable &executable() const { return *model; }
  Device &device() { return *npu; }
  const isa::Machine &machine() const { return npu->machine(); }
  /// Of the last run.
  DeviceCounters counters() const { return npu->counters(); }

  /// False (TensorMismatch) if the index or the size is wrong. An input keeps
  /// its value for all later runs, until it is set again.
  bool setInput(size_t index, std::span<const std::byte> data,
                DiagnosticEngine &diags, uint32_t frame = 0);
  /// What the network keeps from run to run: it stays on the device. A run that
  /// fails leaves the states as they were before it.
  std::span<const std::byte> state(size_t index) const;
  /// False (TensorMismatch) if the index or the size is wrong.
  bool setState(size_t index, std::span<const std::byte> data,
                DiagnosticEngine &diags);
  /// As they are before the first run; false if the device is lost.
  bool resetStates();
  uint32_t numFrames() const { return uint32_t(frames.size()); }
  /// Every input of every frame was set.
  bool hasInputs() const;
  /// False if an input was never set (TensorMismatch), the program faulted
  /// or the device failed (SimulatorFault, MemoryFault, Deadlock), or an
  /// observer stopped it; outputs are then undefined.
  bool run(DiagnosticEngine &diags);
  /// The last run went to its end: there are outputs.
  bool hasOutputs() const { return isDone; }
  /// Why the last run did not come to its end; null if it did.
  const DeviceFault *fault() const { return lastFault; }
  /// An observer of the device stopped the last run.
  bool isStopped() const {
    return lastFault && lastFault->site.cause == sim::FaultSite::Stopped;
  }
  /// Where the program's .text lies, its header first.
  uint32_t programAddress() const { return textAddress; }
  /// Valid until the next run; empty if the device is lost.
  std::span<const std::byte> output(size_t index, uint32_t frame = 0) const;

private:
  /// What each frame has for itself.
  struct Frame {
    uint32_t rodataAddress = 0;
    std::vector<uint32_t> sectionAddresses;
    /// By input; nothing where it was not set yet. Kept here, as a run may put
    /// other tensors where its inputs were.
    std::vector<std::optional<std::vector<std::byte>>> inputs;
  };
  Session(std::shared_ptr<const Executable> executable,
          std::unique_ptr<Device> device, uint32_t numFrames)
      : model(std::move(executable)), npu(std::move(device)),
        frames(numFrames) {}
  bool fitsMachine(DiagnosticEngine &diags) const;
  bool load(DiagnosticEngine &diags);
  bool placeBuffers();
  void placeReuse(Frame &frame);
  bool writeProgram();
  bool writeParameters(const Frame &frame);
  void patch(const Frame &frame, std::vector<uint8_t> &parameters) const;
  bool buildTasks();
  TaskBlocks taskBlocks() const;
  uint32_t profileAddress(const Frame &frame) const;
  uint32_t allocate(uint64_t sizeBytes);
  bool write(uint32_t address, const void *from, uint64_t sizeBytes);
  bool reportLost(const char *what, DiagnosticEngine &diags) const;
  bool writeInputs(const Frame &frame, DiagnosticEngine &diags);
  bool fitsFrames(DiagnosticEngine &diags) const;
  bool checkSize(const char *what, const std::vector<IoDescription> &tensors,
                 size_t index, size_t sizeBytes, DiagnosticEngine &diags) const;
  std::vector<std::vector<std::byte>> statesNow() const;
  bool writeStates(const std::vector<std::vector<std::byte>> &states);

  std::shared_ptr<const Executable> model;
  std::unique_ptr<Device> npu;
  const DeviceFault *lastFault = nullptr;
  std::vector<Frame> frames;
  bool isDone = false;
  bool isFull = false; ///< An allocation had no place.
  uint32_t textAddress = 0, descAddress = 0, globalsAddress = 0;
  uint32_t chainAddress = 0;
  std::vector<uint32_t> stackAddresses, privateAddresses;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_SESSION_H
