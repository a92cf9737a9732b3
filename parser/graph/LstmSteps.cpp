//===- LstmSteps.cpp - The cell that all LSTMs repeat ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/LstmSteps.h"

using namespace yarrow;
using namespace yarrow::graph;

namespace {

/// Added to a variance of 0, which has no inverse.
constexpr float kNormEpsilon = 1e-8f;

/// The nodes of one step.
class StepMaker {
public:
  StepMaker(NodeMaker &make, const LstmCell &cell, std::string where)
      : cell(cell), e(make, std::move(where)) {}

  /// From run.lastSums and run.lastCell to the next of everything.
  void step(LstmRun &run);
  Expressions &expressions() { return e; }

private:
  Tensor *argument(Gate gate, Tensor *sum, Tensor *ofCell);
  Tensor *gate(Gate gate, Tensor *sum, Tensor *ofCell) {
    return e.of("Sigmoid", {argument(gate, sum, ofCell)});
  }
  Tensor *projected(Tensor *output);

  const LstmCell &cell;
  Expressions e;
};

} // namespace

std::vector<Gate> LstmCell::gates() const {
  return {kGates + (isCoupled ? 1 : 0), kGates + kNumGates};
}

/// What the gate's function is of.
Tensor *StepMaker::argument(Gate gate, Tensor *sum, Tensor *ofCell) {
  if (ofCell && cell.peephole[gate])
    sum = e.add(sum, e.multiply(ofCell, cell.peephole[gate]));
  if (!cell.isNormalised)
    return sum;
  return e.normalised(sum, cell.norm[gate], cell.lateBias[gate], kNormEpsilon);
}

Tensor *StepMaker::projected(Tensor *output) {
  if (!cell.projection)
    return output;
  return e.clipped(e.product(output, cell.projection, cell.projectionBias),
                   cell.projectionClip);
}

void StepMaker::step(LstmRun &run) {
  Tensor *before = run.lastCell;
  OfGates<Tensor *> sum, &to = run.lastGates;
  std::vector<Gate> gates = cell.gates();
  std::vector<Tensor *> parts = e.split(run.lastSums, gates.size(), 1);
  for (std::size_t i = 0; i < gates.size(); ++i)
    sum[gates[i]] = parts[i];

  to[Gate::Forget] = gate(Gate::Forget, sum[Gate::Forget], before);
  to[Gate::Input] = cell.isCoupled
                        ? e.subtract(e.number(1), to[Gate::Forget])
                        : gate(Gate::Input, sum[Gate::Input], before);
  to[Gate::Cell] =
      cell.activation(e, argument(Gate::Cell, sum[Gate::Cell], nullptr));
  run.lastCell = e.clipped(e.add(e.multiply(to[Gate::Forget], before),
                                 e.multiply(to[Gate::Input], to[Gate::Cell])),
                           cell.cellClip);
  to[Gate::Output] = gate(Gate::Output, sum[Gate::Output], run.lastCell);
  run.lastHidden =
      e.multiply(to[Gate::Output], cell.activation(e, run.lastCell));
  run.lastOutput = projected(run.lastHidden);
}

LstmRun graph::runLstm(NodeMaker &make, const LstmCell &cell, Tensor *products,
                       std::int64_t steps, bool isReverse) {
  Expressions e(make, cell.prefix + "steps");
  std::vector<Tensor *> ofStep = e.split(products, std::size_t(steps), 0);
  LstmRun run;
  run.outputs.resize(std::size_t(steps));
  run.lastOutput = cell.firstOutput;
  run.lastCell = cell.firstCell;
  for (std::int64_t i = 0; i < steps; ++i) {
    std::int64_t t = isReverse ? steps - 1 - i : i;
    StepMaker maker(make, cell, cell.prefix + "step" + std::to_string(t));
    Expressions &ofThis = maker.expressions();
    run.lastSums =
        ofThis.add(ofStep[std::size_t(t)],
                   ofThis.product(run.lastOutput, cell.stateWeights));
    maker.step(run);
    run.outputs[std::size_t(t)] = run.lastOutput;
  }
  return run;
}
