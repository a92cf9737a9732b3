//===- ModelChecksTest.cpp - Operations, arguments and whole models -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"

using namespace yarrow::nnapi::test;

TEST(NnapiModel, CreateTakesNoNull) {
  EXPECT_EQ(ANeuralNetworksModel_create(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ANeuralNetworksModel_free(nullptr);
}

TEST(NnapiModel, NullsComeBeforeEverythingElse) {
  Model finished = reluModel({1});
  ModelMaker maker;
  Type type = floats({1});
  ANeuralNetworksOperandType raw = type.get(), lengthless = raw;
  lengthless.dimensions = nullptr;
  uint32_t list[1] = {0};
  for (ANeuralNetworksModel *model : {maker.get(), finished.get()}) {
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model, nullptr),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksModel_addOperand(model, &lengthless),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1,
                                                nullptr, 1, list),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1,
                                                list, 1, nullptr),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, nullptr,
                                                            1, list),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, list, 0,
                                                            nullptr),
              ANEURALNETWORKS_UNEXPECTED_NULL);
  }
  EXPECT_EQ(ANeuralNetworksModel_addOperand(nullptr, &raw),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(
      ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true),
      ANEURALNETWORKS_UNEXPECTED_NULL);
}

namespace {
/// Two float tensors of 2, an INT32 scalar with the value 0, and a constant
/// float tensor.
struct Operands {
  ModelMaker maker;
  uint32_t a = maker.operand(floats({2})), b = maker.operand(floats({2}));
  uint32_t none = maker.integer(0);
  uint32_t constant = maker.constant<float>(floats({2}), {1, 2});

  int add(int32_t code, std::vector<uint32_t> inputs,
          std::vector<uint32_t> outputs) {
    inputs.reserve(1); // so that none is not null
    outputs.reserve(1);
    return ANeuralNetworksModel_addOperation(
        maker.get(), code, uint32_t(inputs.size()), inputs.data(),
        uint32_t(outputs.size()), outputs.data());
  }
  int identify(std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    return ANeuralNetworksModel_identifyInputsAndOutputs(
        maker.get(), uint32_t(inputs.size()), inputs.data(),
        uint32_t(outputs.size()), outputs.data());
  }
  int finish() { return ANeuralNetworksModel_finish(maker.get()); }
};

/// More, of types that operations over floats do not take.
struct MoreOperands : Operands {
  uint32_t ints = maker.operand({ANEURALNETWORKS_TENSOR_INT32, {2}});
  uint32_t model = maker.operand(scalar(ANEURALNETWORKS_MODEL));
};
} // namespace

TEST(NnapiOperation, FitsAForm) {
  Operands o;
  EXPECT_EQ(o.add(ANEURALNETWORKS_ADD, {o.a, o.constant, o.none}, {o.b}),
            ANEURALNETWORKS_NO_ERROR);
}

TEST(NnapiOperation, ThatIsNoneIsRefused) {
  Operands o;
  for (int32_t code : {-1, 106, 9999, 10000})
    EXPECT_EQ(o.add(code, {o.a}, {o.b}), ANEURALNETWORKS_BAD_DATA) << code;
}

TEST(NnapiOperation, OfOperandsThatDoNotExistIsRefused) {
  Operands o;
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {99}, {o.b}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.a}, {99}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.a}, {UINT32_MAX}),
            ANEURALNETWORKS_BAD_DATA);
}

TEST(NnapiOperation, OfTooFewOrTooManyOperandsIsRefused) {
  MoreOperands o;
  EXPECT_EQ(o.add(ANEURALNETWORKS_ADD, {o.a, o.constant}, {o.b}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(
      o.add(ANEURALNETWORKS_ADD, {o.a, o.constant, o.none, o.none}, {o.b}),
      ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {}, {o.b}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.a}, {}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b, o.ints}),
            ANEURALNETWORKS_BAD_DATA);
}

TEST(NnapiOperation, OfOtherTypesIsRefused) {
  MoreOperands o;
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.a}, {o.ints}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.ints}, {o.ints}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_ADD, {o.a, o.ints, o.none}, {o.b}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_ADD, {o.a, o.constant, o.constant}, {o.b}),
            ANEURALNETWORKS_BAD_DATA);
}

TEST(NnapiOperation, DoesNotWriteConstants) {
  Operands o;
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.a}, {o.constant}),
            ANEURALNETWORKS_BAD_DATA);
}

TEST(NnapiOperation, TakesModelsOnlyWhereItBranches) {
  MoreOperands o;
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.model}, {o.b}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.add(ANEURALNETWORKS_WHILE, {o.a, o.a, o.a}, {o.b}),
            ANEURALNETWORKS_BAD_DATA);
}

TEST(NnapiIdentify, TakesOperandsOnce) {
  {
    Operands o;
    EXPECT_EQ(o.identify({o.a}, {o.b}), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(o.identify({o.a}, {o.b}), ANEURALNETWORKS_BAD_DATA) << "twice";
  }
  Operands o;
  EXPECT_EQ(o.identify({o.a}, {o.a}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.identify({o.a, o.a}, {o.b}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.identify({o.a}, {o.b, o.b}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.identify({99}, {o.b}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.identify({o.a}, {99}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.identify({o.constant}, {o.b}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.identify({o.a}, {o.constant}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(o.identify({o.a}, {o.b}), ANEURALNETWORKS_NO_ERROR)
      << "what was refused has changed nothing";
}

namespace {
/// A whole model, and what finishing it gives.
struct WholeRow {
  const char *name;
  void (*build)(Operands &);
  int result;
};
void PrintTo(const WholeRow &row, std::ostream *os) { *os << row.name; }
class NnapiWholeModel : public ::testing::TestWithParam<WholeRow> {};

const WholeRow kWhole[] = {
    {"Good",
     [](Operands &o) {
       o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_NO_ERROR},
    {"NothingIdentified",
     [](Operands &o) { o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b}); },
     ANEURALNETWORKS_BAD_DATA},
    {"NoOperation", [](Operands &o) { o.identify({o.a}, {o.b}); },
     ANEURALNETWORKS_BAD_DATA},
    {"Empty", [](Operands &) {}, ANEURALNETWORKS_BAD_DATA},
    {"OutputNotWritten",
     [](Operands &o) {
       uint32_t y = o.maker.operand(floats({2}));
       o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b});
       o.identify({o.a}, {y});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"InputNeverGiven",
     [](Operands &o) {
       uint32_t x = o.maker.operand(floats({2}));
       o.add(ANEURALNETWORKS_ADD, {o.a, x, o.none}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"WrittenTwice",
     [](Operands &o) {
       o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b});
       o.add(ANEURALNETWORKS_RELU6, {o.a}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"WritesAnInput",
     [](Operands &o) {
       uint32_t y = o.maker.operand(floats({2}));
       o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b});
       o.add(ANEURALNETWORKS_RELU, {o.b}, {y});
       o.identify({o.b}, {y});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"Cycle",
     [](Operands &o) {
       uint32_t x = o.maker.operand(floats({2}));
       uint32_t y = o.maker.operand(floats({2}));
       o.add(ANEURALNETWORKS_ADD, {o.a, y, o.none}, {x});
       o.add(ANEURALNETWORKS_RELU, {x}, {y});
       o.add(ANEURALNETWORKS_RELU, {y}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"ReadsItsOwnResult",
     [](Operands &o) {
       o.add(ANEURALNETWORKS_ADD, {o.a, o.b, o.none}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"OperationsInAnyOrder",
     [](Operands &o) {
       uint32_t x = o.maker.operand(floats({2}));
       o.add(ANEURALNETWORKS_RELU, {x}, {o.b});
       o.add(ANEURALNETWORKS_RELU, {o.a}, {x});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_NO_ERROR},
    {"ConstantLaterWritten",
     [](Operands &o) {
       uint32_t x = o.maker.operand(floats({2}));
       float values[2] = {};
       o.add(ANEURALNETWORKS_RELU, {o.a}, {x});
       o.add(ANEURALNETWORKS_RELU, {x}, {o.b});
       ANeuralNetworksModel_setOperandValue(o.maker.get(), int32_t(x), values,
                                            sizeof values);
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"OptionalThatIsNot",
     [](Operands &o) {
       uint32_t x = o.maker.operand(floats({2}));
       ANeuralNetworksModel_setOperandValue(o.maker.get(), int32_t(x), nullptr,
                                            0);
       o.add(ANEURALNETWORKS_ADD, {o.a, x, o.none}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"OperandNeitherWrittenNorGiven",
     [](Operands &o) {
       o.maker.operand(floats({2}));
       o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
    {"ChannelsWithoutScales",
     [](Operands &o) {
       Type type = {ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}};
       uint32_t x = o.maker.constant<int8_t>(type, {1, 2});
       o.add(ANEURALNETWORKS_DEQUANTIZE, {x}, {o.b});
       o.identify({o.a}, {o.b});
     },
     ANEURALNETWORKS_BAD_DATA},
};
} // namespace

TEST_P(NnapiWholeModel, IsChecked) {
  Operands o;
  GetParam().build(o);
  EXPECT_EQ(o.finish(), GetParam().result);
  // Finished or wrong, it is never changed again.
  EXPECT_EQ(o.finish(), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(o.add(ANEURALNETWORKS_RELU, {o.a}, {o.b}),
            ANEURALNETWORKS_BAD_STATE);
  ANeuralNetworksCompilation *compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_create(o.maker.get(), &compilation),
            GetParam().result == ANEURALNETWORKS_NO_ERROR
                ? ANEURALNETWORKS_NO_ERROR
                : ANEURALNETWORKS_BAD_STATE);
  ANeuralNetworksCompilation_free(compilation);
}

INSTANTIATE_TEST_SUITE_P(Models, NnapiWholeModel, ::testing::ValuesIn(kWhole),
                         [](const auto &info) { return info.param.name; });

TEST(NnapiDevices, AreReported) {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  EXPECT_GE(count, 2u);
  ANeuralNetworksDevice *device = nullptr;
  EXPECT_EQ(ANeuralNetworks_getDevice(0, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworks_getDevice(count, &device),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(device, nullptr);
  for (uint32_t i = 0; i != count; ++i) {
    ASSERT_EQ(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
    const char *name = nullptr, *version = nullptr;
    int32_t type = 0;
    int64_t level = 0;
    EXPECT_EQ(ANeuralNetworksDevice_getName(device, &name),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksDevice_getVersion(device, &version),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksDevice_getType(device, &type),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(device, &level),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksDevice_wait(device), ANEURALNETWORKS_NO_ERROR);
    bool isReference = std::string(name) == "nnapi-reference";
    EXPECT_EQ(type, isReference ? ANEURALNETWORKS_DEVICE_CPU
                                : ANEURALNETWORKS_DEVICE_ACCELERATOR);
    EXPECT_FALSE(std::string(version).empty());
    EXPECT_GE(level, ANEURALNETWORKS_FEATURE_LEVEL_5);
    EXPECT_LE(level, ANeuralNetworks_getRuntimeFeatureLevel());
  }
  EXPECT_NE(deviceNamed("yarrow-X2_1204"), nullptr);
}

TEST(NnapiDevices, TakeNoNull) {
  ANeuralNetworksDevice *device = deviceNamed("nnapi-reference");
  ASSERT_NE(device, nullptr);
  const char *text;
  int32_t type;
  int64_t level;
  EXPECT_EQ(ANeuralNetworksDevice_getName(device, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getName(nullptr, &text),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(nullptr, &text),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getType(nullptr, &type),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(nullptr, &level),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksDevice_wait(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST(NnapiSupport, IsAskedOfFinishedModels) {
  const ANeuralNetworksDevice *device = deviceNamed("yarrow-X2_1204");
  const ANeuralNetworksDevice *twice[] = {device, device},
                              *withNull[] = {device, nullptr};
  auto ask = [](const ANeuralNetworksModel *model,
                const ANeuralNetworksDevice *const *devices, uint32_t count,
                bool *supported) {
    return ANeuralNetworksModel_getSupportedOperationsForDevices(
        model, devices, count, supported);
  };
  bool supported[1] = {};
  ModelMaker unfinished;
  EXPECT_EQ(ask(unfinished.get(), &device, 1, supported),
            ANEURALNETWORKS_BAD_STATE);
  Model model = reluModel({2});
  EXPECT_EQ(ask(nullptr, &device, 1, supported),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ask(model.get(), nullptr, 1, supported),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ask(model.get(), &device, 1, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ask(model.get(), withNull, 2, supported),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ask(model.get(), twice, 2, supported), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ask(model.get(), &device, 0, supported), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ask(model.get(), &device, 1, supported), ANEURALNETWORKS_NO_ERROR);
  EXPECT_TRUE(supported[0]);
}

TEST(NnapiExtensions, AreNone) {
  bool isSupported = true;
  EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(
                deviceNamed("nnapi-reference"), "vendor.ext", &isSupported),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_FALSE(isSupported);
  ModelMaker maker;
  maker.operand(floats({1}));
  int32_t type;
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(
                maker.get(), "vendor.ext", 0, &type),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(
                maker.get(), "vendor.ext", 0, &type),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(maker.get(), nullptr,
                                                         0, &type),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(
      ANeuralNetworksModel_setOperandExtensionData(maker.get(), 0, &type, 4),
      ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(
      ANeuralNetworksModel_setOperandExtensionData(maker.get(), 0, nullptr, 4),
      ANEURALNETWORKS_UNEXPECTED_NULL);
}
