//===- Client.cpp - A client of NNAPI's functions -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"
#include <cstdlib>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace yarrow::nnapi;
using namespace yarrow::nnapi::test;

/// Before anything asks the library.
[[maybe_unused]] static const int isDefaultSet =
    setenv("YARROW_NNAPI_TARGET", "nnapi-reference", 0);

ModelMaker::ModelMaker() {
  ANeuralNetworksModel *made = nullptr;
  EXPECT_EQ(ANeuralNetworksModel_create(&made), ANEURALNETWORKS_NO_ERROR);
  model.reset(made);
}

uint32_t ModelMaker::operand(const Type &type) {
  ANeuralNetworksOperandType raw = type.get();
  EXPECT_EQ(ANeuralNetworksModel_addOperand(get(), &raw),
            ANEURALNETWORKS_NO_ERROR);
  return numOperands++;
}

void ModelMaker::operation(int32_t code, const std::vector<uint32_t> &inputs,
                           const std::vector<uint32_t> &outputs) {
  EXPECT_EQ(ANeuralNetworksModel_addOperation(
                get(), code, uint32_t(inputs.size()), inputs.data(),
                uint32_t(outputs.size()), outputs.data()),
            ANEURALNETWORKS_NO_ERROR);
}

void ModelMaker::identify(const std::vector<uint32_t> &inputs,
                          const std::vector<uint32_t> &outputs) {
  EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(
                get(), uint32_t(inputs.size()), inputs.data(),
                uint32_t(outputs.size()), outputs.data()),
            ANEURALNETWORKS_NO_ERROR);
}

Model ModelMaker::finish(const std::vector<uint32_t> &inputs,
                         const std::vector<uint32_t> &outputs) {
  identify(inputs, outputs);
  EXPECT_EQ(ANeuralNetworksModel_finish(get()), ANEURALNETWORKS_NO_ERROR);
  return std::move(model);
}

Model test::sumModel(const std::vector<uint32_t> &dims) {
  ModelMaker maker;
  uint32_t a = maker.operand(floats(dims)), b = maker.operand(floats(dims));
  uint32_t fuse = maker.integer(ANEURALNETWORKS_FUSED_NONE);
  uint32_t y = maker.operand(floats(dims));
  maker.operation(ANEURALNETWORKS_ADD, {a, b, fuse}, {y});
  return maker.finish({a, b}, {y});
}

Model test::reluModel(const std::vector<uint32_t> &dims) {
  ModelMaker maker;
  uint32_t x = maker.operand(floats(dims)), y = maker.operand(floats(dims));
  maker.operation(ANEURALNETWORKS_RELU, {x}, {y});
  return maker.finish({x}, {y});
}

/// Whether x < limit.
static Model conditionModel() {
  ModelMaker maker;
  uint32_t x = maker.operand(floats({1})), limit = maker.operand(floats({1}));
  uint32_t y = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  maker.operation(ANEURALNETWORKS_LESS, {x, limit}, {y});
  return maker.finish({x, limit}, {y});
}

/// x + 1, and the limit is not used.
static Model bodyModel() {
  ModelMaker maker;
  uint32_t x = maker.operand(floats({1})), limit = maker.operand(floats({1}));
  uint32_t one = maker.constant<float>(floats({1}), {1});
  uint32_t fuse = maker.integer(ANEURALNETWORKS_FUSED_NONE);
  uint32_t y = maker.operand(floats({1}));
  maker.operation(ANEURALNETWORKS_ADD, {x, one, fuse}, {y});
  return maker.finish({x, limit}, {y});
}

Model test::countModel() {
  Model condition = conditionModel(), body = bodyModel();
  ModelMaker maker;
  uint32_t conditionOperand = maker.operand(scalar(ANEURALNETWORKS_MODEL));
  uint32_t bodyOperand = maker.operand(scalar(ANEURALNETWORKS_MODEL));
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(
                maker.get(), int32_t(conditionOperand), condition.get()),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(
                maker.get(), int32_t(bodyOperand), body.get()),
            ANEURALNETWORKS_NO_ERROR);
  uint32_t x = maker.operand(floats({1})), limit = maker.operand(floats({1}));
  uint32_t y = maker.operand(floats({1}));
  maker.operation(ANEURALNETWORKS_WHILE,
                  {conditionOperand, bodyOperand, x, limit}, {y});
  return maker.finish({x, limit}, {y});
}

ANeuralNetworksDevice *test::deviceNamed(const std::string &name) {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  for (uint32_t i = 0; i != count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    const char *found = nullptr;
    EXPECT_EQ(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksDevice_getName(device, &found),
              ANEURALNETWORKS_NO_ERROR);
    if (name == found)
      return device;
  }
  return nullptr;
}

static Compilation finished(ANeuralNetworksCompilation *made) {
  Compilation compilation(made);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(made), ANEURALNETWORKS_NO_ERROR);
  return compilation;
}

Compilation test::compile(const Model &model) {
  ANeuralNetworksCompilation *made = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), &made),
            ANEURALNETWORKS_NO_ERROR);
  return finished(made);
}

Compilation test::compileFor(const Model &model,
                             const std::string &deviceName) {
  const ANeuralNetworksDevice *device = deviceNamed(deviceName);
  ANeuralNetworksCompilation *made = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1,
                                                        &made),
            ANEURALNETWORKS_NO_ERROR);
  return finished(made);
}

Execution test::makeExecution(const Compilation &compilation) {
  ANeuralNetworksExecution *made = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), &made),
            ANEURALNETWORKS_NO_ERROR);
  return Execution(made);
}

int test::setInput(const Execution &execution, int32_t index,
                   const std::vector<float> &values, const Type *type) {
  ANeuralNetworksOperandType raw;
  if (type)
    raw = type->get();
  return ANeuralNetworksExecution_setInput(execution.get(), index,
                                           type ? &raw : nullptr, values.data(),
                                           values.size() * sizeof(float));
}

int test::setOutput(const Execution &execution, int32_t index,
                    std::vector<float> &values, const Type *type) {
  ANeuralNetworksOperandType raw;
  if (type)
    raw = type->get();
  return ANeuralNetworksExecution_setOutput(
      execution.get(), index, type ? &raw : nullptr, values.data(),
      values.size() * sizeof(float));
}

Fence::Fence() : fd(eventfd(0, EFD_CLOEXEC)) {
  ANeuralNetworksEvent *event = nullptr;
  EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &event),
            ANEURALNETWORKS_NO_ERROR);
  made.reset(event);
}

Fence::~Fence() { close(fd); }

void Fence::signal() const {
  uint64_t one = 1;
  EXPECT_EQ(write(fd, &one, sizeof one), ssize_t(sizeof one));
}

File::File(const std::vector<float> &content)
    : fd(memfd_create("nnapi_test", MFD_CLOEXEC)) {
  EXPECT_GE(fd, 0);
  std::size_t sizeBytes = content.size() * sizeof(float);
  EXPECT_EQ(pwrite(fd, content.data(), sizeBytes, 0), ssize_t(sizeBytes));
}

File::~File() { close(fd); }

std::vector<float> File::content(std::size_t count) const {
  std::vector<float> values(count);
  std::size_t sizeBytes = count * sizeof(float);
  EXPECT_EQ(pread(fd, values.data(), sizeBytes, 0), ssize_t(sizeBytes));
  return values;
}
