//===- SvdfTest.cpp - SVDF of NNAPI ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/network/Evaluator.h"
#include "parser/nnapi/NnapiImport.h"
#include "parser/nnapi/OperationTable.h"
#include "support/diagnostics/Import.h"
#include <cstring>
#include <gmock/gmock.h>
#include <random>

using namespace yarrow;
using namespace yarrow::nnapi;
using ::testing::DoubleNear;
using ::testing::Pointwise;

namespace {

constexpr std::uint32_t kBatch = 2, kInputs = 3, kUnits = 2, kMemory = 4;

/// SVDF of random numbers, and what the definition makes of them.
struct SvdfModel {
  /// \p kept: numbers of each filter in the state.
  SvdfModel(std::uint32_t rank, std::uint32_t kept, bool hasBias)
      : rank(rank), kept(kept), filters(kUnits * rank) {
    add("input", {kBatch, kInputs}, Lifetime::Input);
    add("features", {filters, kInputs}, Lifetime::Constant);
    add("time", {filters, kMemory}, Lifetime::Constant);
    add("bias", {kUnits}, hasBias ? Lifetime::Constant : Lifetime::None);
    add("state", {kBatch, filters * kept}, Lifetime::Input);
    addInteger(std::int32_t(rank));
    addInteger(0);
    std::vector<std::uint32_t> inputs(7);
    for (std::uint32_t i = 0; i < 7; ++i)
      inputs[i] = i;
    model.inputs = {0, 4};
    model.outputs = {
        model.add(
            {.dims = {kBatch, filters * kept}, .lifetime = Lifetime::Output}),
        model.add({.dims = {kBatch, kUnits}, .lifetime = Lifetime::Output})};
    model.operations.push_back({27, inputs, model.outputs});
  }

  void add(const char *name, std::vector<std::uint32_t> dims,
           Lifetime lifetime) {
    Operand operand{.dims = std::move(dims), .lifetime = lifetime};
    operand.name = name;
    std::uniform_real_distribution<float> numbers(-1, 1);
    std::vector<float> own(operand.numElements());
    for (float &value : own)
      value = numbers(random);
    if (lifetime == Lifetime::Constant)
      setValue(operand, std::as_bytes(std::span(own)));
    values.push_back(own);
    model.add(operand);
  }
  void addInteger(std::int32_t value) {
    Operand operand{.type = OperandType::INT32, .lifetime = Lifetime::Constant};
    setValue(operand, std::as_bytes(std::span(&value, 1)));
    model.add(operand);
  }

  std::vector<double> run(std::size_t output) {
    mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
    auto module = importNnModel(context, model, {}, diags);
    auto evaluator =
        module ? compass::Evaluator::create(*module, diags) : nullptr;
    if (!evaluator)
      return {};
    std::vector<compass::TensorBytesRef> data;
    for (std::size_t i : {0, 4})
      data.emplace_back(reinterpret_cast<const char *>(values[i].data()),
                        values[i].size() * sizeof(float));
    std::vector<compass::TensorBytes> outputs;
    evaluator->run(data, outputs);
    std::vector<float> result(outputs[output].size() / sizeof(float));
    std::memcpy(result.data(), outputs[output].data(), outputs[output].size());
    return {result.begin(), result.end()};
  }

  /// The last numbers of a filter, oldest first.
  std::vector<double> memory(std::uint32_t batch, std::uint32_t filter) const {
    std::vector<double> numbers;
    for (std::uint32_t i = 0; i + 1 < kMemory; ++i)
      numbers.push_back(values[4][(batch * filters + filter) * kept + i]);
    double newest = 0;
    for (std::uint32_t i = 0; i < kInputs; ++i)
      newest += double(values[0][batch * kInputs + i]) *
                double(values[1][filter * kInputs + i]);
    numbers.push_back(newest);
    return numbers;
  }
  std::vector<double> expectedState() const {
    std::vector<double> state;
    for (std::uint32_t b = 0; b < kBatch; ++b)
      for (std::uint32_t f = 0; f < filters; ++f) {
        std::vector<double> numbers = memory(b, f);
        state.insert(state.end(), numbers.begin() + 1, numbers.end());
        state.resize(state.size() + kept - (kMemory - 1), 0.0);
      }
    return state;
  }
  std::vector<double> expectedOutput(bool hasBias) const {
    std::vector<double> result;
    for (std::uint32_t b = 0; b < kBatch; ++b)
      for (std::uint32_t u = 0; u < kUnits; ++u) {
        double sum = hasBias ? values[3][u] : 0;
        for (std::uint32_t f = u * rank; f < (u + 1) * rank; ++f)
          for (std::uint32_t i = 0; i < kMemory; ++i)
            sum += memory(b, f)[i] * double(values[2][f * kMemory + i]);
        result.push_back(sum);
      }
    return result;
  }

  std::uint32_t rank, kept, filters;
  NnModel model;
  DiagnosticEngine diags;
  std::mt19937 random{3};
  std::vector<std::vector<float>> values;
};

} // namespace

TEST(NnapiSvdf, AddsTheFiltersOfAUnit) {
  for (std::uint32_t rank : {1u, 2u, 3u})
    for (bool hasBias : {false, true}) {
      SvdfModel svdf(rank, kMemory, hasBias);
      EXPECT_THAT(svdf.run(1),
                  Pointwise(DoubleNear(1e-5), svdf.expectedOutput(hasBias)));
      EXPECT_THAT(svdf.run(0),
                  Pointwise(DoubleNear(1e-5), svdf.expectedState()));
    }
}

/// As the text of the definition has the state.
TEST(NnapiSvdf, KeepsOneNumberLessThanItWeights) {
  SvdfModel svdf(2, kMemory - 1, true);
  EXPECT_THAT(svdf.run(1),
              Pointwise(DoubleNear(1e-5), svdf.expectedOutput(true)));
  EXPECT_THAT(svdf.run(0), Pointwise(DoubleNear(1e-5), svdf.expectedState()));
}

TEST(NnapiSvdf, WantsARankThatDividesTheFilters) {
  SvdfModel svdf(3, kMemory, false);
  std::int32_t rank = 4;
  setValue(svdf.model.operands[5], std::as_bytes(std::span(&rank, 1)));
  EXPECT_THAT(svdf.run(0), ::testing::IsEmpty());
  ASSERT_FALSE(svdf.diags.all().empty());
  EXPECT_EQ(svdf.diags.all().front().id, diag::ImportBadNode);
}
