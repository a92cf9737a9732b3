//===- Quantized16BitLstm.cpp - QUANTIZED_16BIT_LSTM ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/Expressions.h"
#include "parser/nnapi/operators/LstmCell.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Constant;
using graph::Quantization;
using graph::Tensor;

namespace {

/// What the 16-bit LSTM stores between its parts: sums of the gates within
/// -8..8, and results of sigmoid and tanh within -1..1.
const Quantization kSums = {ElementType::I16, {0x1p-12f}, {0}, 0};
const Quantization kFunctions = {ElementType::I16, {0x1p-15f}, {0}, 0};

std::string nameFor(const char *kind, Gate gate) {
  return std::string(kind) + nameOf(gate);
}

/// The nodes of QUANTIZED_16BIT_LSTM.
class SixteenBits {
public:
  explicit SixteenBits(OperationReader &r) : r(r), e(r, "lstm") {}

  bool read();

private:
  bool check();
  Tensor *stackedWeights();
  Tensor *stackedBiases();
  Tensor *sums();
  /// A tensor that the operation stores.
  Tensor *stored(Tensor *x, const Quantization &quantization) {
    x->type = ElementType::F32;
    x->quantization = quantization;
    return x;
  }

  OperationReader &r;
  Expressions e;
  std::int64_t batch = 0, inputs = 0, units = 0;
};

} // namespace

bool SixteenBits::check() {
  if (r.rank("input") != 2 || r.rank("output_in") != 2)
    return r.bad("an input is not a matrix",
                 std::to_string(r.rank("input")) + " axes", "two axes");
  batch = r.dims("input")[0], inputs = r.dims("input")[1];
  units = r.dims("output_in")[1];
  const Tensor *first = r.input("w_input_to_input");
  for (Gate gate : kGates) {
    if (!checkDims(r, nameFor("w_input_to_", gate), {units, inputs}) ||
        !checkDims(r, nameFor("w_rec_to_", gate), {units, units}) ||
        !checkDims(r, nameFor("b_", gate), {units}))
      return false;
    for (const char *kind : {"w_input_to_", "w_rec_to_"})
      if (r.input(nameFor(kind, gate))->quantization != first->quantization)
        return r.bad("weights differ in scale or zero point",
                     nameFor(kind, gate),
                     "the scale and zero point of w_input_to_input");
    for (const char *kind : {"w_input_to_", "w_rec_to_", "b_"})
      if (!r.input(nameFor(kind, gate))->constant)
        return r.refuse("weights are computed at run time", nameFor(kind, gate),
                        "constants");
  }
  if (r.input("input")->quantization != r.input("output_in")->quantization)
    return r.bad("input and output differ in scale or zero point", "output_in",
                 "the scale and zero point of the input");
  return checkDims(r, "output_in", {batch, units}) &&
         checkDims(r, "cell_state_in", {batch, units});
}

/// [4 * units, units + inputs]. The weights of the state come first, although
/// they multiply a row of input and state: the definition does not say which
/// numbers meet, and its recorded results are of this order.
Tensor *SixteenBits::stackedWeights() {
  std::vector<std::byte> bytes;
  auto append = [&](const Constant &from, std::int64_t row,
                    std::int64_t length) {
    auto part = from.bytes.subspan(std::size_t(row * length),
                                   std::size_t(length)); // 8 bits each
    bytes.insert(bytes.end(), part.begin(), part.end());
  };
  for (Gate gate : kGates)
    for (std::int64_t row = 0; row < units; ++row) {
      append(*r.input(nameFor("w_rec_to_", gate))->constant, row, units);
      append(*r.input(nameFor("w_input_to_", gate))->constant, row, inputs);
    }
  const Tensor *first = r.input("w_input_to_input");
  return stored(
      r.constant("weights", Constant::ofBytes(first->constant->type,
                                              {4 * units, units + inputs},
                                              std::move(bytes))),
      *first->quantization);
}

Tensor *SixteenBits::stackedBiases() {
  std::vector<std::byte> bytes;
  for (Gate gate : kGates) {
    auto part = r.input(nameFor("b_", gate))->constant->bytes;
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  float scale = r.input("input")->quantization->scales[0] *
                r.input("w_input_to_input")->quantization->scales[0];
  return stored(
      r.constant("biases", Constant::ofBytes(ElementType::I32, {4 * units},
                                             std::move(bytes))),
      {ElementType::I32, {scale}, {0}, 0});
}

Tensor *SixteenBits::sums() {
  Tensor *x = r.input("input");
  Tensor *row =
      stored(e.joined({x, r.input("output_in")}, 1), *x->quantization);
  return stored(e.product(row, stackedWeights(), stackedBiases()), kSums);
}

bool SixteenBits::read() {
  if (!check())
    return false;
  OfGates<Tensor *> gate;
  std::vector<Tensor *> parts = e.split(sums(), kNumGates, 1);
  for (std::size_t i = 0; i < kNumGates; ++i)
    gate[kGates[i]] = stored(e.of(kGates[i] == Gate::Cell ? "Tanh" : "Sigmoid",
                                  {stored(parts[i], kSums)}),
                             kFunctions);
  Tensor *before = r.input("cell_state_in");
  const Quantization cell = *before->quantization;
  Tensor *kept = stored(e.multiply(gate[Gate::Forget], before), cell),
         *added = stored(e.multiply(gate[Gate::Input], gate[Gate::Cell]), cell),
         *after = stored(e.add(kept, added), cell),
         *seen = stored(e.of("Tanh", {after}), kFunctions),
         *output = stored(e.multiply(gate[Gate::Output], seen), kFunctions);
  writeOutput(r, after, 0);
  writeOutput(r, output, 1);
  return true;
}

bool nnapi::readQuantized16BitLstm(OperationReader &r) {
  return SixteenBits(r).read();
}
