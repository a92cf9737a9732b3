//===- QuantizedLstmTest.cpp - QUANTIZED_LSTM of NNAPI --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every combination of coupled gates, peepholes, projection and norms, with
// random integers, beside a plain loop over the real numbers that they mean.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi/ImportedNn.h"
#include "test/unit/nnapi/NnModels.h"
#include <cmath>
#include <map>
#include <random>

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using Reals = std::vector<double>;

namespace {

constexpr std::uint32_t kBatch = 2, kInputs = 5, kUnits = 4;

struct Form {
  bool isCoupled, hasPeepholes, hasProjection, isNormalised;
  std::uint32_t outputs() const { return hasProjection ? 3 : kUnits; }
};

bool startsWith(const std::string &text, const char *with) {
  return text.rfind(with, 0) == 0;
}
bool endsWith(const std::string &text, const std::string &with) {
  return text.size() >= with.size() &&
         text.compare(text.size() - with.size(), with.size(), with) == 0;
}

class QuantizedLstm {
public:
  explicit QuantizedLstm(const Form &form) : form(form) {
    std::vector<std::uint32_t> inputs;
    for (const OperandRow &row :
         findOperation("QUANTIZED_LSTM")->forms[0].inputs)
      inputs.push_back(add(row.name));
    Dims states = {kBatch, form.outputs()}, cells = {kBatch, kUnits};
    using Type = OperandType;
    auto state = builder.output(NnBuilder::tensor(
             Type::TENSOR_QUANT8_ASYMM_SIGNED, states, 1.0f / 128, 3)),
         cell = builder.output(
             NnBuilder::tensor(Type::TENSOR_QUANT16_SYMM, cells, 0x1p-12f)),
         output = builder.output(NnBuilder::tensor(
             Type::TENSOR_QUANT8_ASYMM_SIGNED, states, 1.0f / 128, 3));
    builder.add("QUANTIZED_LSTM", inputs, {state, cell, output});
  }

  /// Output \p output as real numbers.
  Reals run(std::size_t output);
  /// The cell behind the step, and the output.
  std::pair<Reals, Reals> expected() const;

private:
  std::uint32_t add(const std::string &name);
  bool isLeftOut(const std::string &name) const;
  Operand operandFor(const std::string &name) const;
  double number(const std::string &name, std::size_t i) const {
    return reals.at(name)[i];
  }
  Reals gate(const std::string &name, std::uint32_t batch,
             const Reals &cell) const;

  Form form;
  NnBuilder builder;
  std::mt19937 random{5};
  std::map<std::string, Reals> reals; ///< What the integers mean.
  std::vector<std::vector<std::byte>> data;
};

} // namespace

bool QuantizedLstm::isLeftOut(const std::string &name) const {
  return (form.isCoupled && endsWith(name, "_input")) ||
         (!form.hasPeepholes && startsWith(name, "peephole_")) ||
         (!form.isNormalised && startsWith(name, "ln_")) ||
         (!form.hasProjection && endsWith(name, "_proj"));
}

/// Its type, lengths and scale.
Operand QuantizedLstm::operandFor(const std::string &name) const {
  using Type = OperandType;
  std::uint32_t outputs = form.outputs();
  auto of = [](Type type, Dims dims, float scale, std::int32_t zero = 0) {
    return NnBuilder::tensor(type, std::move(dims), scale, zero);
  };
  if (name == "input")
    return of(Type::TENSOR_QUANT8_ASYMM_SIGNED, {kBatch, kInputs}, 1.0f / 128,
              -4);
  if (name == "output_in")
    return of(Type::TENSOR_QUANT8_ASYMM_SIGNED, {kBatch, outputs}, 1.0f / 128,
              3);
  if (name == "cell_state_in")
    return of(Type::TENSOR_QUANT16_SYMM, {kBatch, kUnits}, 0x1p-12f);
  if (startsWith(name, "w_input_to_"))
    return of(Type::TENSOR_QUANT8_SYMM, {kUnits, kInputs}, 1.0f / 128);
  if (startsWith(name, "w_rec_to_"))
    return of(Type::TENSOR_QUANT8_SYMM, {kUnits, outputs}, 1.0f / 128);
  if (name == "w_proj")
    return of(Type::TENSOR_QUANT8_SYMM, {outputs, kUnits}, 1.0f / 128);
  if (name == "b_proj")
    return of(Type::TENSOR_INT32, {outputs}, 0);
  if (startsWith(name, "b_"))
    return of(Type::TENSOR_INT32, {kUnits}, 0);
  return of(Type::TENSOR_QUANT16_SYMM, {kUnits}, 0x1p-14f);
}

std::uint32_t QuantizedLstm::add(const std::string &name) {
  if (startsWith(name, "scale_"))
    return builder.scalar(name == "scale_hidden" ? 1.0f / 128 : 1.0f / 512);
  if (name == "zp_hidden")
    return builder.scalar(std::int32_t(form.hasProjection ? -2 : 3));
  if (name == "cell_clip" || name == "proj_clip")
    return builder.scalar(name == "cell_clip" ? 1.5f : 0.4f);
  Operand operand = operandFor(name);
  if (isLeftOut(name))
    return builder.omitted(operand.type);
  // A bias has the products' scale, beside a norm that of its weights / 2^10.
  double scale = operand.scale;
  if (scale == 0)
    scale = form.isNormalised && name != "b_proj" ? 0x1p-24 : 0x1p-14;
  std::vector<std::byte> bytes;
  std::uniform_real_distribution<double> numbers(-0.9, 0.9);
  for (std::uint64_t i = 0; i < operand.numElements(); ++i) {
    std::int32_t q = std::int32_t(std::lround(numbers(random) / scale));
    if (elementBytes(operand.entry().element) == 1)
      q = std::clamp(q + operand.zeroPoint, -128, 127);
    auto *first = reinterpret_cast<const std::byte *>(&q); // little-endian
    bytes.insert(bytes.end(), first,
                 first + elementBytes(operand.entry().element));
    reals[name].push_back((q - operand.zeroPoint) * scale);
  }
  bool isState =
      name == "input" || name == "output_in" || name == "cell_state_in";
  if (!isState)
    return builder.constant(operand, bytes);
  data.push_back(bytes);
  return builder.input(operand);
}

Reals QuantizedLstm::run(std::size_t output) {
  ImportedNn net(builder.model);
  for (const Diagnostic &d : net.diags.all())
    if (d.isError())
      ADD_FAILURE() << d.str();
  auto evaluator =
      net.module ? compass::Evaluator::create(*net.module, net.diags) : nullptr;
  if (!evaluator)
    return {};
  std::vector<compass::TensorBytesRef> inputs;
  for (const std::vector<std::byte> &bytes : data)
    inputs.emplace_back(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  std::vector<compass::TensorBytes> outputs;
  evaluator->run(inputs, outputs);
  const compass::TensorBytes &bytes = outputs[output];
  Reals result;
  if (output == 1)
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      std::int16_t q = 0;
      std::memcpy(&q, &bytes[i], 2);
      result.push_back(q * 0x1p-12);
    }
  else
    for (char q : bytes)
      result.push_back((std::int8_t(q) - 3) / 128.0);
  return result;
}

/// What the gate's function is of, of all units of one batch.
Reals QuantizedLstm::gate(const std::string &name, std::uint32_t batch,
                          const Reals &cell) const {
  Reals sums(kUnits);
  for (std::uint32_t u = 0; u < kUnits; ++u) {
    for (std::uint32_t i = 0; i < kInputs; ++i)
      sums[u] += number("input", batch * kInputs + i) *
                 number("w_input_to_" + name, u * kInputs + i);
    for (std::uint32_t i = 0; i < form.outputs(); ++i)
      sums[u] += number("output_in", batch * form.outputs() + i) *
                 number("w_rec_to_" + name, u * form.outputs() + i);
    if (form.hasPeepholes && name != "cell")
      sums[u] += cell[u] * number("peephole_" + name, u);
  }
  if (form.isNormalised) {
    double mean = 0, variance = 0;
    for (double sum : sums)
      mean += sum / kUnits;
    for (double sum : sums)
      variance += (sum - mean) * (sum - mean) / kUnits;
    for (std::uint32_t u = 0; u < kUnits; ++u)
      sums[u] =
          (sums[u] - mean) / std::sqrt(variance) * number("ln_" + name, u);
  }
  for (std::uint32_t u = 0; u < kUnits; ++u)
    sums[u] += number("b_" + name, u);
  return sums;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::pair<Reals, Reals> QuantizedLstm::expected() const {
  Reals cells, outputs;
  for (std::uint32_t b = 0; b < kBatch; ++b) {
    Reals cell, hidden;
    for (std::uint32_t u = 0; u < kUnits; ++u)
      cell.push_back(number("cell_state_in", b * kUnits + u));
    Reals forget = gate("forget", b, cell), candidate = gate("cell", b, cell),
          input = form.isCoupled ? Reals() : gate("input", b, cell);
    for (std::uint32_t u = 0; u < kUnits; ++u) {
      double keep = sigmoid(forget[u]);
      double let = form.isCoupled ? 1 - keep : sigmoid(input[u]);
      cell[u] =
          std::clamp(keep * cell[u] + let * std::tanh(candidate[u]), -1.5, 1.5);
    }
    Reals output = gate("output", b, cell);
    for (std::uint32_t u = 0; u < kUnits; ++u)
      hidden.push_back(sigmoid(output[u]) * std::tanh(cell[u]));
    cells.insert(cells.end(), cell.begin(), cell.end());
    if (!form.hasProjection) {
      outputs.insert(outputs.end(), hidden.begin(), hidden.end());
      continue;
    }
    for (std::uint32_t r = 0; r < form.outputs(); ++r) {
      double sum = number("b_proj", r);
      for (std::uint32_t u = 0; u < kUnits; ++u)
        sum += hidden[u] * number("w_proj", r * kUnits + u);
      outputs.push_back(std::clamp(sum, -0.4, 0.4));
    }
  }
  return {cells, outputs};
}

class QuantizedLstmForms : public ::testing::TestWithParam<int> {};

TEST_P(QuantizedLstmForms, AreNearRealOnes) {
  Form form{bool(GetParam() & 1), bool(GetParam() & 2), bool(GetParam() & 4),
            bool(GetParam() & 8)};
  QuantizedLstm lstm(form);
  auto [cells, outputs] = lstm.expected();
  // A norm has sums in steps of 1/512 before it divides by their spread; the
  // output has steps of 1/128.
  double near = form.isNormalised ? 0.02 : 0.002;
  using ::testing::DoubleNear;
  using ::testing::Pointwise;
  EXPECT_THAT(lstm.run(1), Pointwise(DoubleNear(near), cells));
  EXPECT_THAT(lstm.run(0), Pointwise(DoubleNear(near + 0.02), outputs));
  EXPECT_EQ(lstm.run(0), lstm.run(2));
}

INSTANTIATE_TEST_SUITE_P(All, QuantizedLstmForms, ::testing::Range(0, 16));
