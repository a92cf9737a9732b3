//===- KeptRoundingTest.cpp - Weights as they were rounded before ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/rounding/KeptRounding.h"
#include "quantizer/rounding/IntegerWeights.h"
#include "test/unit/quantizer/ConvNetwork.h"

using namespace yarrow;
using mlir::ModuleOp;

namespace {

QuantizerOptions optionsFor(unsigned weightBits, bool perChannel) {
  QuantizerOptions options;
  options.global.activationStrategy = *CalibrationStrategy::parse("extrema");
  options.global.weightBits = weightBits;
  options.global.weightMethod.perChannel = perChannel;
  return options;
}

mlir::Operation *convOf(ModuleOp module) {
  mlir::Operation *conv = nullptr;
  module.walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() == "compass.convolution")
      conv = op;
  });
  return conv;
}

/// A network of one convolution, quantized in several ways.
class KeptRounding : public ::testing::Test {
protected:
  struct Quantized {
    QuantizerOptions options;
    mlir::OwningOpRef<ModuleOp> module;
  };

  Quantized quantized(unsigned weightBits = 8, bool perChannel = false) {
    Quantized q{optionsFor(weightBits, perChannel), net.original->clone()};
    auto calibration =
        Calibration::run(*q.module, conv.images(), q.options, {}, net.diags);
    EXPECT_TRUE(calibration &&
                quantizeModule(*q.module, *calibration, q.options, net.diags))
        << net.problems();
    return q;
  }
  IntegerWeights weightsOf(const Quantized &q) {
    mlir::Operation *real = convOf(*net.original);
    return *IntegerWeights::of(real, convOf(*q.module),
                               optionsOf(real, q.options));
  }
  /// The first weight as no rounding to the nearest has it.
  void roundOtherwise(const Quantized &q) {
    IntegerWeights weights = weightsOf(q);
    weights.rounded.front() += weights.rounded.front() > 0 ? -1 : 1;
    weights.store();
  }
  /// The weights of \p to, once it has what \p from can give it.
  std::vector<int16_t> keptBy(const Quantized &to, const Quantized &from) {
    keepRounding({*net.original, *from.module, from.options}, *to.module,
                 to.options);
    return weightsOf(to).rounded;
  }

  ConvCase conv;
  TestNetwork net{networkOf(conv)};
};

} // namespace

TEST_F(KeptRounding, IsTakenWhereStepsAreTheSame) {
  Quantized from = quantized(), to = quantized();
  roundOtherwise(from);
  std::vector<int16_t> changed = weightsOf(from).rounded;
  EXPECT_NE(weightsOf(to).rounded, changed);
  EXPECT_EQ(keptBy(to, from), changed);
}

TEST_F(KeptRounding, StaysWhereBitsOrStepsDiffer) {
  Quantized from = quantized();
  roundOtherwise(from);
  Quantized narrow = quantized(4), perChannel = quantized(8, true);
  for (const Quantized *to : {&narrow, &perChannel}) {
    std::vector<int16_t> before = weightsOf(*to).rounded;
    EXPECT_EQ(keptBy(*to, from), before);
  }
}
