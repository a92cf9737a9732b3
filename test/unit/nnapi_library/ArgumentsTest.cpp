//===- ArgumentsTest.cpp - Inputs, outputs and memory of executions -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"
#include <optional>
#include <sys/mman.h>

using namespace yarrow::nnapi::test;

namespace {
struct ArgumentRow {
  const char *name;
  bool isOpen; ///< The model leaves the length of its arguments open.
  int32_t index;
  std::optional<Type> type;
  bool isNull;
  size_t length;
  int asInput, asOutput;
};
void PrintTo(const ArgumentRow &row, std::ostream *os) { *os << row.name; }
class NnapiArgument : public ::testing::TestWithParam<ArgumentRow> {};

const Type kInt = {ANEURALNETWORKS_TENSOR_INT32, {2}};
const Type kScaled = {ANEURALNETWORKS_TENSOR_FLOAT32, {2}, 0.5f};

const ArgumentRow kRows[] = {
    {"Good", false, 0, {}, false, 8, kGood, kGood},
    {"WithItsType", false, 0, floats({2}), false, 8, kGood, kGood},
    {"TypeOfOpenLength", false, 0, floats({0}), false, 8, kGood, kGood},
    {"TypeOfOpenRank", false, 0, floats({}), false, 8, kGood, kGood},
    {"OtherLength", false, 0, floats({3}), false, 12, kBadData, kBadData},
    {"OtherRank", false, 0, floats({1, 2}), false, 8, kBadData, kBadData},
    {"OtherType", false, 0, kInt, false, 8, kBadData, kBadData},
    {"OtherScale", false, 0, kScaled, false, 8, kBadData, kBadData},
    {"TooShort", false, 0, {}, false, 4, kBadData, kBadData},
    {"TooLong", false, 0, {}, false, 12, kBadData, kBadData},
    {"NoBytes", false, 0, {}, false, 0, kBadData, kBadData},
    {"NegativeIndex", false, -1, {}, false, 8, kBadData, kBadData},
    {"IndexBeyond", false, 1, {}, false, 8, kBadData, kBadData},
    {"NullWithBytes", false, 0, {}, true, 8, kNull, kNull},
    {"LeftOut", false, 0, {}, true, 0, kGood, kGood},
    {"OpenWithoutType", true, 0, {}, false, 8, kBadData, kGood},
    {"OpenWithType", true, 0, floats({2}), false, 8, kGood, kGood},
    {"OpenStillOpen", true, 0, floats({0}), false, 8, kBadData, kGood},
    {"OpenTooShort", true, 0, floats({3}), false, 8, kBadData, kBadData},
    {"OpenLeftOut", true, 0, {}, true, 0, kGood, kGood},
};
} // namespace

TEST_P(NnapiArgument, IsTakenOrRefused) {
  const ArgumentRow &row = GetParam();
  Model model = reluModel({row.isOpen ? 0u : 2u});
  Compilation compilation = compile(model);
  float buffer[3] = {};
  ANeuralNetworksOperandType raw;
  if (row.type)
    raw = row.type->get();
  const ANeuralNetworksOperandType *type = row.type ? &raw : nullptr;
  Execution execution = makeExecution(compilation);
  void *where = row.isNull ? nullptr : buffer;
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), row.index, type,
                                              where, row.length),
            row.asInput);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), row.index, type,
                                               where, row.length),
            row.asOutput);
}

INSTANTIATE_TEST_SUITE_P(Arguments, NnapiArgument, ::testing::ValuesIn(kRows),
                         [](const auto &info) { return info.param.name; });

TEST(NnapiArguments, TakeNoNull) {
  Model model = reluModel({1});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  ANeuralNetworksOperandType lengthless = {ANEURALNETWORKS_TENSOR_FLOAT32, 1,
                                           nullptr, 0, 0};
  float value = 0;
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, &lengthless,
                                              &value, 4),
            kNull);
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0,
                                                        nullptr, nullptr, 0, 4),
            kNull);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(
                execution.get(), 0, nullptr, nullptr, 0, 4),
            kNull);
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_compute(nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(execution.get(), nullptr),
            kNull);
  ANeuralNetworksEvent *event = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), nullptr),
            kNull);
  const ANeuralNetworksEvent *none = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                execution.get(), &none, 1, 0, &event),
            kNull);
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                execution.get(), nullptr, 1, 0, &event),
            kNull);
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0,
                                                          nullptr),
            kNull);
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(), 0, nullptr),
            kNull);
  ANeuralNetworksExecution_free(nullptr);
}

TEST(NnapiArguments, OfAnOpenRankAreNotBelieved) {
  Model model = reluModel({});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  float buffer[1] = {};
  const uint32_t dims[] = {1u << 29, 1u << 29, 256};
  auto set = [&](uint32_t rank) {
    ANeuralNetworksOperandType type = {ANEURALNETWORKS_TENSOR_FLOAT32, rank,
                                       dims, 0, 0};
    return ANeuralNetworksExecution_setInput(execution.get(), 0, &type, buffer,
                                             0);
  };
  EXPECT_EQ(set(3), kBadData) << "2^68 bytes are not 0";
  EXPECT_EQ(set(UINT32_MAX), kBadData) << "they cannot be read";
}

/// A call that gives a handle, without what it makes it of.
template <typename Handle, typename Call>
static void expectNoHandle(const char *name, Call call) {
  alignas(Handle *) char somewhere[1];
  auto *made = reinterpret_cast<Handle *>(somewhere);
  EXPECT_EQ(call(&made), kNull) << name;
  EXPECT_EQ(made, nullptr) << name;
}

TEST(NnapiArguments, ThatAreNullMakeNoHandle) {
  Model model = reluModel({1});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  const ANeuralNetworksDevice *noDevice = nullptr;
  const ANeuralNetworksEvent *noEvent = nullptr;
  expectNoHandle<ANeuralNetworksCompilation>(
      "Compilation_create",
      [](auto **c) { return ANeuralNetworksCompilation_create(nullptr, c); });
  expectNoHandle<ANeuralNetworksCompilation>(
      "Compilation_createForDevices", [&](auto **c) {
        return ANeuralNetworksCompilation_createForDevices(model.get(),
                                                           &noDevice, 1, c);
      });
  expectNoHandle<ANeuralNetworksExecution>("Execution_create", [](auto **e) {
    return ANeuralNetworksExecution_create(nullptr, e);
  });
  expectNoHandle<ANeuralNetworksBurst>("Burst_create", [](auto **b) {
    return ANeuralNetworksBurst_create(nullptr, b);
  });
  expectNoHandle<ANeuralNetworksEvent>("startCompute", [](auto **e) {
    return ANeuralNetworksExecution_startCompute(nullptr, e);
  });
  expectNoHandle<ANeuralNetworksEvent>(
      "startComputeWithDependencies", [&](auto **e) {
        return ANeuralNetworksExecution_startComputeWithDependencies(
            execution.get(), &noEvent, 1, 0, e);
      });
  expectNoHandle<ANeuralNetworksMemory>("Memory_createFromDesc", [](auto **m) {
    return ANeuralNetworksMemory_createFromDesc(nullptr, m);
  });
  expectNoHandle<ANeuralNetworksMemory>(
      "Memory_createFromAHardwareBuffer", [](auto **m) {
        return ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, m);
      });
  expectNoHandle<const char>("Device_getName", [](auto **name) {
    return ANeuralNetworksDevice_getName(nullptr, name);
  });
  expectNoHandle<const char>("Device_getVersion", [](auto **version) {
    return ANeuralNetworksDevice_getVersion(nullptr, version);
  });
}

TEST(NnapiArguments, MayBePadded) {
  Model model = reluModel({2});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(
                execution.get(), true),
            kGood);
  std::vector<float> x = {-1, 2, 99}, y = {7, 7, 7}, tooShort = {1};
  EXPECT_EQ(setInput(execution, 0, tooShort), kBadData);
  EXPECT_EQ(setInput(execution, 0, x), kGood);
  EXPECT_EQ(setOutput(execution, 0, y), kGood);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
  EXPECT_EQ(y, (std::vector<float>{0, 2, 7})) << "padding is left alone";
}

static Memory map(const File &file, size_t size, int protect,
                  size_t offset = 0) {
  ANeuralNetworksMemory *made = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(size, protect, file.descriptor(),
                                               offset, &made),
            kGood);
  return Memory(made);
}

TEST(NnapiMemory, IsMappedFromAFile) {
  File file({1, 2});
  ANeuralNetworksMemory *made = nullptr;
  auto create = [&](size_t size, int fd, size_t offset) {
    int result =
        ANeuralNetworksMemory_createFromFd(size, PROT_READ, fd, offset, &made);
    EXPECT_EQ(made != nullptr, result == kGood);
    ANeuralNetworksMemory_free(made);
    return result;
  };
  EXPECT_EQ(create(8, file.descriptor(), 0), kGood);
  EXPECT_EQ(create(4, file.descriptor(), 4), kGood);
  EXPECT_EQ(create(0, file.descriptor(), 0), kBadData);
  EXPECT_EQ(create(8, -1, 0), kBadData);
  EXPECT_EQ(create(12, file.descriptor(), 0), ANEURALNETWORKS_UNMAPPABLE);
  EXPECT_EQ(create(8, file.descriptor(), 4), ANEURALNETWORKS_UNMAPPABLE);
  EXPECT_EQ(create(SIZE_MAX, file.descriptor(), 4), ANEURALNETWORKS_UNMAPPABLE);
  EXPECT_EQ(create(8, 9999, 0), ANEURALNETWORKS_UNMAPPABLE);
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(8, PROT_READ, file.descriptor(),
                                               0, nullptr),
            kNull);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &made),
            kNull);
  auto *buffer = reinterpret_cast<AHardwareBuffer *>(&file);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &made),
            kBadData);
  ANeuralNetworksMemory_free(nullptr);
}

TEST(NnapiMemory, HoldsArguments) {
  File file({9, 9, 9, -1, 2, 9});
  Memory memory = map(file, 20, PROT_READ | PROT_WRITE, 4);
  Model model = reluModel({2});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  auto input = [&](size_t offset, size_t length) {
    return ANeuralNetworksExecution_setInputFromMemory(
        execution.get(), 0, nullptr, memory.get(), offset, length);
  };
  EXPECT_EQ(input(16, 8), kBadData);
  EXPECT_EQ(input(SIZE_MAX, 8), kBadData);
  EXPECT_EQ(input(8, 4), kBadData);
  EXPECT_EQ(input(8, 8), kGood);
  EXPECT_EQ(input(8, 8), kBadState) << "twice";
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(
                execution.get(), 0, nullptr, memory.get(), 0, 8),
            kGood);
  memory.reset(); // the execution keeps it
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
  EXPECT_EQ(file.content(6), (std::vector<float>{9, 0, 2, -1, 2, 9}));
}

TEST(NnapiMemory, IsProtected) {
  File file({1, 2});
  Memory readable = map(file, 8, PROT_READ), none = map(file, 8, PROT_NONE);
  Model model = reluModel({2});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(
                execution.get(), 0, nullptr, readable.get(), 0, 8),
            kBadData);
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(
                execution.get(), 0, nullptr, none.get(), 0, 8),
            kBadData);
  EXPECT_EQ(ANeuralNetworksMemory_copy(none.get(), readable.get()), kBadData);
  ModelMaker maker;
  maker.operand(floats({2}));
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(maker.get(), 0,
                                                           none.get(), 0, 8),
            kBadData);
}

TEST(NnapiMemory, IsCopied) {
  File from({1, 2}), to({3, 4}), longer({5, 6, 7});
  Memory source = map(from, 8, PROT_READ),
         target = map(to, 8, PROT_READ | PROT_WRITE),
         other = map(longer, 12, PROT_READ | PROT_WRITE);
  EXPECT_EQ(ANeuralNetworksMemory_copy(source.get(), target.get()), kGood);
  EXPECT_EQ(to.content(2), (std::vector<float>{1, 2}));
  EXPECT_EQ(ANeuralNetworksMemory_copy(source.get(), other.get()), kBadData);
  EXPECT_EQ(ANeuralNetworksMemory_copy(target.get(), source.get()), kBadData)
      << "it cannot be written";
  EXPECT_EQ(ANeuralNetworksMemory_copy(nullptr, target.get()), kNull);
  EXPECT_EQ(ANeuralNetworksMemory_copy(source.get(), nullptr), kNull);
}

/// For the output of one compilation and the input of another.
static Memory deviceMemory(const Compilation *writer,
                           const Compilation *reader) {
  ANeuralNetworksMemoryDesc *desc = nullptr;
  EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kGood);
  if (writer)
    EXPECT_EQ(
        ANeuralNetworksMemoryDesc_addOutputRole(desc, writer->get(), 0, 1),
        kGood);
  if (reader)
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc, reader->get(), 0, 1),
              kGood);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc), kGood);
  ANeuralNetworksMemory *made = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc, &made), kGood);
  ANeuralNetworksMemoryDesc_free(desc);
  return Memory(made);
}

TEST(NnapiDeviceMemory, GoesFromOneExecutionToAnother) {
  Model model = reluModel({2});
  Compilation first = compile(model), second = compile(model);
  Memory memory = deviceMemory(&first, &second);
  std::vector<float> x = {-1, 2}, y = {7, 7};
  auto read = [&] {
    Execution execution = makeExecution(second);
    EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(
                  execution.get(), 0, nullptr, memory.get(), 0, 0),
              kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
    return ANeuralNetworksExecution_compute(execution.get());
  };
  EXPECT_EQ(read(), ANEURALNETWORKS_OP_FAILED) << "it was never written";
  Execution write = makeExecution(first);
  EXPECT_EQ(setInput(write, 0, x), kGood);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(
                write.get(), 0, nullptr, memory.get(), 0, 0),
            kGood);
  EXPECT_EQ(ANeuralNetworksExecution_compute(write.get()), kGood);
  EXPECT_EQ(read(), kGood);
  EXPECT_EQ(y, (std::vector<float>{0, 2}));
}

TEST(NnapiDeviceMemory, IsForItsRolesAsAWhole) {
  Model model = reluModel({2});
  Compilation mine = compile(model), other = compile(model);
  Memory memory = deviceMemory(&mine, nullptr);
  Execution execution = makeExecution(mine), strange = makeExecution(other);
  auto output = [&](const Execution &of, size_t offset, size_t length) {
    return ANeuralNetworksExecution_setOutputFromMemory(
        of.get(), 0, nullptr, memory.get(), offset, length);
  };
  EXPECT_EQ(output(strange, 0, 0), kBadData) << "of another compilation";
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(
                execution.get(), 0, nullptr, memory.get(), 0, 0),
            kBadData)
      << "an output";
  EXPECT_EQ(output(execution, 0, 8), kBadData);
  EXPECT_EQ(output(execution, 4, 0), kBadData);
  EXPECT_EQ(output(execution, 0, 0), kGood);
  ModelMaker maker;
  maker.operand(floats({2}));
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(maker.get(), 0,
                                                           memory.get(), 0, 8),
            kBadData)
      << "no constant";
}

TEST(NnapiDeviceMemory, IsCopied) {
  Model model = reluModel({2}), openModel = reluModel({0});
  Compilation compilation = compile(model), open = compile(openModel);
  Memory device = deviceMemory(nullptr, &compilation),
         another = deviceMemory(nullptr, &compilation),
         openDevice = deviceMemory(nullptr, &open);
  File from({-3, 4}), to({0, 0}), longer({0, 0, 0});
  Memory source = map(from, 8, PROT_READ),
         target = map(to, 8, PROT_READ | PROT_WRITE),
         larger = map(longer, 12, PROT_READ | PROT_WRITE);
  auto copy = [](const Memory &a, const Memory &b) {
    return ANeuralNetworksMemory_copy(a.get(), b.get());
  };
  EXPECT_EQ(copy(device, target), kBadData) << "never written";
  EXPECT_EQ(copy(larger, device), kBadData) << "too long";
  EXPECT_EQ(copy(source, openDevice), kBadData) << "lengths are not known";
  EXPECT_EQ(copy(source, device), kGood);
  EXPECT_EQ(copy(device, larger), kBadData);
  EXPECT_EQ(copy(device, another), kGood);
  EXPECT_EQ(copy(device, openDevice), kGood);
  EXPECT_EQ(copy(another, target), kGood);
  EXPECT_EQ(to.content(2), (std::vector<float>{-3, 4}));
}

TEST(NnapiDeviceMemory, HasNoValueAfterAFailure) {
  Model model = reluModel({2});
  Compilation compilation = compileFor(model, "nnapi-reference");
  Memory memory = deviceMemory(&compilation, nullptr);
  File file({1, 2});
  Memory target = map(file, 8, PROT_READ | PROT_WRITE);
  EXPECT_EQ(ANeuralNetworksMemory_copy(target.get(), memory.get()), kGood);
  std::vector<float> x = {-1, 2};
  Execution execution = makeExecution(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 1), kGood);
  EXPECT_EQ(setInput(execution, 0, x), kGood);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(
                execution.get(), 0, nullptr, memory.get(), 0, 0),
            kGood);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()),
            ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(ANeuralNetworksMemory_copy(memory.get(), target.get()), kBadData);
}

TEST(NnapiDeviceMemory, RolesAgree) {
  Model floatModel = reluModel({2}), longModel = reluModel({3});
  ModelMaker maker;
  Type bytes = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 0.5f, 0};
  uint32_t x = maker.operand(bytes), y = maker.operand(bytes);
  maker.operation(ANEURALNETWORKS_RELU, {x}, {y});
  Model byteModel = maker.finish({x}, {y});
  Compilation a = compile(floatModel), b = compile(longModel),
              c = compile(byteModel);
  ANeuralNetworksMemoryDesc *desc = nullptr;
  ASSERT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kGood);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc, a.get(), 0, 1), kGood);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc, b.get(), 0, 1),
            kBadData);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc, c.get(), 0, 1),
            kBadData);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc, nullptr, 0, 1), kNull);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, nullptr), kNull);
  ANeuralNetworksMemoryDesc_free(desc);
  ANeuralNetworksMemoryDesc_free(nullptr);
}
