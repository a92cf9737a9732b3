//===- KernelCaseBuilder.h - Random kernel calls --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The calls of one seed, made family by family in a fixed order: ProductCases,
// ElementwiseCases and MovementCases hold a group of families each.
//
//   KernelCaseBuilder builder(seed);
//   builder.addProducts();
//   use(builder.cases);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_KERNELCASEBUILDER_H
#define YARROW_TEST_UNIT_KERNELS_KERNELCASEBUILDER_H

#include "kernels/registry/Registry.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelCases.h"

namespace yarrow::testing {
using namespace kernels; // the parameters of all families

class KernelCaseBuilder {
public:
  explicit KernelCaseBuilder(uint64_t seed) : random(seed) {}

  std::vector<KernelCase> cases;

  void addProducts();
  void addWinograd(Conv2DIntParams conv, const WinogradAxis &y,
                   const WinogradAxis &x);
  void addElementwise();
  void addNormalizations();
  void addNormalizedGroups();
  void addImages();
  void addPooling();
  void addReductions();
  void addCumulations();
  void addConversions();
  void addMovement();
  void addLoops();
  void addRearrangements();
  void addSequences();
  void addSelections();
  void addIndexing();
  void addScatters();
  void addSegments();
  void addSuppression();
  void addChoices();
  void addDecoders();
  void addGrids();
  void addRegions();
  void addPyramids();
  void addColours();
  void addLists();
  void addRoundings();
  void addImageBoxes();
  void addHashes();
  void addUnary(UnaryFn fn);
  UnaryFn anyUnary() { return UnaryFn(random.below(kNumUnaryFns)); }

private:
  static constexpr uint32_t kNumUnaryFns = 0
#define UNARY(NAME, VALUE) +1
#include "kernels/activation/UnaryFn.def"
      ;
  Random random;

  /// \p low to \p high, both included.
  uint32_t between(uint32_t low, uint32_t high) {
    return low + random.below(high - low + 1);
  }
  int32_t around(uint32_t most) {
    return int32_t(random.below(2 * most + 1)) - int32_t(most);
  }
  bool flip() { return random.oneIn(2); }
  DType smallInt() {
    return random.of({DType::I8, DType::U8, DType::I16, DType::U16});
  }
  DType signedInt() { return random.of({DType::I8, DType::I16}); }
  DType floating() {
    return random.of({DType::F32, DType::F32, DType::F16, DType::BF16});
  }
  DType wholeNumber();
  ScatterShape scatterShape();
  DType orderedType();
  /// Zero points of a type.
  int32_t zeroPoint(DType type) {
    return around(dtypeBytes(type) == 1 ? 128 : 1000);
  }
  float real(float low, float high) {
    return low + (high - low) * float(random.below(1 << 16)) / 65536;
  }

  /// Input i is slot i, except where \p special says (buffer, slot).
  template <typename Params>
  void add(const char *symbol, const Params &params,
           std::initializer_list<std::pair<uint32_t, uint32_t>> special = {},
           uint32_t inputCount = 0, uint32_t outputCount = 1) {
    KernelCase c{.symbol = symbol, .outputCount = outputCount};
    c.params.resize(sizeof(Params));
    std::memcpy(c.params.data(), &params, sizeof(Params));
    if (inputCount == 0)
      inputCount = findKernel(symbol)->buffers.size() - 1;
    for (uint32_t k = 0; k < inputCount; ++k)
      c.inputSlots.push_back(k % kNoiseSlots);
    for (auto [buffer, slot] : special)
      c.inputSlots[buffer] = slot;
    cases.push_back(std::move(c));
  }

  Requant requant(bool hasActivation = false, bool hasPRelu = false,
                  uint32_t channels = 0);
  Requant wideRequant(Rounding rounding);
  FloatAct floatAct(uint32_t channels);
  BroadcastShape broadcast();
  EltwiseIntParams storedFunction();
  EltwiseIntParams wideFunction();
  PoolShape pool();
  Conv2DShape conv();
  Conv2DShape transposed();
  ReduceShape reduceShape();
  NormShape normShape();
  std::vector<uint32_t> dims(uint32_t elements);
};

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_KERNELS_KERNELCASEBUILDER_H
