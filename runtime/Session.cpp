//===- Session.cpp - An executable loaded into a device -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Order of allocation, page size, patching and task control blocks are those of
// the public driver, so that a program sees the same addresses from both.
//
//===----------------------------------------------------------------------===//
#include "runtime/Session.h"
#include "isa/DriverInterface.h"
#include "runtime/FaultReport.h"
#include "support/diagnostics/Executables.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"
#include "support/diagnostics/Simulator.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

uint32_t Session::allocate(uint64_t sizeBytes) {
  std::optional<uint32_t> address = npu->allocate(sizeBytes);
  isFull |= !address;
  return address.value_or(0);
}

bool Session::write(uint32_t address, const void *from, uint64_t sizeBytes) {
  return npu->write(address,
                    {static_cast<const std::byte *>(from), size_t(sizeBytes)});
}

bool Session::reportLost(const char *what, DiagnosticEngine &diags) const {
  diags.report(diag::SimulatorFault, {model->name()},
               std::string("the device did not take ") + what);
  return false;
}

/// False if the device's memory is too small.
bool Session::placeBuffers() {
  const FeatureMaps &maps = model->featureMaps();
  Frame &first = frames.front();
  first.sectionAddresses.resize(maps.sections.size());
  textAddress = allocate(model->text().size() + isa::kTextTailBytes);

  uint64_t constants = 0;
  for (const MemorySection &s : maps.sections)
    if (s.isStatic)
      constants = alignTo(constants, s.alignBytes) + s.sizeBytes;
  if (constants) {
    uint64_t at = allocate(constants + isa::kTensorTailBytes);
    for (size_t i = 0; i < maps.sections.size(); ++i)
      if (const MemorySection &s = maps.sections[i]; s.isStatic) {
        at = alignTo(at, s.alignBytes);
        first.sectionAddresses[i] = uint32_t(at);
        at += s.sizeBytes;
      }
  }

  if (size_t sizeBytes = model->globalParameters().size())
    globalsAddress = allocate(sizeBytes);
  first.rodataAddress = allocate(model->rodata().size());
  if (!model->descriptors().empty())
    descAddress = allocate(model->descriptors().size());
  uint64_t tasks =
      frames.size() * model->subgraphs().size() * npu->machine().tecs;
  chainAddress = allocate(taskBlocks().sizeBytes());
  placeReuse(first);
  for (uint64_t i = 0; i < tasks; ++i)
    stackAddresses.push_back(
        allocate(alignTo(maps.stackBytes, maps.stackAlign)));
  for (size_t frame = 0; frame < frames.size(); ++frame)
    for (const isa::SubgraphHeader &graph : model->subgraphs())
      for (uint32_t i = 0; i < npu->machine().tecs; ++i)
        privateAddresses.push_back(allocate(graph.privateDataSize));
  for (Frame &frame : std::span(frames).subspan(1)) {
    frame.sectionAddresses = first.sectionAddresses; // constants are shared
    frame.rodataAddress = allocate(model->rodata().size());
    placeReuse(frame);
  }
  return !isFull;
}

/// Inputs, outputs and the workspace.
void Session::placeReuse(Frame &frame) {
  const std::vector<MemorySection> &sections = model->featureMaps().sections;
  uint64_t reuse = 0;
  for (const MemorySection &s : sections)
    if (!s.isStatic)
      reuse += alignTo(s.sizeBytes, isa::kPageBytes);
  uint64_t at = allocate(reuse + isa::kTensorTailBytes);
  for (size_t i = 0; i < sections.size(); ++i)
    if (const MemorySection &s = sections[i]; !s.isStatic) {
      frame.sectionAddresses[i] = uint32_t(at);
      at += alignTo(s.sizeBytes, isa::kPageBytes);
    }
}

/// Writes section addresses, then links between the blocks, as note "fmlist"
/// and note "remap" ask. \p parameters is note "rodata" followed by "desc".
void Session::patch(const Frame &frame,
                    std::vector<uint8_t> &parameters) const {
  auto put = [&](uint64_t offset, uint32_t value, uint32_t mask) {
    uint32_t word;
    std::memcpy(&word, &parameters[offset], 4);
    word = (value & mask) | (word & ~mask);
    std::memcpy(&parameters[offset], &word, 4);
  };
  const FeatureMaps &maps = model->featureMaps();
  for (size_t i = 0; i < maps.sections.size(); ++i)
    for (const MemorySubSection &part : maps.sections[i].parts)
      for (uint32_t offset : part.patchOffsets)
        put(offset, frame.sectionAddresses[i] + part.fields.offset,
            part.fields.addrMask);
}

bool Session::fitsMachine(DiagnosticEngine &diags) const {
  const isa::Machine &built = model->machine(), &machine = npu->machine();
  if (machine.sramBytes < built.sramBytes) {
    diags
        .report(diag::TargetInvalid, {model->name()},
                "the executable was compiled for a machine with more SRAM")
        .found(std::to_string(machine.sramBytes) + " bytes of SRAM")
        .expected(std::to_string(built.sramBytes) + " bytes or more")
        .hint("build it again for target " + machine.name);
    return false;
  }
  if (machine.tecs != built.tecs) {
    diags
        .report(diag::TargetInvalid, {model->name()},
                "the executable was compiled for a machine with a different "
                "number of TECs")
        .found(std::to_string(machine.tecs))
        .expected(std::to_string(built.tecs))
        .hint("build it again for target " + machine.name);
    return false;
  }
  return true;
}

/// There is one place for each state, and frames run side by side.
bool Session::fitsFrames(DiagnosticEngine &diags) const {
  if (frames.size() == 1 || model->states().empty())
    return true;
  diags
      .report(diag::TensorMismatch, {model->name()},
              "a network that keeps a state runs its samples one after another")
      .found(std::to_string(frames.size()) + " samples at a time")
      .expected("one");
  return false;
}

/// Text, constants, parameters and descriptors, and the links between them.
bool Session::writeProgram() {
  bool isWritten =
      write(textAddress, model->text().data(), model->text().size());
  const FeatureMaps &maps = model->featureMaps();
  for (size_t i = 0; i < maps.sections.size(); ++i)
    if (const MemorySection &s = maps.sections[i]; s.isStatic)
      isWritten &= write(frames.front().sectionAddresses[i],
                         model->weights().data() + s.sourceOffset, s.sizeBytes);
  std::string globals = model->globalParameters();
  if (!globals.empty())
    isWritten &= write(globalsAddress, globals.data(), globals.size());
  for (const Frame &frame : frames)
    isWritten &= writeParameters(frame);
  return isWritten;
}

bool Session::writeParameters(const Frame &frame) {
  std::string_view rodata = model->rodata(), desc = model->descriptors();
  std::vector<uint8_t> parameters(rodata.begin(), rodata.end());
  parameters.insert(parameters.end(), desc.begin(), desc.end());
  patch(frame, parameters);
  bool isWritten =
      write(frame.rodataAddress, parameters.data(), rodata.size()) &&
      write(descAddress, parameters.data() + rodata.size(), desc.size());
  const uint32_t bases[] = {frame.rodataAddress, descAddress, textAddress};
  for (const isa::RemapEntry &entry : model->remaps()) {
    uint32_t value = bases[entry.nextType] + entry.nextOffset;
    isWritten &= write(bases[entry.type] + entry.offset, &value, 4);
  }
  return isWritten;
}

bool Session::load(DiagnosticEngine &diags) {
  if (!fitsMachine(diags) || !fitsFrames(diags))
    return false;
  if (!placeBuffers()) {
    diags.report(diag::ExecutableMalformed, {model->name()},
                 "the network needs more than the device's 3 GiB of memory");
    return false;
  }
  for (Frame &frame : frames)
    frame.inputs.resize(model->inputs().size());
  return (writeProgram() && buildTasks()) || reportLost("the program", diags);
}

/// Where the device tells its cycles; 0 if the executable does not ask.
uint32_t Session::profileAddress(const Frame &frame) const {
  const std::vector<MemorySection> &sections = model->featureMaps().sections;
  for (size_t i = 0; i < sections.size(); ++i)
    for (const MemorySubSection &part : sections[i].parts)
      if (part.fields.type == isa::SubProfile)
        return frame.sectionAddresses[i] + part.fields.offset;
  return 0;
}

bool Session::buildTasks() {
  uint32_t tecs = npu->machine().tecs;
  std::vector<TaskGroupPlan> groups;
  auto tasksOf = [&](const std::vector<uint32_t> &addresses) {
    auto first = addresses.begin() + ptrdiff_t(groups.size() * tecs);
    return std::vector<uint32_t>(first, first + tecs);
  };
  for (const Frame &frame : frames)
    for (const isa::SubgraphHeader &graph : model->subgraphs())
      groups.push_back({graph.precursorCount == isa::kAllBeforePrecede,
                        textAddress + graph.textOffset,
                        frame.rodataAddress + graph.rodataOffset,
                        tasksOf(stackAddresses), tasksOf(privateAddresses),
                        profileAddress(frame), globalsAddress});
  std::vector<std::byte> blocks = taskBlocks().build(chainAddress, groups);
  return npu->write(chainAddress, blocks);
}

TaskBlocks Session::taskBlocks() const {
  return {npu->machine(), uint32_t(frames.size() * model->subgraphs().size())};
}

std::unique_ptr<Session>
Session::create(std::shared_ptr<const Executable> executable,
                std::unique_ptr<Device> device, DiagnosticEngine &diags,
                uint32_t numFrames) {
  assert(executable && device && "no executable or no device");
  assert(numFrames > 0 && "no frame");
  std::unique_ptr<Session> session(
      new Session(std::move(executable), std::move(device), numFrames));
  return session->load(diags) ? std::move(session) : nullptr;
}

/// False (TensorMismatch) if there is no such tensor, or data of another size.
bool Session::checkSize(const char *what,
                        const std::vector<IoDescription> &tensors, size_t index,
                        size_t sizeBytes, DiagnosticEngine &diags) const {
  if (index >= tensors.size()) {
    diags.report(diag::TensorMismatch, {model->name()},
                 std::string("the network has no ") + what + " " +
                     std::to_string(index));
    return false;
  }
  const IoDescription &io = tensors[index];
  if (sizeBytes == io.sizeBytes)
    return true;
  diags
      .report(diag::TensorMismatch, {model->name()},
              std::string(what) + " " + std::to_string(index) + " '" + io.name +
                  "' differs in size")
      .found(std::to_string(sizeBytes) + " bytes")
      .expected(std::to_string(io.sizeBytes) + " bytes of " +
                std::string(dataTypeName(io.type)));
  return false;
}

bool Session::setInput(size_t index, std::span<const std::byte> data,
                       DiagnosticEngine &diags, uint32_t frame) {
  if (!checkSize("input", model->inputs(), index, data.size(), diags))
    return false;
  frames.at(frame).inputs[index].emplace(data.begin(), data.end());
  return true;
}

std::span<const std::byte> Session::state(size_t index) const {
  const IoDescription &io = model->states().at(index);
  return npu->read(frames.front().sectionAddresses[io.section], io.sizeBytes);
}

bool Session::setState(size_t index, std::span<const std::byte> data,
                       DiagnosticEngine &diags) {
  if (!checkSize("state", model->states(), index, data.size(), diags))
    return false;
  const IoDescription &io = model->states()[index];
  return write(frames.front().sectionAddresses[io.section], data.data(),
               data.size()) ||
         reportLost("a state", diags);
}

bool Session::resetStates() {
  bool isWritten = true;
  for (const IoDescription &io : model->states())
    isWritten &=
        write(frames.front().sectionAddresses[io.section],
              model->weights().data() +
                  model->featureMaps().sections[io.section].sourceOffset,
              io.sizeBytes);
  return isWritten;
}

std::vector<std::vector<std::byte>> Session::statesNow() const {
  std::vector<std::vector<std::byte>> states;
  for (size_t i = 0; i < model->states().size(); ++i) {
    std::span<const std::byte> bytes = state(i);
    states.emplace_back(bytes.begin(), bytes.end());
  }
  return states;
}

bool Session::writeStates(const std::vector<std::vector<std::byte>> &states) {
  bool isWritten = true;
  for (size_t i = 0; i < states.size(); ++i)
    isWritten &=
        write(frames.front().sectionAddresses[model->states()[i].section],
              states[i].data(), states[i].size());
  return isWritten;
}

bool Session::hasInputs() const {
  return std::all_of(frames.begin(), frames.end(), [](const Frame &frame) {
    return std::all_of(frame.inputs.begin(), frame.inputs.end(),
                       [](const auto &input) { return input.has_value(); });
  });
}

bool Session::writeInputs(const Frame &frame, DiagnosticEngine &diags) {
  const auto &inputs = frame.inputs;
  std::string missing;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i])
      missing += (missing.empty() ? "" : ", ") + std::to_string(i) + " '" +
                 model->inputs()[i].name + "'";
  if (!missing.empty()) {
    diags
        .report(diag::TensorMismatch, {model->name()},
                "the network cannot run: some inputs have no value")
        .found("not set: " + missing)
        .expected("a value for each of " + std::to_string(inputs.size()) +
                  " inputs");
    return false;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const IoDescription &io = model->inputs()[i];
    if (!write(frame.sectionAddresses[io.section] + io.offset,
               inputs[i]->data(), inputs[i]->size()))
      return reportLost("an input", diags);
  }
  return true;
}

std::span<const std::byte> Session::output(size_t index, uint32_t frame) const {
  const IoDescription &io = model->outputs().at(index);
  return npu->read(frames.at(frame).sectionAddresses[io.section] + io.offset,
                   io.sizeBytes);
}

bool Session::run(DiagnosticEngine &diags) {
  isDone = false;
  lastFault = nullptr;
  for (const Frame &frame : frames)
    if (!writeInputs(frame, diags))
      return false;
  const std::vector<std::vector<std::byte>> before = statesNow();
  npu->submit(chainAddress, taskBlocks().numBlocks());
  lastFault = npu->wait();
  if (lastFault && !writeStates(before))
    return reportLost("the states back", diags);
  if (lastFault && !isStopped())
    reportFault(*model, *lastFault, textAddress, diags);
  isDone = !lastFault;
  return isDone;
}
