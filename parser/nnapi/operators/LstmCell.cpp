//===- LstmCell.cpp - The operands of an LSTM's cell ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/LstmCell.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Tensor;

namespace {

/// The definition's for g; it has no RELU1.
constexpr Activation kActivations[] = {Activation::None, Activation::Relu,
                                       Activation::Relu6, Activation::Tanh,
                                       Activation::Sigmoid};

/// Reads the operands of one cell.
class CellReader {
public:
  CellReader(OperationReader &r, LstmCell &cell) : r(r), cell(cell) {}

  OperationReader &r;
  LstmCell &cell;

  std::string name(const char *kind, Gate gate) const {
    return cell.prefix + kind + nameOf(gate);
  }
  bool readForm();
  bool checkLengths(const Sequence &x);
  /// The operands of all gates behind one another.
  Tensor *stacked(const char *kind) const;
  OfGates<Tensor *> ofGates(const char *kind) const;

private:
  std::optional<bool> gateOperands(const char *kind,
                                   const std::vector<Gate> &gates);
  bool hasPeepholes = false;
};

} // namespace

const char *nnapi::nameOf(Gate gate) {
  constexpr const char *kNames[] = {"input", "forget", "cell", "output"};
  return kNames[std::size_t(gate)];
}

/// Whether the operands of \p gates are there; an input gate that is coupled
/// has none.
std::optional<bool> CellReader::gateOperands(const char *kind,
                                             const std::vector<Gate> &gates) {
  std::vector<std::string> names;
  for (Gate gate : gates)
    names.push_back(name(kind, gate));
  auto isThere = allOrNone(r, names);
  if (isThere && cell.isCoupled && isPresent(r, name(kind, Gate::Input))) {
    r.bad("coupled gates do not have an input gate", name(kind, Gate::Input),
          "no such operand");
    return std::nullopt;
  }
  return isThere;
}

bool CellReader::readForm() {
  auto hasInputGate =
      allOrNone(r, {name("w_input_to_", Gate::Input),
                    name("w_rec_to_", Gate::Input), name("b_", Gate::Input)});
  if (!hasInputGate)
    return false;
  cell.isCoupled = !*hasInputGate;
  // The candidate of the cell has no peephole.
  std::vector<Gate> seeing = {Gate::Forget, Gate::Output};
  if (!cell.isCoupled)
    seeing.insert(seeing.begin(), Gate::Input);
  auto peepholes = gateOperands("peephole_", seeing);
  auto norms = gateOperands("ln_", cell.gates());
  if (!peepholes || !norms)
    return false;
  hasPeepholes = *peepholes;
  cell.isNormalised = *norms;
  if (isPresent(r, cell.prefix + "b_proj") &&
      !isPresent(r, cell.prefix + "w_proj"))
    return r.bad("a projection has no weights", cell.prefix + "b_proj",
                 cell.prefix + "w_proj as well");
  return true;
}

bool CellReader::checkLengths(const Sequence &x) {
  std::string forget = name("w_rec_to_", Gate::Forget);
  if (!isPresent(r, forget) || r.rank(forget) != 2)
    return r.bad("the weights of the forget gate are not a matrix", forget,
                 "[units,outputs]");
  std::int64_t units = cell.units = r.dims(forget)[0],
               outputs = cell.outputs = r.dims(forget)[1];
  for (Gate gate : cell.gates()) {
    if (!checkDims(r, name("w_input_to_", gate), {units, x.size}) ||
        !checkDims(r, name("w_rec_to_", gate), {units, outputs}) ||
        !checkDims(r, name("b_", gate), {units}))
      return false;
    if (cell.isNormalised && !checkDims(r, name("ln_", gate), {units}))
      return false;
    if (hasPeepholes && gate != Gate::Cell &&
        !checkDims(r, name("peephole_", gate), {units}))
      return false;
  }
  std::string weights = cell.prefix + "w_proj", bias = cell.prefix + "b_proj";
  if (isPresent(r, weights) && !checkDims(r, weights, {outputs, units}))
    return false;
  if (isPresent(r, bias) && !checkDims(r, bias, {outputs}))
    return false;
  if (!isPresent(r, weights) && outputs != units)
    return r.bad(
        "without a projection, the output size must be the number of units",
        std::to_string(outputs), std::to_string(units));
  return true;
}

Tensor *CellReader::stacked(const char *kind) const {
  std::vector<Tensor *> parts;
  for (Gate gate : cell.gates())
    parts.push_back(r.input(name(kind, gate)));
  return Expressions(r, cell.prefix + kind + "gates").joined(parts, 0);
}

OfGates<Tensor *> CellReader::ofGates(const char *kind) const {
  OfGates<Tensor *> all;
  for (Gate gate : cell.gates())
    all[gate] = givenInput(r, name(kind, gate));
  return all;
}

std::optional<LstmCell> nnapi::readLstmCell(OperationReader &r,
                                            const std::string &prefix,
                                            const std::string &outputState,
                                            const std::string &cellState,
                                            const Sequence &x) {
  LstmCell cell;
  cell.prefix = prefix;
  CellReader reader(r, cell);
  auto g = activationOf(r, r.scalar("activation"), kActivations);
  if (!g || !reader.readForm() || !reader.checkLengths(x))
    return std::nullopt;
  cell.firstOutput = firstState(r, outputState, x.batch, cell.outputs);
  cell.firstCell = firstState(r, cellState, x.batch, cell.units);
  if (!cell.firstOutput || !cell.firstCell)
    return std::nullopt;
  cell.inputWeights = reader.stacked("w_input_to_");
  cell.stateWeights = reader.stacked("w_rec_to_");
  if (cell.isNormalised)
    cell.lateBias = reader.ofGates("b_");
  else
    cell.biases = reader.stacked("b_");
  cell.peephole = reader.ofGates("peephole_");
  cell.norm = reader.ofGates("ln_");
  cell.projection = givenInput(r, prefix + "w_proj");
  cell.projectionBias = givenInput(r, prefix + "b_proj");
  cell.activation = [g = *g](graph::Expressions &e, Tensor *y) {
    return activated(e, y, g);
  };
  cell.cellClip = r.real("cell_clip");
  cell.projectionClip = r.real("proj_clip");
  return cell;
}

bool nnapi::readAuxWeights(OperationReader &r, LstmCell &cell,
                           const Sequence &aux) {
  CellReader reader(r, cell);
  for (Gate gate : cell.gates())
    if (!checkDims(r, reader.name("aux_w_", gate), {cell.units, aux.size}))
      return false;
  cell.auxWeights = reader.stacked("aux_w_");
  return true;
}

LstmRun nnapi::runLstm(OperationReader &r, const LstmCell &cell,
                       const Sequence &x, const Sequence *aux, bool isReverse) {
  Expressions e(r, cell.prefix + "inputs");
  Tensor *products = e.product(x.rows, cell.inputWeights, cell.biases);
  if (aux)
    products = e.add(products, e.product(aux->rows, cell.auxWeights));
  return graph::runLstm(r, cell, products, x.steps, isReverse);
}
