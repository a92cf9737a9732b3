//===- Lstm.cpp - Lstm ----------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// In real numbers (parser/graph/LstmSteps.h): the scales of what lies between
// products and gates are those of integers, and are not asked for. With layer
// normalisation biases are added behind it, as those scales say: they are of
// the sums without biases.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/LstmSteps.h"
#include "parser/qnn/operators/Formulas.h"
#include "parser/qnn/operators/Sequence.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Gate;
using graph::LstmCell;
using graph::LstmRun;
using graph::OfGates;
using graph::Tensor;

namespace {

/// Which input has what of each gate, in the order of Gate; -1: none.
constexpr OfGates<int> kInputWeights = {{16, 1, 2, 3}},
                       kStateWeights = {{17, 4, 5, 6}},
                       kBiases = {{21, 7, 8, 9}},
                       kPeepholes = {{18, 19, -1, 20}},
                       kNorms = {{12, 13, 14, 15}};
constexpr std::size_t kFirstOutput = 10, kFirstCell = 11, kProjection = 22,
                      kProjectionBias = 23, kReset = 24;

class CellReader {
public:
  explicit CellReader(OpReader &r) : f(r, "cell"), r(r) {}

  std::optional<LstmCell> read(std::int64_t batch, std::int64_t size);

private:
  std::optional<bool> allOrNone(const std::vector<int> &inputs,
                                const std::string &what);
  std::vector<int> ofGates(const OfGates<int> &inputs) const;
  bool readForm();
  bool checkLengths(std::int64_t batch, std::int64_t size);
  Tensor *stacked(const OfGates<int> &inputs);
  OfGates<Tensor *> each(const OfGates<int> &inputs, bool isThere);
  Tensor *state(std::size_t i, std::int64_t batch, std::int64_t size);

  Formula f;
  OpReader &r;
  LstmCell cell;
  bool hasPeepholes = false;
};

} // namespace

/// Of the gates that have weights.
std::vector<int> CellReader::ofGates(const OfGates<int> &inputs) const {
  std::vector<int> result;
  for (Gate gate : cell.gates())
    if (inputs[gate] >= 0)
      result.push_back(inputs[gate]);
  return result;
}

std::optional<bool> CellReader::allOrNone(const std::vector<int> &inputs,
                                          const std::string &what) {
  auto isThere = [&](int i) { return r.has(std::size_t(i)); };
  bool all = std::ranges::all_of(inputs, isThere);
  if (all || std::ranges::none_of(inputs, isThere))
    return all;
  auto missing = std::ranges::find_if_not(inputs, isThere);
  r.bad("some of " + what + " are left out",
        "no in[" + std::to_string(*missing) + "]",
        "all of them, or none of them");
  return std::nullopt;
}

bool CellReader::readForm() {
  auto hasInputGate = allOrNone({16, 17, 21}, "the input gate's operands");
  if (!hasInputGate)
    return false;
  cell.isCoupled = !*hasInputGate;
  auto peepholes = allOrNone(ofGates(kPeepholes), "the peepholes");
  auto norms = allOrNone(ofGates(kNorms), "the layer normalisations");
  if (!peepholes || !norms)
    return false;
  hasPeepholes = *peepholes;
  cell.isNormalised = *norms;
  for (const OfGates<int> &inputs : {kPeepholes, kNorms})
    if (cell.isCoupled && r.has(std::size_t(inputs[Gate::Input])))
      return r.bad("coupled gates do not have an input gate",
                   "in[" + std::to_string(inputs[Gate::Input]) + "]",
                   "no input of this gate");
  return !r.has(kProjectionBias) || r.has(kProjection) ||
         r.bad("a projection has no weights", "in[23]", "in[22] as well");
}

bool CellReader::checkLengths(std::int64_t batch, std::int64_t size) {
  if (!f.expectRank(4, 2, "[num_units, output_size]"))
    return false;
  std::int64_t units = cell.units = r.dims(4)[0],
               outputs = cell.outputs = r.dims(4)[1];
  for (Gate gate : cell.gates()) {
    if (!f.expectDims(std::size_t(kInputWeights[gate]), {units, size}) ||
        !f.expectDims(std::size_t(kStateWeights[gate]), {units, outputs}) ||
        !f.expectDims(std::size_t(kBiases[gate]), {units}) ||
        !f.expectDims(std::size_t(kNorms[gate]), {units}))
      return false;
    if (kPeepholes[gate] >= 0 &&
        !f.expectDims(std::size_t(kPeepholes[gate]), {units}))
      return false;
  }
  if (!r.has(kProjection) && outputs != units)
    return r.bad(
        "without a projection, the output size must be the number of units",
        std::to_string(outputs), std::to_string(units));
  return f.expectDims(kProjection, {outputs, units}) &&
         f.expectDims(kProjectionBias, {outputs}) &&
         f.expectDims(kFirstOutput, {batch, outputs}) &&
         f.expectDims(kFirstCell, {batch, units});
}

Tensor *CellReader::stacked(const OfGates<int> &inputs) {
  std::vector<std::size_t> parts;
  for (int i : ofGates(inputs))
    parts.push_back(std::size_t(i));
  return f.stacked(parts);
}

OfGates<Tensor *> CellReader::each(const OfGates<int> &inputs, bool isThere) {
  OfGates<Tensor *> all;
  for (Gate gate : cell.gates())
    if (isThere && inputs[gate] >= 0)
      all[gate] = f.real(std::size_t(inputs[gate]));
  return all;
}

Tensor *CellReader::state(std::size_t i, std::int64_t batch,
                          std::int64_t size) {
  return r.has(i) ? f.real(i)
                  : f.numbers({batch, size},
                              std::vector<float>(std::size_t(batch * size), 0));
}

std::optional<LstmCell> CellReader::read(std::int64_t batch,
                                         std::int64_t size) {
  if (!readForm() || !checkLengths(batch, size))
    return std::nullopt;
  cell.inputWeights = stacked(kInputWeights);
  cell.stateWeights = stacked(kStateWeights);
  if (cell.isNormalised)
    cell.lateBias = each(kBiases, true);
  else
    cell.biases = stacked(kBiases);
  cell.peephole = each(kPeepholes, hasPeepholes);
  cell.norm = each(kNorms, cell.isNormalised);
  cell.projection = f.real(kProjection);
  cell.projectionBias = f.real(kProjectionBias);
  cell.firstOutput = state(kFirstOutput, batch, cell.outputs);
  cell.firstCell = state(kFirstCell, batch, cell.units);
  cell.activation = [](graph::Expressions &e, Tensor *x) {
    return e.of("Tanh", {x});
  };
  cell.cellClip = r.real("cell_clip_threshold");
  cell.projectionClip = r.real("output_clip_threshold");
  return std::move(cell);
}

/// out[3] to out[7]: what the gates of the last step give, and what a
/// projection is of. The definition gives out[6] and out[7] the lengths of the
/// output, which they have without a projection alone.
static bool writeGates(Formula &f, const LstmCell &cell, const LstmRun &run) {
  for (std::size_t i : {6, 7})
    if (f.r.output(i) && f.r.outputDims(i).back() != cell.units)
      return f.r.refuse("a gate after a projection",
                        dimsText(f.r.outputDims(i)),
                        std::to_string(cell.units) + " units");
  std::size_t output = 3;
  for (Gate gate : graph::kGates)
    f.write(run.lastGates[gate], output++);
  f.write(run.lastHidden, output);
  return true;
}

bool qnn::readLstm(OpReader &r) {
  Formula f(r, "sequence");
  auto x = readSequence(f, r.rank(0) == 2);
  if (!x || (x->order != SequenceOrder::OneStep && !f.expectReset(kReset)))
    return false;
  auto cell = CellReader(r).read(x->batch, x->size);
  if (!cell)
    return false;
  Tensor *products = f.product(x->rows, cell->inputWeights, cell->biases);
  LstmRun run =
      graph::runLstm(r, *cell, products, x->steps, r.scalar("direction") != 0);
  writeSequence(f, run.outputs, *x, cell->outputs);
  f.write(run.lastCell, 1);
  f.write(run.lastOutput, 2);
  return writeGates(f, *cell, run);
}
