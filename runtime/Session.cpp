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

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

uint32_t Session::allocate(uint64_t sizeBytes) {
  uint64_t address = top;
  top += alignTo(std::max<uint64_t>(1, sizeBytes), isa::kPageBytes);
  // 64 bits hold what a file can ask for; load() checks before use.
  return uint32_t(address);
}

bool Session::placeBuffers(DiagnosticEngine &diags) {
  const FeatureMaps &maps = model->featureMaps();
  sectionAddresses.resize(maps.sections.size());
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
        sectionAddresses[i] = uint32_t(at);
        at += s.sizeBytes;
      }
  }

  rodataAddress = allocate(model->rodata().size());
  if (!model->descriptors().empty())
    descAddress = allocate(model->descriptors().size());
  uint64_t tasks = model->subgraphs().size() * npu->machine().tecs;
  chainAddress = allocate((2 + tasks) * isa::kTcbBytes);
  uint64_t reuse = 0;
  for (const MemorySection &s : maps.sections)
    if (!s.isStatic)
      reuse += alignTo(s.sizeBytes, isa::kPageBytes);
  uint64_t at = allocate(reuse + isa::kTensorTailBytes);
  for (size_t i = 0; i < maps.sections.size(); ++i)
    if (const MemorySection &s = maps.sections[i]; !s.isStatic) {
      sectionAddresses[i] = uint32_t(at);
      at += alignTo(s.sizeBytes, isa::kPageBytes);
    }
  for (uint64_t i = 0; i < tasks; ++i)
    stackAddresses.push_back(
        allocate(alignTo(maps.stackBytes, maps.stackAlign)));
  for (const isa::SubgraphHeader &graph : model->subgraphs())
    for (uint32_t i = 0; i < npu->machine().tecs; ++i)
      privateAddresses.push_back(allocate(graph.privateDataSize));
  if (top > isa::kDriverDdrBytes || !npu->memory().growDdr(top)) {
    diags.report(DiagId::ExecutableMalformed, {model->name()},
                 "the network needs more than the device's 3 GiB of memory");
    return false;
  }
  return true;
}

/// Writes section addresses, then links between the blocks, as note "fmlist"
/// and note "remap" ask. \p parameters is note "rodata" followed by "desc".
void Session::patch(std::vector<uint8_t> &parameters) const {
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
        put(offset, sectionAddresses[i] + part.fields.offset,
            part.fields.addrMask);
}

bool Session::load(const SessionOptions &options, DiagnosticEngine &diags) {
  const isa::Machine &built = model->machine();
  const isa::Machine &machine = options.machine ? *options.machine : built;
  if (machine.sramBytes < built.sramBytes) {
    diags
        .report(DiagId::TargetInvalid, {model->name()},
                "the executable was compiled for a machine with more SRAM")
        .found(std::to_string(machine.sramBytes) + " bytes of SRAM")
        .expected(std::to_string(built.sramBytes) + " bytes or more")
        .hint("build it again for target " + machine.name);
    return false;
  }
  if (machine.tecs != built.tecs) {
    diags
        .report(DiagId::TargetInvalid, {model->name()},
                "the executable was compiled for a machine with another "
                "number of TECs")
        .found(std::to_string(machine.tecs))
        .expected(std::to_string(built.tecs))
        .hint("build it again for target " + machine.name);
    return false;
  }
  npu = sim::Device::create(machine, {.timed = options.timed,
                                      .budget = options.budget,
                                      .schedule = options.schedule});
  if (!npu) {
    diags.report(DiagId::SimulatorFault, {model->name()},
                 "the host refuses the 4 GiB of address space of a device");
    return false;
  }
  if (!placeBuffers(diags))
    return false;
  sim::Memory &memory = npu->memory();
  memory.write(textAddress, model->text().data(), model->text().size());
  const FeatureMaps &maps = model->featureMaps();
  for (size_t i = 0; i < maps.sections.size(); ++i)
    if (const MemorySection &s = maps.sections[i]; s.isStatic)
      memory.write(sectionAddresses[i],
                   model->weights().data() + s.sourceOffset, s.sizeBytes);

  std::string_view rodata = model->rodata(), desc = model->descriptors();
  std::vector<uint8_t> parameters(rodata.begin(), rodata.end());
  parameters.insert(parameters.end(), desc.begin(), desc.end());
  patch(parameters);
  memory.write(rodataAddress, parameters.data(), rodata.size());
  memory.write(descAddress, parameters.data() + rodata.size(), desc.size());
  const uint32_t bases[] = {rodataAddress, descAddress, textAddress};
  for (const isa::RemapEntry &entry : model->remaps()) {
    uint32_t value = bases[entry.nextType] + entry.nextOffset;
    memory.write(bases[entry.type] + entry.offset, &value, 4);
  }
  buildTasks();
  inputs.resize(model->inputs().size());
  return true;
}

void Session::buildTasks() {
  sim::Memory &memory = npu->memory();
  uint32_t tecs = npu->machine().tecs;
  uint32_t numTasks = uint32_t(model->subgraphs().size()) * tecs;
  // The init block, then one for segments that is not linked.
  auto blockAddress = [&](uint32_t task) {
    return chainAddress + (2 + task) * isa::kTcbBytes;
  };
  memory.fill(chainAddress, 0, uint64_t(2 + numTasks) * isa::kTcbBytes);
  isa::InitControlBlock init;
  init.next = blockAddress(0);
  init.spaces[0] = init.spaces[1] = isa::kSpaceReadWrite;
  memory.write(chainAddress, &init, sizeof init);
  for (uint32_t task = 0; task < numTasks; ++task) {
    const isa::SubgraphHeader &graph = model->subgraphs()[task / tecs];
    uint32_t tec = task % tecs;
    bool endsGroup = tec + 1 == tecs, endsGrid = task + 1 == numTasks;
    isa::TaskControlBlock block;
    block.flags |=
        (endsGroup ? isa::kEndsGroup : 0) | (endsGrid ? isa::kEndsGrid : 0);
    block.next = endsGrid ? 0 : blockAddress(task + 1);
    block.startPc = textAddress + graph.textOffset;
    block.taskId = block.taskIndex[0] = uint16_t(tec);
    block.groupDim[0] = uint16_t(tecs);
    block.stack = stackAddresses[task];
    block.parameters = rodataAddress + graph.rodataOffset;
    block.privateData = privateAddresses[task];
    block.ownAddress = blockAddress(task);
    memory.write(block.ownAddress, &block, sizeof block);
  }
}

std::unique_ptr<Session>
Session::create(std::shared_ptr<const Executable> executable,
                const SessionOptions &options, DiagnosticEngine &diags) {
  assert(executable && "no executable");
  std::unique_ptr<Session> session(new Session(std::move(executable)));
  return session->load(options, diags) ? std::move(session) : nullptr;
}

bool Session::setInput(size_t index, std::span<const std::byte> data,
                       DiagnosticEngine &diags) {
  if (index >= model->inputs().size()) {
    diags.report(DiagId::TensorMismatch, {model->name()},
                 "the network has no input " + std::to_string(index));
    return false;
  }
  const IoDescription &io = model->inputs()[index];
  if (data.size() != io.sizeBytes) {
    diags
        .report(DiagId::TensorMismatch, {model->name()},
                "input " + std::to_string(index) + " '" + io.name +
                    "' has another size")
        .found(std::to_string(data.size()) + " bytes")
        .expected(std::to_string(io.sizeBytes) + " bytes of " +
                  std::string(dataTypeName(io.type)));
    return false;
  }
  inputs[index].emplace(data.begin(), data.end());
  return true;
}

bool Session::hasInputs() const {
  return std::all_of(inputs.begin(), inputs.end(),
                     [](const auto &input) { return input.has_value(); });
}

bool Session::writeInputs(DiagnosticEngine &diags) {
  std::string missing;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i])
      missing += (missing.empty() ? "" : ", ") + std::to_string(i) + " '" +
                 model->inputs()[i].name + "'";
  if (!missing.empty()) {
    diags
        .report(DiagId::TensorMismatch, {model->name()},
                "the network cannot run: inputs have no value yet")
        .found("not set: " + missing)
        .expected("a value for each of " + std::to_string(inputs.size()) +
                  " inputs");
    return false;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const IoDescription &io = model->inputs()[i];
    npu->memory().write(sectionAddresses[io.section] + io.offset,
                        inputs[i]->data(), inputs[i]->size());
  }
  return true;
}

std::span<const std::byte> Session::output(size_t index) const {
  const IoDescription &io = model->outputs().at(index);
  const uint8_t *host =
      npu->memory().at(sectionAddresses[io.section] + io.offset, io.sizeBytes);
  return {reinterpret_cast<const std::byte *>(host), size_t(io.sizeBytes)};
}

bool Session::run(DiagnosticEngine &diags) {
  isDone = false;
  if (!writeInputs(diags))
    return false;
  npu->writeRegister(isa::RegAddressHigh, 0);
  npu->writeRegister(isa::RegAddressLow, chainAddress);
  npu->writeRegister(isa::RegCommand, isa::kCommandCreate);
  npu->writeRegister(isa::RegCommand, isa::kCommandDispatch);
  bool isGood = !npu->fault();
  if (!isGood && !isStopped())
    reportFault(*model, *npu, textAddress, diags);
  npu->writeRegister(isa::RegCommand, isa::kCommandDestroy);
  isDone = isGood;
  return isGood;
}
