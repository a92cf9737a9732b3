//===- TestNetwork.h - Small networks for tests ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network from MLIR text, sample data in memory, and float results of both.
//
//   TestNetwork net(R"(func.func @main() -> ... { ... })");
//   net.quantize(options, {normalSamples({8, 4})});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QUANTIZER_TESTNETWORK_H
#define YARROW_TEST_UNIT_QUANTIZER_TESTNETWORK_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "quantizer/Quantizer.h"
#include "quantizer/metrics/Metrics.h"

#include <cmath>
#include <gmock/gmock.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace yarrow {

/// Standard normal values, the same on every platform.
inline NpyView normalSamples(std::vector<int64_t> shape, unsigned seed = 1,
                             float mean = 0, float deviation = 1) {
  std::size_t count = 1;
  for (int64_t d : shape)
    count *= std::size_t(d);
  auto values = std::make_shared<std::vector<float>>(count);
  std::mt19937 generator(seed);
  for (float &v : *values) {
    double u = (generator() + 1.0) / 4294967297.0;
    double w = generator() / 4294967296.0;
    v = mean + deviation * float(std::sqrt(-2 * std::log(u)) *
                                 std::cos(6.28318530718 * w));
  }
  return {NpyType::Float32, std::move(shape), count, values->data(), values};
}

class TestNetwork {
public:
  explicit TestNetwork(const std::string &text) {
    mlir::DialectRegistry registry;
    compass::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    original = module->clone();
  }

  /// Calibrates and quantizes; `diags` says why not.
  bool quantize(const QuantizerOptions &options,
                const std::vector<NpyView> &samples) {
    calibration = Calibration::run(*module, samples, options, {}, diags);
    return calibration && quantizeModule(*module, *calibration, options, diags);
  }
  /// Of the original's first output and the changed module's.
  Similarity similarity(const std::vector<NpyView> &samples) {
    auto a = NetworkRunner::create(*original, samples, diags);
    auto b = NetworkRunner::create(*module, samples, diags);
    Similarity s;
    EXPECT_TRUE(a && b) << problems();
    for (std::size_t i = 0; a && b && i < a->count(); ++i)
      s.add(a->outputsOf(i)[0], b->outputsOf(i)[0]);
    return s;
  }
  /// The only op with this mnemonic.
  mlir::Operation *find(llvm::StringRef mnemonic) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == ("compass." + mnemonic).str())
        found = op;
    });
    return found;
  }
  unsigned count(llvm::StringRef mnemonic) {
    unsigned n = 0;
    module->walk([&](mlir::Operation *op) {
      n += op->getName().getStringRef() == ("compass." + mnemonic).str();
    });
    return n;
  }
  std::string problems() const {
    std::ostringstream os;
    diags.print(os);
    return os.str();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module, original;
  std::unique_ptr<Calibration> calibration;
  DiagnosticEngine diags;
};

} // namespace yarrow

#endif // YARROW_TEST_UNIT_QUANTIZER_TESTNETWORK_H
