//===- FuzzQnn.cpp - Broken QNN graphs ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash, a model exactly if there is no error, what is
// written of it reads as the same, and a graph exactly if making one has none.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonReader.h"
#include "parser/qnn/JsonWriter.h"
#include "parser/qnn/QnnGraph.h"
#include "parser/qnn/Weights.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

using namespace yarrow;
using fuzz::require;

/// Tensors that take minutes to fill say nothing about the reader.
static bool isSmall(const qnn::QnnModel &model) {
  return std::ranges::all_of(model.tensors,
                             [](const qnn::QnnTensor &tensor) {
                               return tensor.sizeBytes() <= 1 << 12 &&
                                      tensor.dims.size() <= 8;
                             }) &&
         std::ranges::all_of(model.graphs, [](const auto &entry) {
           return isSmall(*entry.second);
         });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  // A block of its own size, so that a read beyond it is seen.
  std::unique_ptr<char[]> block(new char[size]);
  if (size)
    std::memcpy(block.get(), data, size);
  DiagnosticEngine diags;
  auto model = qnn::parseJson({block.get(), size}, "fuzz.json", diags);
  require(model.has_value() == !diags.hasErrors(),
          "a model exactly if there is no error", &diags);
  if (!model)
    return 0;
  ++fuzz::numAccepted;
  block.reset(); // nothing is kept of the text
  std::string written = qnn::jsonOf(*model);
  auto again = qnn::parseJson(written, "again.json", diags);
  require(again.has_value(), "what is written can be read", &diags);
  require(qnn::jsonOf(*again) == written, "what is written reads as the same");
  if (!isSmall(*model))
    return 0;
  qnn::makeUpWeights(*model, diags);
  require(!diags.hasErrors(), "small weights can be made up", &diags);
  auto graph = qnn::readQnnModel(*model, diags);
  require(bool(graph) == !diags.hasErrors(),
          "a graph exactly if there is no error", &diags);
  return 0;
}
