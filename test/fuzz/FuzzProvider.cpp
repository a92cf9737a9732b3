//===- FuzzProvider.cpp - Broken models that are divided ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What ONNX Runtime hands over as a graph, and what a context holds of a part
// with open lengths. Whatever the bytes: no crash and no hang, a graph exactly
// if there is no error; each node is in one part or left out for a reason; and
// a part is a model of its own that has the stated inputs and outputs, and an
// executable unless it has open lengths. FuzzExecutable has the other content
// of contexts.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/Partition.h"
#include "test/fuzz/Fuzz.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::provider;
using fuzz::require;

/// Models that take long to compile say nothing about how they are divided.
static bool isSmall(const ModelGraph &graph) {
  constexpr std::int64_t kMostLength = 64;
  constexpr std::size_t kMostNodes = 24;
  if (graph.nodes().size() > kMostNodes)
    return false;
  for (const std::string &input : graph.inputs())
    if (const TensorFacts *facts = graph.factsOf(input))
      if (std::ranges::any_of(facts->lengths,
                              [](auto n) { return n > kMostLength; }))
        return false;
  return true;
}

static std::shared_ptr<const MappedFile> inMemory(std::string_view bytes) {
  return MappedFile::ofMemory("/nonexistent/fuzz.onnx",
                              std::as_bytes(std::span(bytes)));
}

static void checkPart(const ModelGraph &graph, const Part &part) {
  DiagnosticEngine diags;
  CutModel cut = graph.cut(part.nodes);
  require(cut.inputs == part.inputs && cut.outputs == part.outputs,
          "a part has the inputs and outputs of its model");
  auto alone = ModelGraph::read(inMemory(cut.bytes), diags);
  require(alone != nullptr, "the model of a part can be read", &diags);
  require(alone->nodes().size() == part.nodes.size(),
          "the model of a part has its nodes");
  bool isOpen = std::ranges::any_of(part.inputs, [&](const std::string &input) {
    const TensorFacts *facts = graph.factsOf(input);
    return !facts || !facts->isStatic();
  });
  require(isOpen == !part.executable,
          "a part has an executable unless it has open lengths");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  DiagnosticEngine diags;
  auto graph = ModelGraph::read(
      inMemory({reinterpret_cast<const char *>(data), size}), diags);
  require((graph != nullptr) == !diags.hasErrors(),
          "a graph exactly if there is no error", &diags);
  if (!graph || !isSmall(*graph))
    return 0;
  Partition partition = divide(*graph, PartCompiler({}), {});
  std::vector<std::size_t> places;
  for (const Part &part : partition.parts) {
    checkPart(*graph, part);
    places.insert(places.end(), part.nodes.begin(), part.nodes.end());
  }
  for (const LeftOut &left : partition.leftOut) {
    require(!left.why.empty(), "a node is left out for a reason");
    places.push_back(left.node);
  }
  std::ranges::sort(places);
  for (std::size_t i = 0; i < places.size(); ++i)
    require(places[i] == i, "each node is in one place");
  require(places.size() == graph->nodes().size(), "every node has a place");
  require(
      !describe(*graph, partition).empty() &&
          !toJson(*graph, partition)
               .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
               .empty(),
      "a description");
  fuzz::numAccepted += !partition.parts.empty();
  return 0;
}
