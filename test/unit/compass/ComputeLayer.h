//===- ComputeLayer.h - What one layer computes -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer from its name, keys and types, computed by the evaluator.
//
//   auto y = compute("box_transform", "", {"tensor<1x4xf32>", ...},
//                    {"tensor<1x4xf32>"}, {bytesOf(boxes), ...});
//   Floats moved = valuesOf<float>(y[0]);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_COMPASS_COMPUTELAYER_H
#define YARROW_TEST_UNIT_COMPASS_COMPUTELAYER_H

#include "dialects/compass/network/Evaluator.h"
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include <cstring>
#include <gtest/gtest.h>

namespace yarrow::compass {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

template <typename T> TensorBytes bytesOf(const std::vector<T> &values) {
  auto *first = reinterpret_cast<const char *>(values.data());
  return {first, first + values.size() * sizeof(T)};
}
template <typename T> std::vector<T> valuesOf(const TensorBytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
/// Results of the one layer "NAME" with \p keys.
inline std::vector<TensorBytes>
compute(const std::string &name, const std::string &keys,
        const std::vector<std::string> &inputTypes,
        const std::vector<std::string> &resultTypes,
        const std::vector<TensorBytes> &inputs) {
  std::string text = "func.func @main() -> (", names, types, results, returned;
  for (size_t i = 0; i < resultTypes.size(); ++i) {
    std::string comma = i ? ", " : "";
    results += comma + resultTypes[i];
    returned += comma + "%y#" + std::to_string(i);
  }
  text += results + ") {\n";
  for (size_t i = 0; i < inputTypes.size(); ++i) {
    std::string x = "%x" + std::to_string(i), comma = i ? ", " : "";
    text += x + " = compass.input() {input_index = " + std::to_string(i) +
            " : i64} : () -> " + inputTypes[i] + "\n";
    names += comma + x, types += comma + inputTypes[i];
  }
  text += "%y:" + std::to_string(resultTypes.size()) + " = compass." + name +
          "(" + names + ") {" + keys + "} : (" + types + ") -> (" + results +
          ")\nreturn " + returned + " : " + results + "\n}";
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  DiagnosticEngine diags;
  auto evaluator = module ? Evaluator::create(*module, diags) : nullptr;
  if (!evaluator) {
    ADD_FAILURE() << text;
    return std::vector<TensorBytes>(resultTypes.size());
  }
  std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
  std::vector<TensorBytes> outputs;
  evaluator->run(refs, outputs);
  return outputs;
}

inline Floats randomFloats(yarrow::testing::Random &random, size_t count,
                           float low, float high) {
  Floats values(count);
  for (float &value : values)
    value = low + (high - low) * float(random.below(1 << 20)) / (1 << 20);
  return values;
}

} // namespace yarrow::compass

#endif // YARROW_TEST_UNIT_COMPASS_COMPUTELAYER_H
