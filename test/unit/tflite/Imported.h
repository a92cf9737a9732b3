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

#include "parser/graph/Import.h"
#include "parser/tflite/TfliteReader.h"
#include "test/FlatBytes.h"
#include "test/ImportedModule.h"
#include <gmock/gmock.h>

namespace yarrow::test {

struct Imported : ImportedModule {
  explicit Imported(const TfliteModel &model,
                    const graph::ImportOptions &options = {}) {
    auto owner = std::make_shared<const std::string>(model.bytes());
    auto graph = tflite::parseTflite(std::as_bytes(std::span(*owner)), owner,
                                     "m.tflite", diags);
    if (graph)
      module = graph::importGraph(context, *graph, options, diags);
  }

  /// Output \p output, of floats, for floats.
  std::vector<float> run(const std::vector<std::vector<float>> &inputs,
                         std::size_t output = 0) {
    return runAs<float>(inputs, output);
  }
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
