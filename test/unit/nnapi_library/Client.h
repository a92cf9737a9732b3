//===- Client.h - A client of NNAPI's functions -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Handles that free themselves, and models in a few lines:
//
//   ModelMaker maker;
//   uint32_t x = maker.operand(floats({2, 2})), y = maker.operand(floats({2,
//   2})); maker.operation(ANEURALNETWORKS_RELU, {x}, {y}); Model model =
//   maker.finish({x}, {y}); Compilation compilation = compile(model);
//
// The reference is the default device of these tests; the NPU is named where
// it matters.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_NNAPI_LIBRARY_CLIENT_H
#define YARROW_TEST_UNIT_NNAPI_LIBRARY_CLIENT_H

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>
#include <yarrow/NeuralNetworks.h>

namespace yarrow::nnapi::test {

inline constexpr int kGood = ANEURALNETWORKS_NO_ERROR;
inline constexpr int kBadState = ANEURALNETWORKS_BAD_STATE;
inline constexpr int kBadData = ANEURALNETWORKS_BAD_DATA;
inline constexpr int kNull = ANEURALNETWORKS_UNEXPECTED_NULL;

template <typename Handle, void (*freeHandle)(Handle *)> struct Freer {
  void operator()(Handle *handle) const { freeHandle(handle); }
};
template <typename Handle, void (*freeHandle)(Handle *)>
using Owned = std::unique_ptr<Handle, Freer<Handle, freeHandle>>;

using Model = Owned<ANeuralNetworksModel, ANeuralNetworksModel_free>;
using Compilation =
    Owned<ANeuralNetworksCompilation, ANeuralNetworksCompilation_free>;
using Execution =
    Owned<ANeuralNetworksExecution, ANeuralNetworksExecution_free>;
using Memory = Owned<ANeuralNetworksMemory, ANeuralNetworksMemory_free>;
using MemoryDesc =
    Owned<ANeuralNetworksMemoryDesc, ANeuralNetworksMemoryDesc_free>;
using Burst = Owned<ANeuralNetworksBurst, ANeuralNetworksBurst_free>;
using Event = Owned<ANeuralNetworksEvent, ANeuralNetworksEvent_free>;

/// An operand, with room for its lengths.
struct Type {
  int32_t code = ANEURALNETWORKS_TENSOR_FLOAT32;
  std::vector<uint32_t> dims = {};
  float scale = 0;
  int32_t zeroPoint = 0;

  ANeuralNetworksOperandType get() const {
    return {code, uint32_t(dims.size()), dims.data(), scale, zeroPoint};
  }
};
inline Type floats(std::vector<uint32_t> dims) {
  return {ANEURALNETWORKS_TENSOR_FLOAT32, std::move(dims)};
}
inline Type scalar(int32_t code) { return {code, {}}; }

class ModelMaker {
public:
  ModelMaker();
  ANeuralNetworksModel *get() const { return model.get(); }

  /// Its number.
  uint32_t operand(const Type &type);
  template <typename T>
  uint32_t constant(const Type &type, const std::vector<T> &values) {
    uint32_t number = operand(type);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(get(), int32_t(number),
                                                   values.data(),
                                                   values.size() * sizeof(T)),
              ANEURALNETWORKS_NO_ERROR);
    return number;
  }
  uint32_t integer(int32_t value) {
    return constant<int32_t>(scalar(ANEURALNETWORKS_INT32), {value});
  }
  void operation(int32_t code, const std::vector<uint32_t> &inputs,
                 const std::vector<uint32_t> &outputs);
  void identify(const std::vector<uint32_t> &inputs,
                const std::vector<uint32_t> &outputs);
  Model finish(const std::vector<uint32_t> &inputs,
               const std::vector<uint32_t> &outputs);

private:
  Model model;
  uint32_t numOperands = 0;
};

/// y = a + b.
Model sumModel(const std::vector<uint32_t> &dims);
/// y = max(x, 0).
Model reluModel(const std::vector<uint32_t> &dims);
/// x = x + 1 while x < limit; x is one float, limit an input.
Model countModel();

/// For the default device, finished.
Compilation compile(const Model &model);
/// For the device of this name, finished.
Compilation compileFor(const Model &model, const std::string &deviceName);
ANeuralNetworksDevice *deviceNamed(const std::string &name);

Execution makeExecution(const Compilation &compilation);
/// Sets input or output \p index to all of \p values.
int setInput(const Execution &execution, int32_t index,
             const std::vector<float> &values, const Type *type = nullptr);
int setOutput(const Execution &execution, int32_t index,
              std::vector<float> &values, const Type *type = nullptr);

/// A descriptor that is not signalled, and its event.
class Fence {
public:
  Fence();
  ~Fence();
  const ANeuralNetworksEvent *event() const { return made.get(); }
  void signal() const;

private:
  int fd;
  Event made;
};

/// A file of this content that has no name.
class File {
public:
  explicit File(const std::vector<float> &content);
  ~File();
  int descriptor() const { return fd; }
  std::vector<float> content(std::size_t count) const;

private:
  int fd;
};

} // namespace yarrow::nnapi::test

#endif // YARROW_TEST_UNIT_NNAPI_LIBRARY_CLIENT_H
