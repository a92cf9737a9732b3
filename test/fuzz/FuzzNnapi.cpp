//===- FuzzNnapi.cpp - Random calls of NNAPI's functions ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The bytes are a program: a function, then its arguments, until they end. The
// contract of the C interface is kept where nobody can check it (handles that
// were not freed, buffers that stay), and nowhere else. Every call returns one
// of the result codes, handles are made exactly by calls that succeed, and all
// objects are freed at the end in an order that the bytes decide.
//
//===----------------------------------------------------------------------===//
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>
#include <yarrow/NeuralNetworks.h>

using yarrow::fuzz::require;

namespace {

/// What arguments and values point at; inputs are never written.
constexpr std::size_t kArenaBytes = 1024;
alignas(64) std::byte inputArena[kArenaBytes];
alignas(64) std::byte outputArena[kArenaBytes];

/// The client's handles of one kind. Most calls get one that is good.
template <typename Handle> class Handles {
public:
  void add(Handle *handle) {
    if (handle)
      all.push_back(handle);
  }
  /// Sometimes null.
  Handle *pick(std::uint8_t choice) const {
    if (all.empty() || choice == 255)
      return nullptr;
    return all[choice % all.size()];
  }
  Handle *take(std::uint8_t choice) {
    Handle *handle = pick(choice);
    std::erase(all, handle);
    return handle;
  }
  bool isEmpty() const { return all.empty(); }
  bool isFull() const { return all.size() >= 8; }

private:
  std::vector<Handle *> all;
};

class Program {
public:
  Program(const std::uint8_t *data, std::size_t size)
      : data(data), size(size) {}
  ~Program() { freeAll(); }
  void run();

private:
  std::uint8_t byte() { return at < size ? data[at++] : 0; }
  std::uint32_t number(std::uint32_t below) { return byte() % below; }
  bool flag() { return byte() & 1; }

  ANeuralNetworksOperandType type();
  std::vector<std::uint32_t> list();
  void check(int result);
  /// Calls \p create with the place of a new handle, unless there are many.
  template <typename Handle, typename Create>
  Handle *make(Handles<Handle> &handles, Create create);

  void call(unsigned function);
  void callDevice(unsigned function);
  void callModel(unsigned function);
  void addOperation();
  void smallModel();
  void callCompilation(unsigned function);
  void callExecution(unsigned function);
  void setArgument();
  void compute();
  void startFenced();
  void ask();
  void preparedExecution();
  void callMemory(unsigned function);
  void callEvent(unsigned function);
  void free(unsigned kind, std::uint8_t choice);
  void freeAll();

  const std::uint8_t *data;
  std::size_t size, at = 0;
  std::array<std::uint32_t, 4> dims = {};
  Handles<ANeuralNetworksModel> models;
  Handles<ANeuralNetworksCompilation> compilations;
  Handles<ANeuralNetworksExecution> executions;
  Handles<ANeuralNetworksMemory> memories;
  Handles<ANeuralNetworksMemoryDesc> descs;
  Handles<ANeuralNetworksBurst> bursts;
  Handles<ANeuralNetworksEvent> events;
};

/// Of all programs; told at the end.
struct Count {
  std::size_t calls = 0, good = 0, runs = 0;
  ~Count() {
    std::printf("%zu calls, %zu of them good, %zu executions computed\n", calls,
                good, runs);
  }
} count;

} // namespace

void Program::check(int result) {
  ++count.calls;
  count.good += result == ANEURALNETWORKS_NO_ERROR;
  require(result >= ANEURALNETWORKS_NO_ERROR &&
              result <= ANEURALNETWORKS_DEAD_OBJECT,
          "a result code");
}

template <typename Handle, typename Create>
Handle *Program::make(Handles<Handle> &handles, Create create) {
  if (handles.isFull())
    return nullptr;
  Handle *handle = nullptr;
  int result = create(&handle);
  check(result);
  require((handle != nullptr) == (result == ANEURALNETWORKS_NO_ERROR),
          "a handle exactly if there is no error");
  handles.add(handle);
  return handle;
}

/// Small lengths, most of them good.
ANeuralNetworksOperandType Program::type() {
  static constexpr std::int32_t codes[] = {3, 3, 3, 1,  4,  5,  14, 8,  9,  0,
                                           2, 6, 7, 10, 11, 12, 13, 15, 16, -1};
  ANeuralNetworksOperandType result = {};
  result.type = codes[number(std::size(codes))];
  result.dimensionCount = flag() ? 1 : number(5);
  for (std::uint32_t &length : dims)
    length = number(16) ? 1 + number(3) : number(2) * 0x80000000u;
  result.dimensions = number(32) ? dims.data() : nullptr;
  bool isQuantized = result.type == 5 || result.type == 14;
  if (isQuantized || number(16) == 0)
    result.scale = 0.5f;
  if (number(16) == 0)
    result.zeroPoint = std::int8_t(byte());
  return result;
}

/// Numbers of operands.
std::vector<std::uint32_t> Program::list() {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(4); // none is a list, too
  for (std::uint32_t left = number(4); left; --left)
    numbers.push_back(number(64) ? number(8) : 0xffffffffu);
  return numbers;
}

void Program::callDevice(unsigned function) {
  ANeuralNetworksDevice *device = nullptr;
  check(ANeuralNetworks_getDevice(number(8), &device));
  const char *name;
  std::int32_t type;
  bool isSupported[64];
  const ANeuralNetworksDevice *devices[2] = {device, device};
  switch (function % 4) {
  case 0:
    return check(ANeuralNetworksDevice_getName(device, &name));
  case 1:
    return check(ANeuralNetworksDevice_getType(device, &type));
  case 2:
    return check(ANeuralNetworksDevice_wait(device));
  default:
    return check(ANeuralNetworksModel_getSupportedOperationsForDevices(
        models.pick(byte()), devices, number(3), isSupported));
  }
}

void Program::addOperation() {
  // Operations without loops and indices; values that change under a running
  // execution do no harm there.
  static constexpr std::int32_t codes[] = {0,  18, 19, 20, 21, 14, 28,  36,
                                           38, 25, 22, 65, 66, 30, 106, -1};
  std::vector<std::uint32_t> inputs = list(), outputs = list();
  check(ANeuralNetworksModel_addOperation(
      models.pick(byte()), codes[number(std::size(codes))],
      std::uint32_t(inputs.size()), inputs.data(),
      std::uint32_t(outputs.size()), outputs.data()));
}

void Program::callModel(unsigned function) {
  ANeuralNetworksModel *model = models.pick(byte());
  switch (function % 9) {
  case 0:
    make(models, ANeuralNetworksModel_create);
    return;
  case 1: {
    ANeuralNetworksOperandType operand = type();
    return check(ANeuralNetworksModel_addOperand(model, &operand));
  }
  case 2: {
    std::size_t length = flag() ? 4 * (1 + number(9)) : number(200);
    return check(ANeuralNetworksModel_setOperandValue(
        model, std::int32_t(number(9)) - 1, number(8) ? inputArena : nullptr,
        number(8) ? length : 0));
  }
  case 3:
    return check(ANeuralNetworksModel_setOperandValueFromMemory(
        model, std::int32_t(number(9)) - 1, memories.pick(byte()), number(255),
        number(255)));
  case 4:
    return check(ANeuralNetworksModel_setOperandValueFromModel(
        model, std::int32_t(number(9)) - 1, models.pick(byte())));
  case 5:
    return addOperation();
  case 6: {
    std::vector<std::uint32_t> inputs = list(), outputs = list();
    return check(ANeuralNetworksModel_identifyInputsAndOutputs(
        model, std::uint32_t(inputs.size()), inputs.data(),
        std::uint32_t(outputs.size()), outputs.data()));
  }
  case 7:
    return check(
        ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, flag()));
  default:
    return check(ANeuralNetworksModel_finish(model));
  }
}

/// y = relu(x), of lengths that may be open: what programs of random calls
/// would reach too seldom.
void Program::smallModel() {
  ANeuralNetworksModel *model = make(models, ANeuralNetworksModel_create);
  if (!model)
    return;
  ANeuralNetworksOperandType operand = type();
  std::uint32_t x = 0, y = 1;
  check(ANeuralNetworksModel_addOperand(model, &operand));
  check(ANeuralNetworksModel_addOperand(model, &operand));
  check(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &x, 1,
                                          &y));
  check(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y));
  check(ANeuralNetworksModel_finish(model));
}

void Program::callCompilation(unsigned function) {
  ANeuralNetworksCompilation *compilation = compilations.pick(byte());
  static constexpr std::uint8_t token[32] = {};
  std::uint32_t value;
  switch (function % 8) {
  case 0:
    make(compilations, [&](auto **handle) {
      return ANeuralNetworksCompilation_create(models.pick(byte()), handle);
    });
    return;
  case 1: {
    ANeuralNetworksDevice *device = nullptr;
    // The reference is the last one, and much the fastest to compile for.
    check(ANeuralNetworks_getDevice(number(64) ? 6 : number(6), &device));
    make(compilations, [&](auto **handle) {
      return ANeuralNetworksCompilation_createForDevices(models.pick(byte()),
                                                         &device, 1, handle);
    });
    return;
  }
  case 2:
    return check(ANeuralNetworksCompilation_setPreference(
        compilation, std::int32_t(number(5)) - 1));
  case 3:
    return check(ANeuralNetworksCompilation_setPriority(
        compilation, 80 + 10 * int(number(5))));
  case 4:
    return check(ANeuralNetworksCompilation_setTimeout(
        compilation, number(4) ? 0 : 1'000'000));
  case 5:
    return check(ANeuralNetworksCompilation_setCaching(
        compilation, "/nowhere/at/all", token));
  case 6:
    return check(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
        compilation, number(3), &value));
  default:
    return check(ANeuralNetworksCompilation_finish(compilation));
  }
}

void Program::setArgument() {
  ANeuralNetworksExecution *execution = executions.pick(byte());
  ANeuralNetworksOperandType stated = type();
  const ANeuralNetworksOperandType *type = number(4) ? nullptr : &stated;
  std::int32_t index = number(8) ? 0 : std::int32_t(number(3)) - 1;
  std::size_t length = number(8) ? 4 * (1 + number(27)) : number(200);
  std::uint8_t choice = byte();
  ANeuralNetworksMemory *memory = memories.pick(choice);
  bool isNull = number(16) == 0;
  switch (number(4)) {
  case 0:
    return check(ANeuralNetworksExecution_setInput(
        execution, index, type, isNull ? nullptr : inputArena,
        isNull ? length % 2 : length));
  case 1:
    return check(ANeuralNetworksExecution_setOutput(
        execution, index, type, isNull ? nullptr : outputArena,
        isNull ? length % 2 : length));
  case 2:
    return check(ANeuralNetworksExecution_setInputFromMemory(
        execution, index, type, memory, number(2) * number(255),
        number(2) * length));
  default:
    return check(ANeuralNetworksExecution_setOutputFromMemory(
        execution, index, type, memory, number(2) * number(255),
        number(2) * length));
  }
}

void Program::compute() {
  ANeuralNetworksExecution *execution = executions.pick(byte());
  int result = ANEURALNETWORKS_OP_FAILED;
  switch (number(3)) {
  case 0:
    check(result = ANeuralNetworksExecution_compute(execution));
    break;
  case 1:
    check(result = ANeuralNetworksExecution_burstCompute(execution,
                                                         bursts.pick(byte())));
    break;
  default:
    make(events, [&](auto **event) {
      return result = ANeuralNetworksExecution_startCompute(execution, event);
    });
    break;
  }
  bool hasRun = result == ANEURALNETWORKS_NO_ERROR;
  count.runs += hasRun;
  yarrow::fuzz::numAccepted += hasRun;
}

void Program::startFenced() {
  const ANeuralNetworksEvent *dependencies[2] = {events.pick(byte()),
                                                 events.pick(byte())};
  make(events, [&](auto **event) {
    return ANeuralNetworksExecution_startComputeWithDependencies(
        executions.pick(byte()), dependencies, number(3),
        number(8) ? 0 : number(2) * 1'000'000, event);
  });
}

void Program::ask() {
  ANeuralNetworksExecution *execution = executions.pick(byte());
  std::uint32_t rank = 0, lengths[64];
  std::uint64_t duration;
  std::int32_t index = std::int32_t(number(3)) - 1;
  check(ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank));
  require(rank <= 64, "a rank");
  check(ANeuralNetworksExecution_getOutputOperandDimensions(execution, index,
                                                            lengths));
  check(ANeuralNetworksExecution_getDuration(
      execution, std::int32_t(number(6)) - 1, &duration));
}

void Program::callExecution(unsigned function) {
  ANeuralNetworksExecution *execution = executions.pick(byte());
  switch (function % 10) {
  case 0:
    make(executions, [&](auto **handle) {
      return ANeuralNetworksExecution_create(compilations.pick(byte()), handle);
    });
    return;
  case 1:
    return check(ANeuralNetworksExecution_setReusable(execution, flag()));
  case 2:
    return check(ANeuralNetworksExecution_enableInputAndOutputPadding(execution,
                                                                      flag()));
  case 3:
    return check(ANeuralNetworksExecution_setMeasureTiming(execution, flag()));
  case 4:
    return check(ANeuralNetworksExecution_setTimeout(
        execution, number(4) ? 0 : 1'000'000));
  case 5:
    return check(ANeuralNetworksExecution_setLoopTimeout(execution, byte()));
  case 6:
    return compute();
  case 7:
    return startFenced();
  case 8:
    return ask();
  default:
    return setArgument();
  }
}

/// With its arguments, for a compilation of the program.
void Program::preparedExecution() {
  ANeuralNetworksExecution *execution = make(executions, [&](auto **handle) {
    return ANeuralNetworksExecution_create(compilations.pick(byte()), handle);
  });
  if (!execution)
    return;
  check(ANeuralNetworksExecution_setReusable(execution, flag()));
  check(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
  check(ANeuralNetworksExecution_setInput(execution, 0, nullptr, inputArena,
                                          kArenaBytes));
  check(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, outputArena,
                                           kArenaBytes));
}

void Program::callMemory(unsigned function) {
  ANeuralNetworksMemoryDesc *desc = descs.pick(byte());
  switch (function % 7) {
  case 0: {
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0 && ftruncate(fd, 256) == 0, "a file");
    make(memories, [&](auto **handle) {
      return ANeuralNetworksMemory_createFromFd(
          number(4) ? 256 : number(255), number(8) ? 3 : int(number(4)), fd,
          number(4) ? 0 : number(255), handle);
    });
    close(fd);
    return;
  }
  case 1:
    make(descs, ANeuralNetworksMemoryDesc_create);
    return;
  case 2:
    return check((flag() ? ANeuralNetworksMemoryDesc_addInputRole
                         : ANeuralNetworksMemoryDesc_addOutputRole)(
        desc, compilations.pick(byte()), number(8) ? 0 : number(3),
        float(number(5)) / 3));
  case 3:
    (void)type();
    return check(
        ANeuralNetworksMemoryDesc_setDimensions(desc, number(4), dims.data()));
  case 4:
    return check(ANeuralNetworksMemoryDesc_finish(desc));
  case 5:
    make(memories, [&](auto **handle) {
      return ANeuralNetworksMemory_createFromDesc(desc, handle);
    });
    return;
  default:
    return check(ANeuralNetworksMemory_copy(memories.pick(byte()),
                                            memories.pick(byte())));
  }
}

void Program::callEvent(unsigned function) {
  switch (function % 4) {
  case 0: {
    // Signalled: a client that never signals waits for ever by contract.
    int fd = number(8) ? eventfd(1, EFD_CLOEXEC) : -1;
    make(events, [&](auto **handle) {
      return ANeuralNetworksEvent_createFromSyncFenceFd(fd, handle);
    });
    if (fd >= 0)
      close(fd);
    return;
  }
  case 1:
    return check(ANeuralNetworksEvent_wait(events.pick(byte())));
  case 2: {
    int fd = -1;
    check(ANeuralNetworksEvent_getSyncFenceFd(events.pick(byte()), &fd));
    if (fd >= 0)
      close(fd);
    return;
  }
  default:
    make(bursts, [&](auto **handle) {
      return ANeuralNetworksBurst_create(compilations.pick(byte()), handle);
    });
  }
}

void Program::free(unsigned kind, std::uint8_t choice) {
  ++count.calls;
  switch (kind % 7) {
  case 0:
    return ANeuralNetworksModel_free(models.take(choice));
  case 1:
    return ANeuralNetworksCompilation_free(compilations.take(choice));
  case 2:
    return ANeuralNetworksExecution_free(executions.take(choice));
  case 3:
    return ANeuralNetworksMemory_free(memories.take(choice));
  case 4:
    return ANeuralNetworksMemoryDesc_free(descs.take(choice));
  case 5:
    return ANeuralNetworksBurst_free(bursts.take(choice));
  default:
    return ANeuralNetworksEvent_free(events.take(choice));
  }
}

/// Which kind comes first, the last bytes say.
void Program::freeAll() {
  unsigned first = size ? data[size - 1] : 0;
  auto isAnyLeft = [&] {
    return !models.isEmpty() || !compilations.isEmpty() ||
           !executions.isEmpty() || !memories.isEmpty() || !descs.isEmpty() ||
           !bursts.isEmpty() || !events.isEmpty();
  };
  while (isAnyLeft())
    free(first++, 0);
}

void Program::call(unsigned function) {
  unsigned detail = function / 8;
  switch (function % 8) {
  case 0:
    return callModel(detail);
  case 1:
    return callCompilation(detail);
  case 2:
    return callExecution(detail);
  case 3:
    return callMemory(detail);
  case 4:
    return callEvent(detail);
  case 5:
    return detail % 4 == 0 ? callDevice(detail / 4) : free(detail, byte());
  case 6:
    return detail % 2 ? smallModel() : preparedExecution();
  default:
    return callExecution(6 + detail % 4);
  }
}

void Program::run() {
  while (at < size)
    call(byte());
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  [[maybe_unused]] static const int isDefaultSet =
      setenv("YARROW_NNAPI_TARGET", "nnapi-reference", 1);
  Program(data, std::min<std::size_t>(size, 4096)).run();
  return 0;
}
