//===- GgufImportTest.cpp - GGUF models as networks -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Both forms of a llama compute the same; what they compute is checked against
// the definition in test/e2e/gguf.py.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/GgufImport.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "test/GgufBytes.h"
#include "test/ImportedModule.h"
#include <gmock/gmock.h>

using namespace yarrow;
using test::GgufModel;

namespace {

struct Imported : test::ImportedModule {
  explicit Imported(std::map<std::string, graph::Shape> shapes,
                    std::vector<std::string> states = {}) {
    graph::ImportOptions options;
    options.shapes = std::move(shapes);
    options.states = std::move(states);
    std::string bytes = GgufModel::llama().bytes();
    auto file = MappedFile::ofMemory("m.gguf", std::as_bytes(std::span(bytes)));
    module = gguf::importGguf(context, file, options, diags);
  }
};

} // namespace

TEST(GgufImport, DecodesToTheSameAsASequence) {
  Imported sequence({{"tokens", {1, 4}}});
  ASSERT_TRUE(sequence.module) << sequence.diags.all().front().str();
  std::vector<float> all = sequence.runAs<float, std::int32_t>({{3, 1, 4, 1}});
  ASSERT_EQ(all.size(), 20u);
  // Without state, the caller has it.
  Imported decode({{"cache", {6}}}, {"none"});
  ASSERT_TRUE(decode.module) << decode.diags.all().front().str();
  auto evaluator = compass::Evaluator::create(*decode.module, decode.diags);
  ASSERT_TRUE(evaluator);
  std::vector<compass::TensorBytes> state = {
      compass::TensorBytes(4), compass::TensorBytes(6 * 2 * 2 * 4),
      compass::TensorBytes(6 * 2 * 2 * 4)};
  std::int32_t tokens[] = {3, 1, 4, 1};
  for (std::size_t step = 0; step < 4; ++step) {
    std::vector<compass::TensorBytesRef> inputs = {
        {reinterpret_cast<const char *>(tokens + step), 4}};
    for (const compass::TensorBytes &bytes : state)
      inputs.emplace_back(bytes.data(), bytes.size());
    std::vector<compass::TensorBytes> outputs;
    evaluator->run(inputs, outputs);
    ASSERT_EQ(outputs.size(), 4u);
    float logits[5];
    std::memcpy(logits, outputs[0].data(), sizeof logits);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(logits[i], all[step * 5 + i], 1e-6);
    for (std::size_t i = 0; i < 3; ++i)
      state[i] = outputs[i + 1];
  }
}

TEST(GgufImport, TakesTheFirstShapeInOrderAsThatOfTokens) {
  graph::ImportOptions options;
  options.shapesInOrder = {{1, 4}};
  std::string bytes = GgufModel::llama().bytes();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticEngine diags;
  auto module = gguf::importGguf(
      context, MappedFile::ofMemory("m.gguf", std::as_bytes(std::span(bytes))),
      options, diags);
  ASSERT_TRUE(module);
  auto main = compass::mainGraph(*module);
  EXPECT_EQ(compass::graphInputs(main).size(), 1u);
}
