//===- Control.cpp - If and Loop ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sub-graphs are quantized before the layers that call them, their inputs and
// outputs as GraphBorders says. What a layer passes is cast to what the
// sub-graph takes, and what a sub-graph gives to what its callers share.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/graph/Graphs.h"
#include "quantizer/rules/Rules.h"

using namespace yarrow::compass;

namespace yarrow {

bool quantizeControl(LayerContext &layer) {
  for (PassedValue passed : passedValues(layer.op)) {
    LinearParams wanted = paramsOf(passed.input);
    if (!isSame(layer.input(passed.operand), wanted))
      layer.castInput(passed.operand, wanted);
  }
  for (unsigned i = 0; i < layer.op->getNumResults(); ++i) {
    const GraphBorder *border = layer.border(layer.op->getResult(i));
    assert(border && "every result is joined with what becomes it");
    layer.setOutput(i, border->params, border->isInvariant);
  }
  return true;
}

void quantizeGraphOutputs(LayerContext &terminator) {
  for (unsigned i = 0; i < terminator.numInputs(); ++i) {
    const GraphBorder *border = terminator.border(terminator.op->getOperand(i));
    if (border && !isSame(terminator.input(i), border->params))
      terminator.castInput(i, border->params);
  }
}

} // namespace yarrow
