//===- LstmProgram.h - What both forms of an LSTM have ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The gates of an LSTM as columns of its products, in floats and in integers:
// those of the weights and biases of the IR, whose order is i, c, f, o, and
// those of the products, where the three sigmoid gates are side by side.
//
//   class LstmFloats : LstmProgram { ... };
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SEQUENCE_LSTMPROGRAM_H
#define YARROW_DIALECTS_COMPASS_SEQUENCE_LSTMPROGRAM_H

#include "dialects/compass/sequence/RecurrentProgram.h"

namespace yarrow::compass {

class LstmProgram : protected RecurrentProgram {
protected:
  LstmProgram(mlir::Operation *op, LayerProgram &program)
      : RecurrentProgram(op, program) {}

  Rows gatesIn(const Rows &all) const { return columns(all, 0, gates); }
  Rows candidatesIn(const Rows &all) const {
    return columns(all, gates, cells);
  }
  /// The columns of input, forget and output gate.
  Rows gate(const Rows &gateValues, unsigned which) const {
    return columns(gateValues, which * cells, cells);
  }
  void storeStates(const Rows &state, const Rows &cell, int64_t t,
                   bool isLast) {
    store("Y", state, t);
    if (!isLast)
      return;
    store("H", state);
    store("C", cell);
  }

  const int64_t gates = 3 * cells, all = 4 * cells;
  /// In the weights and biases of the IR: i, c, f, o.
  const GateRows candidateRows{cells, cells};
  const GateRows rows[3] = {{0, cells}, {2 * cells, 2 * cells}, candidateRows};
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_SEQUENCE_LSTMPROGRAM_H
