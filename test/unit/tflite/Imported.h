//===- Imported.h - Small TFLite models imported for tests ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Imported net(model);
//   EXPECT_THAT(net.layers(), ElementsAre("Convolution"));
//   net.run({{1, 2, 3}});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_TFLITE_IMPORTED_H
#define YARROW_TEST_UNIT_TFLITE_IMPORTED_H

#include "dialects/compass/Records.h"
#include "dialects/compass/network/Evaluator.h"
#include "parser/graph/Import.h"
#include "parser/tflite/TfliteReader.h"
#include "test/FlatBytes.h"
#include <gmock/gmock.h>

namespace yarrow::test {

struct Imported {
  explicit Imported(const TfliteModel &model,
                    const graph::ImportOptions &options = {}) {
    auto owner = std::make_shared<const std::string>(model.bytes());
    auto graph = tflite::parseTflite(std::as_bytes(std::span(*owner)), owner,
                                     "m.tflite", diags);
    if (graph)
      module = graph::importGraph(context, *graph, options, diags);
  }

  /// Types of all layers but inputs and constants.
  std::vector<std::string> layers() {
    std::vector<std::string> types;
    if (module)
      module->walk([&](mlir::Operation *op) {
        const compass::OperatorRecord *record = compass::recordOf(op);
        if (record && record->layerType != "Input" &&
            record->layerType != "Constant")
          types.push_back(record->layerType.str());
      });
    return types;
  }

  /// Output \p output, of floats, for floats.
  std::vector<float> run(const std::vector<std::vector<float>> &inputs,
                         std::size_t output = 0) {
    auto evaluator =
        module ? compass::Evaluator::create(*module, diags) : nullptr;
    if (!evaluator)
      return {};
    std::vector<compass::TensorBytesRef> data;
    for (const std::vector<float> &input : inputs)
      data.emplace_back(reinterpret_cast<const char *>(input.data()),
                        input.size() * sizeof(float));
    std::vector<compass::TensorBytes> outputs;
    evaluator->run(data, outputs);
    std::vector<float> values(outputs[output].size() / sizeof(float));
    std::memcpy(values.data(), outputs[output].data(), outputs[output].size());
    return values;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  DiagnosticEngine diags;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// 1, 2, 3, ...
inline std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = float(i + 1);
  return values;
}

inline Flat byteOf(int value) { return Flat::number(std::int8_t(value)); }
inline Flat intOf(int value) { return Flat::number(std::int32_t(value)); }

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_TFLITE_IMPORTED_H
