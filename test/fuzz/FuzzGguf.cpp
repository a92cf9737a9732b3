//===- FuzzGguf.cpp - Broken GGUF models ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash, a graph exactly if there is no error, and
// layers exactly if importing it has none.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/GgufReader.h"
#include "parser/graph/Import.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>

using namespace yarrow;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  // A block of its own size, so that a read beyond it is seen.
  std::shared_ptr<std::byte[]> block(new std::byte[size]);
  if (size)
    std::memcpy(block.get(), data, size);
  // Both forms.
  gguf::GgufShapes shapes;
  if (size % 2)
    shapes.tokens = {1, 4};
  else
    shapes.cache = {4};
  DiagnosticEngine diags;
  auto graph = gguf::parseGguf({block.get(), size}, block,
                               "/nonexistent/fuzz.gguf", shapes, diags);
  require(bool(graph) == !diags.hasErrors(),
          "a graph exactly if there is no error", &diags);
  if (!graph)
    return 0;
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = graph::importGraph(context, *graph, {}, diags);
  require(bool(module) == !diags.hasErrors(),
          "layers exactly if there is no error", &diags);
  fuzz::numAccepted += bool(module);
  return 0;
}
