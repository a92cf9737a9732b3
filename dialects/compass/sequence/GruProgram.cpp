//===- GruProgram.cpp - The kernels that compute a GRU --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reset after the product (GRUv1) or before it (GRUv3), with the values of each
// step:
//
//   products of x     all steps at once: x.W [N * T, ...]
//   gate_inputs       x.Wg + h.Ug + bg
//   gates             f(gate_inputs): r | u
//   hidden            GRUv1: h.Uc + bh; GRUv3: r * h
//   reset             GRUv1: r * hidden; GRUv3: hidden.Uc
//   candidate_inputs  x.Wc + reset + bc
//   candidates        g(candidate_inputs)
//   state             (1 - u) * candidates + u * h
//
// Integer form: docs/operators/sequence.md, GRUv1 and GRUv3. All zero points
// are 0: the biases contain the part of an asymmetric x.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/sequence/RecurrentProgram.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "kernels/sequence/RecurrentCells.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::Requant;

namespace {

class GruProgram : protected RecurrentProgram {
protected:
  GruProgram(Operation *op, LayerProgram &program)
      : RecurrentProgram(op, program), resetsAfter(llvm::isa<GRUv1Op>(op)) {}

  void storeState(const Rows &state, int64_t t, bool isLast) {
    store("H", state, t);
    if (isLast)
      store("Hn", state);
  }

  /// Whether the reset gate comes after the product.
  const bool resetsAfter;
  const int64_t gates = 2 * cells;
  const GateRows bothGates{0, gates}, candidateGate{gates, cells},
      hiddenGate{3 * cells, cells};
};

class GruFloats : GruProgram {
public:
  GruFloats(Operation *op, LayerProgram &program) : GruProgram(op, program) {}
  LogicalResult build();
};

class GruIntegers : GruProgram {
public:
  GruIntegers(Operation *op, LayerProgram &program);
  LogicalResult build();

private:
  SplitShift split(int64_t shift) const;
  /// x.W of all steps. At 8 bits the biases are added to the products, at 16
  /// they are shifted apart from them.
  Rows productOfX(const char *name, GateRows gates, int64_t early);
  /// What is left of the biases of 16-bit layers for entry \p entry of the
  /// batch, in this step.
  SmallVector<int64_t> faded(GateRows part, int64_t by, int64_t entry) const;
  /// \p a + \p b, and at 16 bits what is left of the biases, which every step
  /// shifts by \p by.
  void addUp(const Rows &a, const Rows &b, const char *sumName, GateRows part,
             int64_t by, const Rows &out, const Requant &requant);
  /// h.Uc + bh
  void productOfH(const Rows &state, const Rows &out, const Requant &requant);
  /// RNE(RNE(v / 2^early) * scale / 2^late), in one step at 8 bits, of a value
  /// that \p make computes with the first of the two.
  Rows rescaled(const char *name, const char *scaledName, int64_t length,
                int64_t scaleValue, SplitShift shift, int64_t moreShift,
                llvm::function_ref<void(const Rows &, const Requant &)> make);
  /// h.Uc + bh of a layer that resets behind the product.
  Rows hiddenPart(const Rows &state);
  Rows resetPart(const Rows &reset, const Rows &state);
  /// Whether yk_gru_cell takes the layer: 8 bits, types of tables, shifts to
  /// the right.
  bool isOneKernel() const;
  /// The state behind this step from the products of its gates, by yk_gru_cell.
  Rows computeCells(const Rows &gatesOfX, const Rows &candidatesOfX,
                    const Rows &fromState, const Rows &state);
  /// The same by kernels one behind the other.
  Rows computeParts(const Rows &gatesOfX, const Rows &candidatesOfX,
                    const Rows &fromState, const Rows &state);

  static constexpr DType kSum = DType::I32;
  SmallVector<int64_t> scale, shift, bias;
  SplitShift stateShift, gateShift, resetShift, candidateShift;
  BufferBinding candidateWeights, hiddenBias;
};

} // namespace

//===----------------------------------------------------------------------===//
// Float
//===----------------------------------------------------------------------===//

LogicalResult GruFloats::build() {
  auto functions = recurrentFunctions(op, 2);
  if (failed(functions))
    return failure();
  auto threshold = numberOf(op->getAttr(keys::threshold));
  constexpr DType kSum = DType::F32;
  const GateRows allGates{0, 3 * cells};
  Rows fromX = allSteps("products_of_x", 3 * cells, kSum);
  product(sequence(), weights(allGates, 0, inputs), floatBiases(allGates),
          fromX);
  BufferBinding gateWeights = weights(bothGates, inputs, cells),
                candidateWeights = weights(candidateGate, inputs, cells);
  BufferBinding noBias = noFloatBiases(gates),
                hiddenBias = resetsAfter ? floatBiases(hiddenGate)
                                         : noFloatBiases(cells);
  Rows state = firstState(1);
  forEachStep([&](int64_t t, bool isLast) {
    Rows now = ofStep(fromX, t);
    Rows fromState = value("products_of_h", gates, kSum),
         gateInputs = value("gate_inputs", gates, kSum),
         gateValues = value("gates", gates, kSum),
         hidden = value("hidden", cells, kSum),
         reset = value("reset", cells, kSum),
         candidateInputs = value("candidate_inputs", cells, kSum),
         candidates = value("candidates", cells, kSum),
         difference = value("difference", cells, kSum),
         kept = value("kept", cells, kSum), next = value("state", cells, type);
    product(state, gateWeights, noBias, fromState);
    binary(BinaryOp::Add, columns(now, 0, gates), fromState, gateInputs);
    function((*functions)[0],
             clipped("clipped_gate_inputs", threshold, gateInputs), gateValues);
    Rows resetGate = columns(gateValues, 0, cells);
    if (resetsAfter) {
      product(state, candidateWeights, hiddenBias, hidden);
      binary(BinaryOp::Mul, resetGate, hidden, reset);
    } else {
      binary(BinaryOp::Mul, resetGate, state, hidden);
      product(hidden, candidateWeights, hiddenBias, reset);
    }
    binary(BinaryOp::Add, columns(now, gates, cells), reset, candidateInputs);
    function((*functions)[1],
             clipped("clipped_candidate_inputs", threshold, candidateInputs),
             candidates);
    // c + u * (h - c)
    binary(BinaryOp::Sub, state, candidates, difference);
    binary(BinaryOp::Mul, columns(gateValues, cells, cells), difference, kept);
    binary(BinaryOp::Add, candidates, kept, next);
    storeState(next, t, isLast);
    state = next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Integer
//===----------------------------------------------------------------------===//

GruIntegers::GruIntegers(Operation *op, LayerProgram &program)
    : GruProgram(op, program), scale(intsKey(op, keys::scale_value)),
      shift(intsKey(op, keys::shift_value)),
      bias(
          integersOf(keys::biases, GateRows{0, (resetsAfter ? 4 : 3) * cells})),
      stateShift(split(shift[0])), gateShift(split(shift[1])),
      resetShift(split(shift[2])), candidateShift(split(shift[3])),
      candidateWeights(weights(candidateGate, inputs, cells)),
      hiddenBias(resetsAfter ? int32s(integersOf(keys::biases, hiddenGate))
                             : noBiases(cells)) {}

/// At 16 bits a shift has an early part and the last kRemain bits: remain_shift
/// of the Compass Optimizer, which never changes it.
SplitShift GruIntegers::split(int64_t shift) const {
  constexpr int64_t kRemain = 10;
  int64_t early = isWide() ? std::max<int64_t>(shift - kRemain, 0) : 0;
  return {early, shift - early};
}

Rows GruIntegers::productOfX(const char *name, GateRows gates, int64_t early) {
  Rows all = allSteps(name, gates.count, kSum);
  auto own = ArrayRef(bias).slice(gates.first, gates.count);
  product(sequence(), weights(gates, 0, inputs),
          isWide() ? noBiases(gates.count) : int32s(own), all,
          requantOf(kSum, 1, early));
  return all;
}

/// The reference shifts the biases of 16-bit layers at every step again, so
/// that they fade. It computes one entry of the batch after the other: the
/// second begins with the biases that the last step of the first has left.
/// Yarrow gives the same bytes.
SmallVector<int64_t> GruIntegers::faded(GateRows part, int64_t by,
                                        int64_t entry) const {
  SmallVector<int64_t> left(ArrayRef(bias).slice(part.first, part.count));
  if (by == 0)
    return left;
  auto isZero = [](int64_t b) { return b == 0; };
  int64_t times = entry * steps + step + 1;
  // 32 bits are gone after as many steps.
  for (int64_t i = 0; i < times && !llvm::all_of(left, isZero); ++i)
    for (int64_t &b : left)
      b = roundShiftHalfEven(b, int32_t(by));
  return left;
}

void GruIntegers::addUp(const Rows &a, const Rows &b, const char *sumName,
                        GateRows part, int64_t by, const Rows &out,
                        const Requant &requant) {
  SmallVector<int64_t> left;
  for (int64_t entry = 0; isWide() && entry < batch; ++entry)
    llvm::append_range(left, faded(part, by, entry));
  if (llvm::all_of(left, [](int64_t v) { return v == 0; }))
    return binary(BinaryOp::Add, a, b, out, requant);
  Rows sum = value(sumName, out.length, kSum);
  binary(BinaryOp::Add, a, b, sum, requantOf(kSum, 1, 0));
  Rows biases{int32s(left), kSum, batch, part.count, part.count};
  binary(BinaryOp::Add, sum, biases, out, requant);
}

void GruIntegers::productOfH(const Rows &state, const Rows &out,
                             const Requant &requant) {
  auto biasOf = [&](int64_t entry) {
    return isWide() && resetsAfter ? faded(hiddenGate, resetShift.early, entry)
                                   : SmallVector<int64_t>();
  };
  // A product for each run of entries with the same biases.
  for (int64_t first = 0, end; first < batch; first = end) {
    SmallVector<int64_t> left = biasOf(first);
    end = first + 1;
    while (end < batch && biasOf(end) == left)
      ++end;
    int64_t count = end - first;
    // Constants are bound as a whole: no first states are zeros.
    bool isConstant = state.binding.kind == BufferBinding::Kind::Constant;
    product(isConstant ? zeroStates(count) : rowsOf(state, first, count),
            candidateWeights, left.empty() ? hiddenBias : int32s(left),
            rowsOf(out, first, count), requant);
  }
}

Rows GruIntegers::rescaled(
    const char *name, const char *scaledName, int64_t length,
    int64_t scaleValue, SplitShift shift, int64_t moreShift,
    llvm::function_ref<void(const Rows &, const Requant &)> make) {
  Rows early = value(name, length, kSum);
  if (!isWide()) {
    make(early, requantOf(kSum, scaleValue, shift.late));
    return early;
  }
  make(early, requantOf(kSum, 1, shift.early));
  Rows out = value(scaledName, length, kSum);
  requantize(early, out, requantOf(kSum, scaleValue, shift.late + moreShift));
  return out;
}

Rows GruIntegers::hiddenPart(const Rows &state) {
  Rows hidden = value("hidden", cells, type);
  // Without the keys the hidden part keeps its scale, as in the definition's
  // example.
  int64_t hiddenScale = op->hasAttr(keys::hidden_scale_value)
                            ? intKey(op, keys::hidden_scale_value)
                            : 1;
  productOfH(
      state, hidden,
      requantOf(type, hiddenScale, intKey(op, keys::hidden_shift_value)));
  return hidden;
}

/// What the state gives to the candidates, at the scale of x.Wc.
Rows GruIntegers::resetPart(const Rows &resetGate, const Rows &state) {
  Rows hidden;
  if (resetsAfter) {
    hidden = hiddenPart(state);
  } else {
    hidden = value("hidden", cells, type);
    // RNE(r * h / 2^bits): below a quarter of the type's range.
    binary(BinaryOp::Mul, resetGate, state, hidden,
           requantOf(type, 1, 8 * kernels::dtypeBytes(type)));
  }
  return rescaled(
      "reset", "scaled_reset", cells, scale[2], resetShift,
      candidateShift.early, [&](const Rows &out, const Requant &requant) {
        if (resetsAfter)
          binary(BinaryOp::Mul, resetGate, hidden, out, requant);
        else
          product(hidden, candidateWeights, hiddenBias, out, requant);
      });
}

bool GruIntegers::isOneKernel() const {
  auto isTable = [&](TensorKey key) {
    auto view = viewConstant(tensorKey(op, key));
    return view->dtype == type && view->numElements() <= 256;
  };
  return !isWide() && isTable(keys::lut_rt) && isTable(keys::lut_ht) &&
         llvm::all_of(scale,
                      [](int64_t s) {
                        return s >= 0 && s <= kernels::kMostNarrowScale;
                      }) &&
         llvm::all_of(shift, [](int64_t s) { return s >= 0 && s <= 62; });
}

Rows GruIntegers::computeCells(const Rows &gatesOfX, const Rows &candidatesOfX,
                               const Rows &fromState, const Rows &state) {
  auto by = [&](unsigned i) {
    return kernels::CellScale{int32_t(scale[i]), int32_t(shift[i])};
  };
  auto log2 = [&](TensorKey key) {
    return llvm::Log2_64(viewConstant(tensorKey(op, key))->numElements());
  };
  kernels::GruCellParams p;
  p.batch = batch, p.cells = cells;
  p.strideX = int32_t(gatesOfX.stride);
  p.strideCandidates = int32_t(candidatesOfX.stride);
  p.type = type;
  p.log2Gates = log2(keys::lut_rt), p.log2Candidates = log2(keys::lut_ht);
  p.gates = by(1), p.reset = by(2), p.candidates = by(3);
  auto gatesHigh = highMultiplier(scale[1], shift[1], type),
       candidatesHigh = highMultiplier(scale[3], shift[3], type);
  p.areHigh = gatesHigh && candidatesHigh;
  if (p.areHigh) {
    p.gates = {int32_t(*gatesHigh), 32};
    p.candidates = {int32_t(*candidatesHigh), 32};
  }
  p.hidden = {1, 8 * int32_t(kernels::dtypeBytes(type))};
  p.replaced = by(4), p.next = by(5);
  auto bindGates = [&](KernelCall &call) {
    call["x"] = gatesOfX.binding, call["h"] = fromState.binding;
    call["gate_table"] = constant(tensorKey(op, keys::lut_rt));
    call["state"] = state.binding;
  };
  Rows hidden, reset;
  if (resetsAfter) {
    hidden = hiddenPart(state);
  } else {
    KernelCall &call = program.call<kernels::GruReset>(p);
    bindGates(call);
    hidden = value("hidden", cells, type);
    call["hidden"] = hidden.binding;
    reset = value("reset", cells, kSum);
    product(hidden, candidateWeights, hiddenBias, reset,
            requantOf(kSum, scale[2], shift[2]));
  }
  KernelCall &call = program.call<kernels::GruCell>(p);
  bindGates(call);
  call["x_candidates"] = candidatesOfX.binding;
  if (resetsAfter)
    call["hidden"] = hidden.binding;
  else
    call["reset"] = reset.binding;
  call["candidate_table"] = constant(tensorKey(op, keys::lut_ht));
  Rows next = value("state", cells, type);
  call["next"] = next.binding;
  return next;
}

Rows GruIntegers::computeParts(const Rows &gatesOfX, const Rows &candidatesOfX,
                               const Rows &fromState, const Rows &state) {
  Rows gateInputs = value("gate_inputs", gates, type),
       gateValues = value("gates", gates, type),
       candidateInputs = value("candidate_inputs", cells, type),
       candidates = value("candidates", cells, type),
       replaced = value("replaced", cells, kSum),
       kept = value("kept", cells, kSum), next = value("state", cells, type);
  addUp(gatesOfX, fromState, "gate_sums", bothGates, gateShift.early,
        gateInputs, requantOf(type, scale[1], gateShift.late));
  table(keys::lut_rt, gateInputs, gateValues);
  Rows reset = resetPart(columns(gateValues, 0, cells), state);
  addUp(candidatesOfX, reset, "candidate_sums", candidateGate,
        candidateShift.early, candidateInputs,
        requantOf(type, scale[3], candidateShift.late));
  table(keys::lut_ht, candidateInputs, candidates);
  // (u - 1) * c, rounded half to even as (1 - u) * c is, and so subtracted.
  int32_t one = int32_t(dtypeRange(type).second);
  Rows update = columns(gateValues, cells, cells);
  binary(BinaryOp::Mul, update, candidates, replaced,
         requantOf(kSum, scale[4], shift[4]), /*zpA=*/-one);
  binary(BinaryOp::Mul, update, state, kept, requantOf(kSum, 1, 0));
  binary(BinaryOp::Sub, kept, replaced, next,
         symmetricOf(type, scale[5], shift[5]));
  return next;
}

LogicalResult GruIntegers::build() {
  if (failed(checkIntegers()))
    return failure();
  Rows gatesOfX = productOfX("gates_of_x", bothGates, gateShift.early),
       candidatesOfX =
           productOfX("candidates_of_x", candidateGate, candidateShift.early);
  BufferBinding gateWeights = weights(bothGates, inputs, cells),
                noBias = noBiases(gates);
  Rows state = firstState(1);
  bool isOne = isOneKernel();
  forEachStep([&](int64_t t, bool isLast) {
    Rows fromState = rescaled(
        "products_of_h", "scaled_products_of_h", gates, scale[0], stateShift,
        gateShift.early, [&](const Rows &out, const Requant &requant) {
          product(state, gateWeights, noBias, out, requant);
        });
    Rows gatesNow = ofStep(gatesOfX, t),
         candidatesNow = ofStep(candidatesOfX, t);
    state = isOne ? computeCells(gatesNow, candidatesNow, fromState, state)
                  : computeParts(gatesNow, candidatesNow, fromState, state);
    storeState(state, t, isLast);
  });
  return success();
}

static LogicalResult buildGru(Operation *op, LayerProgram &program) {
  return isIntegerLayer(op) ? GruIntegers(op, program).build()
                            : GruFloats(op, program).build();
}

LogicalResult GRUv1Op::buildProgram(LayerProgram &program) {
  return buildGru(*this, program);
}
LogicalResult GRUv3Op::buildProgram(LayerProgram &program) {
  return buildGru(*this, program);
}
