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

#include "dialects/compass/graph/Graphs.h"
#include "parser/graph/Import.h"
#include "parser/onnx/Normalise.h"
#include "parser/onnx/OnnxReader.h"
#include "test/ImportedModule.h"
#include "test/OnnxBytes.h"
#include <gmock/gmock.h>

namespace yarrow::test {

struct Imported : ImportedModule {
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

  /// The first output for floats as the first input.
  std::vector<float> run(const std::vector<float> &input) {
    return runAs<float, float>({input});
  }
};

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_ONNX_IMPORTED_H
