//===- Imported.h - Small models imported for tests -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Imported net(modelOf(graph));
//   EXPECT_THAT(net.layers(), ElementsAre("Softmax"));
//   net.run({1, 2, 3});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_ONNX_IMPORTED_H
#define YARROW_TEST_UNIT_ONNX_IMPORTED_H

#include "dialects/compass/Records.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/network/Evaluator.h"
#include "parser/graph/Import.h"
#include "parser/onnx/Normalise.h"
#include "parser/onnx/OnnxReader.h"
#include "test/OnnxBytes.h"
#include <gmock/gmock.h>

namespace yarrow::test {

struct Imported {
  explicit Imported(const std::string &bytes,
                    const graph::ImportOptions &options = {}) {
    auto owner = std::make_shared<const std::string>(bytes);
    auto graph = onnx::parseOnnx(std::as_bytes(std::span(*owner)), owner,
                                 "m.onnx", diags);
    if (!graph)
      return;
    onnx::normalise(*graph);
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

  /// The first output for floats as the first input.
  std::vector<float> run(const std::vector<float> &input) {
    auto evaluator = compass::Evaluator::create(*module, diags);
    if (!evaluator)
      return {};
    std::vector<compass::TensorBytes> outputs;
    evaluator->run({{reinterpret_cast<const char *>(input.data()),
                     input.size() * sizeof(float)}},
                   outputs);
    std::vector<float> values(outputs[0].size() / sizeof(float));
    std::memcpy(values.data(), outputs[0].data(), outputs[0].size());
    return values;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  DiagnosticEngine diags;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_ONNX_IMPORTED_H
