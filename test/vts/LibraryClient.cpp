//===- LibraryClient.cpp - Recorded cases through the C library -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/LibraryClient.h"
#include "test/vts/LibraryModel.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>

#include <sys/mman.h>
#include <unistd.h>

using namespace yarrow;
using namespace yarrow::vts;
using nnapi::Value;

/// What outputs hold before a run: what is not written is seen.
static constexpr auto kUnwritten = std::byte(0xa5);

namespace {

ANeuralNetworksDevice *findDevice(const std::string &name) {
  std::uint32_t count = 0;
  ANeuralNetworks_getDeviceCount(&count);
  for (std::uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    const char *text = nullptr;
    if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksDevice_getName(device, &text) ==
            ANEURALNETWORKS_NO_ERROR &&
        name == text)
      return device;
  }
  return nullptr;
}

/// Bytes behind a file descriptor, as a client shares them.
class SharedBytes {
public:
  explicit SharedBytes(std::size_t size)
      : size(size), fd(memfd_create("vts", MFD_CLOEXEC)) {
    [[maybe_unused]] int failed = ftruncate(fd, off_t(size));
    assert(!failed);
    data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    code = ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd,
                                              0, &memory);
  }
  ~SharedBytes() {
    ANeuralNetworksMemory_free(memory);
    munmap(data, size);
    close(fd);
  }
  SharedBytes(const SharedBytes &) = delete;
  SharedBytes &operator=(const SharedBytes &) = delete;

  std::byte *bytes() const { return static_cast<std::byte *>(data); }

  ANeuralNetworksMemory *memory = nullptr;
  int code = 0;

private:
  const std::size_t size;
  const int fd;
  void *data = nullptr;
};

/// One execution of a compilation.
class Attempt {
public:
  Attempt(const Case &recorded, ANeuralNetworksCompilation *compilation,
          Way way)
      : recorded(recorded), compilation(compilation), way(way) {}
  ~Attempt() {
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksBurst_free(burst);
  }

  int run();
  /// Of the last call.
  const char *call = "";
  std::vector<Value> outputs() const;

private:
  int prepare();
  /// What the first of two runs has written.
  void spoil();
  int setInput(std::size_t i);
  int setOutput(std::size_t i);
  int compute();
  int computeAsync();
  int computeFenced();
  int readDims();

  const Case &recorded;
  ANeuralNetworksCompilation *compilation;
  const Way way;
  ANeuralNetworksExecution *execution = nullptr;
  ANeuralNetworksBurst *burst = nullptr;
  std::vector<std::unique_ptr<SharedBytes>> shared;
  std::vector<std::vector<std::byte>> buffers; ///< By output.
  std::vector<SharedBytes *> sharedOutputs;
  std::vector<std::vector<std::uint32_t>> dims; ///< By output.
};

} // namespace

int Attempt::setInput(std::size_t i) {
  const Value &value = recorded.inputs[i];
  const nnapi::Operand &operand =
      recorded.model->operands[recorded.model->inputs[i]];
  ANeuralNetworksOperandType type = typeOf(operand, value.dims);
  if (way == Way::Memory && !value.bytes.empty()) {
    shared.push_back(std::make_unique<SharedBytes>(value.bytes.size()));
    std::memcpy(shared.back()->bytes(), value.bytes.data(), value.bytes.size());
    call = "ANeuralNetworksExecution_setInputFromMemory";
    return shared.back()->code
               ? shared.back()->code
               : ANeuralNetworksExecution_setInputFromMemory(
                     execution, std::int32_t(i), &type, shared.back()->memory,
                     0, value.bytes.size());
  }
  call = "ANeuralNetworksExecution_setInput";
  // Recorded without bytes: an optional input that is left out.
  return ANeuralNetworksExecution_setInput(
      execution, std::int32_t(i), value.bytes.empty() ? nullptr : &type,
      value.bytes.empty() ? nullptr : value.bytes.data(), value.bytes.size());
}

int Attempt::setOutput(std::size_t i) {
  std::vector<std::byte> &buffer = buffers[i];
  if (way == Way::Memory && !buffer.empty()) {
    shared.push_back(std::make_unique<SharedBytes>(buffer.size()));
    sharedOutputs[i] = shared.back().get();
    std::ranges::copy(buffer, shared.back()->bytes());
    call = "ANeuralNetworksExecution_setOutputFromMemory";
    return shared.back()->code ? shared.back()->code
                               : ANeuralNetworksExecution_setOutputFromMemory(
                                     execution, std::int32_t(i), nullptr,
                                     shared.back()->memory, 0, buffer.size());
  }
  call = "ANeuralNetworksExecution_setOutput";
  static std::byte none[1];
  return ANeuralNetworksExecution_setOutput(
      execution, std::int32_t(i), nullptr,
      buffer.empty() ? none : buffer.data(), buffer.size());
}

int Attempt::prepare() {
  call = "ANeuralNetworksExecution_create";
  if (int code = ANeuralNetworksExecution_create(compilation, &execution))
    return code;
  call = "ANeuralNetworksExecution_setReusable";
  if (way == Way::Reusable || way == Way::Burst)
    if (int code = ANeuralNetworksExecution_setReusable(execution, true))
      return code;
  for (std::size_t i = 0; i < recorded.inputs.size(); ++i)
    if (int code = setInput(i))
      return code;
  sharedOutputs.assign(recorded.outputs.size(), nullptr);
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i)
    if (int code = setOutput(i))
      return code;
  return 0;
}

void Attempt::spoil() {
  for (std::vector<std::byte> &buffer : buffers)
    std::ranges::fill(buffer, kUnwritten);
}

int Attempt::computeAsync() {
  ANeuralNetworksEvent *event = nullptr;
  call = "ANeuralNetworksExecution_startCompute";
  int code = ANeuralNetworksExecution_startCompute(execution, &event);
  if (code)
    return code;
  call = "ANeuralNetworksEvent_wait";
  code = ANeuralNetworksEvent_wait(event);
  ANeuralNetworksEvent_free(event);
  return code;
}

/// Waits for another execution of the same.
int Attempt::computeFenced() {
  Attempt first(recorded, compilation, Way::Sync);
  first.buffers = buffers;
  if (int code = first.prepare())
    return code;
  ANeuralNetworksEvent *before = nullptr, *event = nullptr;
  int code = ANeuralNetworksExecution_startCompute(first.execution, &before);
  call = "ANeuralNetworksExecution_startComputeWithDependencies";
  const ANeuralNetworksEvent *dependencies[] = {before};
  if (!code)
    code = ANeuralNetworksExecution_startComputeWithDependencies(
        execution, dependencies, 1, 0, &event);
  if (!code) {
    call = "ANeuralNetworksEvent_wait";
    code = ANeuralNetworksEvent_wait(event);
  }
  ANeuralNetworksEvent_free(before);
  ANeuralNetworksEvent_free(event);
  return code;
}

int Attempt::compute() {
  switch (way) {
  case Way::Async:
    return computeAsync();
  case Way::Fenced:
    return computeFenced();
  case Way::Burst:
    call = "ANeuralNetworksBurst_create";
    if (int code = ANeuralNetworksBurst_create(compilation, &burst))
      return code;
    call = "ANeuralNetworksExecution_burstCompute";
    if (int code = ANeuralNetworksExecution_burstCompute(execution, burst))
      return code;
    spoil();
    return ANeuralNetworksExecution_burstCompute(execution, burst);
  case Way::Reusable:
    call = "ANeuralNetworksExecution_compute";
    if (int code = ANeuralNetworksExecution_compute(execution))
      return code;
    spoil();
    return ANeuralNetworksExecution_compute(execution);
  default:
    call = "ANeuralNetworksExecution_compute";
    return ANeuralNetworksExecution_compute(execution);
  }
}

int Attempt::readDims() {
  dims.clear();
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i) {
    std::uint32_t rank = 0;
    dims.emplace_back();
    if (nnapi::entryOf(recorded.outputs[i].type).isTensor) {
      call = "ANeuralNetworksExecution_getOutputOperandRank";
      int code = ANeuralNetworksExecution_getOutputOperandRank(
          execution, std::int32_t(i), &rank);
      dims.back().resize(rank);
      call = "ANeuralNetworksExecution_getOutputOperandDimensions";
      if (!code)
        code = ANeuralNetworksExecution_getOutputOperandDimensions(
            execution, std::int32_t(i), dims.back().data());
      if (code && code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
        return code;
    }
  }
  return 0;
}

int Attempt::run() {
  for (const Expected &output : recorded.outputs) {
    // A scalar's size is always known.
    bool isOpen = way == Way::Unsized && nnapi::entryOf(output.type).isTensor;
    buffers.emplace_back(isOpen ? 0 : output.value.bytes.size(), kUnwritten);
  }
  if (int code = prepare())
    return code;
  int code = compute();
  if (code && code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
    return code;
  const char *computed = call;
  if (int problem = readDims())
    return problem;
  call = computed;
  return code;
}

std::vector<Value> Attempt::outputs() const {
  std::vector<Value> values;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::vector<std::byte> bytes = buffers[i];
    if (sharedOutputs[i])
      std::memcpy(bytes.data(), sharedOutputs[i]->bytes(), bytes.size());
    values.push_back(Value::of(dims[i], std::move(bytes)));
  }
  return values;
}

bool LibraryClient::hasDevice(const std::string &name) {
  return findDevice(name) != nullptr;
}

LibraryClient::LibraryClient(const std::string &name)
    : device(findDevice(name)) {
  assert(device && "a device that is there");
}

/// A case whose outputs have no lengths in the model.
static Case withoutLengths(const Case &recorded) {
  Case open = recorded;
  open.model = std::make_shared<nnapi::NnModel>(*recorded.model);
  for (std::uint32_t output : open.model->outputs)
    std::ranges::fill(open.model->operands[output].dims, 0u);
  return open;
}

namespace {
/// A case, compiled.
class CompiledCase {
public:
  CompiledCase(Case recorded, ANeuralNetworksDevice *device);
  ~CompiledCase() { ANeuralNetworksCompilation_free(compilation); }
  CompiledCase(const CompiledCase &) = delete;
  CompiledCase &operator=(const CompiledCase &) = delete;

  LibraryResult run(Way way) const;

private:
  LibraryResult attempt(Way way) const;

  const Case recorded;
  LibraryModel model;
  ANeuralNetworksCompilation *compilation = nullptr;
  LibraryResult compiled;
};
} // namespace

CompiledCase::CompiledCase(Case given, ANeuralNetworksDevice *device)
    : recorded(std::move(given)) {
  compiled.code = model.build(*recorded.model);
  compiled.call = model.call;
  if (compiled.code)
    return;
  compiled.call = "ANeuralNetworksCompilation_createForDevices";
  compiled.code = ANeuralNetworksCompilation_createForDevices(
      model.get(), &device, 1, &compilation);
  if (compiled.code)
    return;
  compiled.call = "ANeuralNetworksCompilation_finish";
  compiled.code = ANeuralNetworksCompilation_finish(compilation);
}

LibraryResult CompiledCase::attempt(Way way) const {
  Attempt attempt(recorded, compilation, way);
  int code = attempt.run();
  LibraryResult result{code, attempt.call};
  if (!code)
    result.outputs = attempt.outputs();
  return result;
}

LibraryResult CompiledCase::run(Way way) const {
  if (compiled.code)
    return compiled;
  LibraryResult result = attempt(way);
  // Without lengths the first execution tells how large outputs are.
  bool mustRepeat = way == Way::Unsized &&
                    result.code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
  return mustRepeat ? attempt(Way::Sync) : result;
}

std::vector<LibraryResult>
LibraryClient::run(const Case &recorded, const std::vector<Way> &ways) const {
  std::optional<CompiledCase> sized, open;
  std::vector<LibraryResult> results;
  for (Way way : ways) {
    std::optional<CompiledCase> &compiled = way == Way::Unsized ? open : sized;
    if (!compiled)
      compiled.emplace(
          way == Way::Unsized ? withoutLengths(recorded) : recorded, device);
    results.push_back(compiled->run(way));
  }
  return results;
}
