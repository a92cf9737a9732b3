//===- LstmProgram.cpp - The kernels that compute an LSTM -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// With the values of each step, where the rows of the weights come as i, f, o
// and then c, so that the three gates are neighbours:
//
//   products of x   all steps at once: x.W + b [N * T, 4 * cells]
//   gate_inputs     x.W + h.R of the gates      gates        f(...): i | f | o
//   cell_inputs     the same of the cell gate   candidates   g(cell_inputs)
//   cell_state      f * c + i * candidates      activated    h(cell_state)
//   state           o * activated
//
// One kernel computes what comes behind the products of a step, where it takes
// the layer's scales (yk_lstm_cell).
//
// Integer form: docs/operators/sequence.md, BasicLSTM. All zero points are 0:
// the biases contain the part of an asymmetric x. Keys threshold and cell_clip
// act in float alone: in integers the tables and the stored range bound the
// values.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/sequence/LstmProgram.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "kernels/sequence/GateSums.h"
#include "kernels/sequence/RecurrentCells.h"
#include "support/Numeric.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::Requant;

namespace {

class LstmFloats : LstmProgram {
public:
  LstmFloats(Operation *op, LayerProgram &program) : LstmProgram(op, program) {}
  LogicalResult build();
};

/// A multiplier and a right shift for each column of gate or cell inputs.
struct ColumnScales {
  SmallVector<int64_t> scale, shift;
};

class LstmIntegers : LstmProgram {
public:
  LstmIntegers(Operation *op, LayerProgram &program);
  LogicalResult build();

private:
  LogicalResult check() const;
  /// RQ(a + b) by the scales of the columns; of a alone without b.
  void addUp(const Rows &a, const Rows *b, const Rows &out,
             const ColumnScales &by);
  Rows productsOfX();
  Rows productsOfState(const Rows &state);
  void applyTables(const Rows &gateInputs, const Rows &gateValues);
  bool sumsFit() const;
  /// The argument of the cell state's table, and the next cell state if it is
  /// wanted, from i * candidates and f * cell.
  void addCells(const Rows &added, const Rows &kept, const Rows &argument,
                const Rows *next);
  /// Whether yk_lstm_cell takes the layer: types of tables, shifts to the
  /// right.
  bool isOneKernel() const;
  /// For each column its scale and shift as one multiplier (yk_lstm_cell,
  /// areHigh), if all have one.
  std::optional<BufferBinding> highMultipliers() const;
  /// Makes the constants that all steps of yk_lstm_cell share.
  void prepareColumns();
  /// The state and the cell state behind this step, by yk_lstm_cell.
  std::pair<Rows, Rows> computeCells(const Rows &now, const Rows &state,
                                     const Rows &cell);
  /// The same by kernels one behind the other. The cell state is computed if
  /// it \p isWanted.
  std::pair<Rows, Rows> computeParts(const Rows &now, const Rows &state,
                                     const Rows &cell, bool isWanted);

  static constexpr DType kSum = DType::I32;
  int64_t tableShift; ///< lut_shift_value, of 16 bits
  SmallVector<int64_t> scale, shift, stepShift;
  bool isPerChannel;
  /// Where the scales of cell state and result are, and those of each step.
  size_t afterGates = 0, ofSteps = 0;
  ColumnScales byGate, byCell;   ///< of the arguments of the tables
  SmallVector<int64_t> preShift; ///< 16 bits: of the products of a column
  BufferBinding stateWeights, noBias;
  /// Of all columns, for all steps.
  std::optional<BufferBinding> multiplier;
  BufferBinding columnScales, columnShifts, columnPreShifts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Float
//===----------------------------------------------------------------------===//

LogicalResult LstmFloats::build() {
  auto functions = recurrentFunctions(op, 3);
  if (failed(functions))
    return failure();
  auto threshold = numberOf(op->getAttr(keys::threshold)),
       cellClip = numberOf(op->getAttr(keys::cell_clip));
  constexpr DType kSum = DType::F32;
  Rows fromX = allSteps("products_of_x", all, kSum);
  product(sequence(), weights(rows, 0, inputs), floatBiases(rows), fromX);
  BufferBinding stateWeights = weights(rows, inputs, cells),
                noBias = noFloatBiases(all);
  Rows state = firstState(1), cell = firstState(2);
  forEachStep([&](int64_t t, bool isLast) {
    Rows now = ofStep(fromX, t);
    Rows fromState = value("products_of_h", all, kSum),
         gateInputs = value("gate_inputs", gates, kSum),
         cellInputs = value("cell_inputs", cells, kSum),
         gateValues = value("gates", gates, kSum),
         candidates = value("candidates", cells, kSum),
         added = value("added", cells, kSum), kept = value("kept", cells, kSum),
         // Each step's cell state has a scale of its own in integers.
        sum = value("cell_state_" + std::to_string(step), cells, type),
         activated = value("activated", cells, kSum),
         next = value("state", cells, type);
    product(state, stateWeights, noBias, fromState);
    binary(BinaryOp::Add, gatesIn(now), gatesIn(fromState), gateInputs);
    binary(BinaryOp::Add, candidatesIn(now), candidatesIn(fromState),
           cellInputs);
    function((*functions)[0],
             clipped("clipped_gate_inputs", threshold, gateInputs), gateValues);
    function((*functions)[1],
             clipped("clipped_cell_inputs", threshold, cellInputs), candidates);
    binary(BinaryOp::Mul, gate(gateValues, 0), candidates, added);
    binary(BinaryOp::Mul, gate(gateValues, 1), cell, kept);
    binary(BinaryOp::Add, added, kept, sum);
    cell = clipped("clipped_cell_state", cellClip, sum);
    function((*functions)[2], cell, activated);
    binary(BinaryOp::Mul, gate(gateValues, 2), activated, next);
    storeStates(next, cell, t, isLast);
    state = next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Integer
//===----------------------------------------------------------------------===//

/// The constants `scale` and `shift` hold: state to gates; gates to their
/// tables, one value or one for each row of the weights; candidates to theirs,
/// one or one for each cell; cell state to its table; result; and for each step
/// the kept cell state and the new one.
LstmIntegers::LstmIntegers(Operation *op, LayerProgram &program)
    : LstmProgram(op, program), tableShift(intKey(op, keys::lut_shift_value)),
      stateWeights(weights(rows, inputs, cells)), noBias(noBiases(all)) {
  auto values = [&](TensorKey key) {
    auto view = viewConstant(tensorKey(op, key));
    return integersOf(key, GateRows{0, view->numElements()});
  };
  scale = values(keys::scale), shift = values(keys::shift);
  stepShift = tensorKey(op, keys::diff_shifts) ? values(keys::diff_shifts)
                                               : SmallVector<int64_t>(steps, 0);
  isPerChannel = int64_t(scale.size()) != 5 + 2 * steps;
  afterGates = isPerChannel ? 1 + 5 * cells : 3;
  ofSteps = afterGates + 2;
  // Blocks of rows: input gate, one for the candidates that holds nothing but
  // their preShift, forget and output gate, and behind them the candidates.
  auto at = [&](int64_t block, int64_t cell) {
    if (isPerChannel)
      return 1 + block * cells + cell;
    return block == 4 ? int64_t(2) : int64_t(1);
  };
  for (int64_t block : {0, 2, 3, 1})
    for (int64_t cell = 0; cell < cells; ++cell)
      preShift.push_back(shift[at(block, cell)]);
  for (int64_t block : {0, 2, 3})
    for (int64_t cell = 0; cell < cells; ++cell) {
      byGate.scale.push_back(scale[at(block, cell)]);
      byGate.shift.push_back(isWide() ? tableShift : shift[at(block, cell)]);
    }
  for (int64_t cell = 0; cell < cells; ++cell) {
    byCell.scale.push_back(scale[at(4, cell)]);
    // The reference undoes the shift of the input gate, not the shift of the
    // candidates, and the packs have its bytes.
    byCell.shift.push_back(
        shift[at(4, cell)] -
        (isWide() ? shift[at(0, cell)] - tableShift : int64_t(0)));
  }
}

LogicalResult LstmIntegers::check() const {
  for (int64_t value : scale)
    if (value < 0 || value > 65535)
      return layerError(op, diag::OpIntegerParameters, "scale_type",
                        "a multiplier of scale is out of range")
          .found(Twine(value))
          .expected("0 to 65535");
  SmallVector<int64_t> all = {shift[0] - (isWide() ? tableShift : 0),
                              shift[afterGates + 1]};
  llvm::append_range(all, byGate.shift);
  llvm::append_range(all, byCell.shift);
  if (isWide())
    for (int64_t s : preShift)
      all.append({s, s - tableShift});
  for (int64_t t = 0; t < steps; ++t) {
    int64_t d = stepShift[t];
    all.append({d, shift[afterGates] - d, shift[ofSteps + 2 * t] + d,
                shift[ofSteps + 2 * t + 1] - d});
  }
  return checkShifts(all, "shift");
}

void LstmIntegers::addUp(const Rows &a, const Rows *b, const Rows &out,
                         const ColumnScales &by) {
  Requant requant = requantOf(out.type, by.scale.front(), by.shift.front());
  if (!isPerChannel)
    return b ? binary(BinaryOp::Add, a, *b, out, requant)
             : requantize(a, out, requant);
  kernels::GateSumsParams p;
  p.rows = out.count, p.columns = out.length;
  p.strideA = int32_t(a.stride), p.strideB = b ? int32_t(b->stride) : 0;
  p.requant = byColumn(requant);
  KernelCall &call = program.call<kernels::GateSums>(p);
  call["a"] = a.binding, call["output"] = out.binding;
  if (b)
    call["b"] = b->binding;
  call["scale"] = multipliers(by.scale);
  call["shift"] = shifts(by.shift);
}

/// x.W + b of all steps. At 16 bits both are shifted first, apart from one
/// another; their sum stays far within 32 bits, or saturates where the tables
/// do, too.
Rows LstmIntegers::productsOfX() {
  BufferBinding xWeights = weights(rows, 0, inputs);
  SmallVector<int64_t> bias = integersOf(keys::biases, rows);
  Rows products = allSteps("products_of_x", all, kSum);
  if (!isWide()) {
    product(sequence(), xWeights, int32s(bias), products,
            requantOf(kSum, 1, 0));
    return products;
  }
  SmallVector<int64_t> early;
  for (auto [b, pre] : llvm::zip(bias, preShift)) {
    early.push_back(pre - tableShift);
    b = clamp<int64_t>(roundShiftHalfEven(b, int32_t(early.back())), INT32_MIN,
                       INT32_MAX);
  }
  Requant requant = requantOf(kSum, 1, early.front());
  if (isPerChannel)
    product(sequence(), xWeights, noBias, products, byColumn(requant),
            multipliers(SmallVector<int64_t>(all, 1)), shifts(early));
  else
    product(sequence(), xWeights, noBias, products, requant);
  Rows sums = allSteps("biased_products_of_x", all, kSum);
  binary(BinaryOp::Add, products, sameRow(int32s(bias), batch * steps), sums,
         requantOf(kSum, 1, 0));
  return sums;
}

/// h.R at the scale of x.W.
Rows LstmIntegers::productsOfState(const Rows &state) {
  Rows products = value("products_of_h", all, kSum);
  if (!isWide()) {
    product(state, stateWeights, noBias, products,
            requantOf(kSum, scale[0], shift[0]));
    return products;
  }
  product(state, stateWeights, noBias, products,
          requantOf(kSum, 1, shift[0] - tableShift));
  Rows scaled = value("scaled_products_of_h", all, kSum);
  addUp(products, nullptr, scaled,
        {SmallVector<int64_t>(all, scale[0]), preShift});
  return scaled;
}

/// The gates have tables of their own, which are the same where the quantizer
/// made them.
void LstmIntegers::applyTables(const Rows &gateInputs, const Rows &gateValues) {
  const TensorKey tables[] = {keys::lut_it, keys::lut_ft, keys::lut_ot};
  auto bytesOf = [&](TensorKey key) {
    return viewConstant(tensorKey(op, key))->bytes;
  };
  if (llvm::all_of(tables, [&](TensorKey key) {
        return bytesOf(key) == bytesOf(tables[0]);
      }))
    return table(tables[0], gateInputs, gateValues);
  // A table goes over dense rows.
  for (auto [i, key] : llvm::enumerate(tables))
    for (int64_t row = 0; row < batch; ++row)
      table(key, rowOf(gate(gateInputs, i), row),
            rowOf(gate(gateValues, i), row));
}

/// Whether i * candidates + f * cell of this step stay within 32 bits for any
/// values of tables and states, so that the reference's clip does nothing.
bool LstmIntegers::sumsFit() const {
  int64_t lowest = dtypeRange(type).first, most = lowest * lowest;
  int64_t d = stepShift[step];
  int64_t added = roundShiftHalfEven(most, int32_t(d));
  int64_t kept = roundShiftHalfEven(most * scale[ofSteps + 2 * step],
                                    int32_t(shift[ofSteps + 2 * step] + d));
  return added <= INT32_MAX && kept <= INT32_MAX && added + kept <= INT32_MAX;
}

void LstmIntegers::addCells(const Rows &added, const Rows &kept,
                            const Rows &argument, const Rows *next) {
  int64_t d = stepShift[step];
  Requant toTable = symmetricOf(type, scale[afterGates], shift[afterGates] - d),
          toCell = symmetricOf(type, scale[ofSteps + 2 * step + 1],
                               shift[ofSteps + 2 * step + 1] - d);
  if (sumsFit()) {
    binary(BinaryOp::Add, added, kept, argument, toTable);
    if (next)
      binary(BinaryOp::Add, added, kept, *next, toCell);
    return;
  }
  Rows sum = value("cell_sums", cells, kSum);
  binary(BinaryOp::Add, added, kept, sum, requantOf(kSum, 1, 0));
  requantize(sum, argument, toTable);
  if (next)
    requantize(sum, *next, toCell);
}

bool LstmIntegers::isOneKernel() const {
  auto entries = [&](TensorKey key) {
    auto view = viewConstant(tensorKey(op, key));
    return view->dtype == type ? view->numElements() : 0;
  };
  int64_t values = int64_t(1) << (8 * kernels::dtypeBytes(type));
  for (TensorKey key :
       {keys::lut_it, keys::lut_ft, keys::lut_ot, keys::lut_ct, keys::lut_h})
    if (entries(key) == 0 || entries(key) > values)
      return false;
  if (entries(keys::lut_it) != entries(keys::lut_ft) ||
      entries(keys::lut_it) != entries(keys::lut_ot))
    return false;
  // check() has seen that they are 62 at most.
  auto isRight = [](int64_t shift) { return shift >= 0; };
  bool areRight = llvm::all_of(byGate.shift, isRight) &&
                  llvm::all_of(byCell.shift, isRight) &&
                  (!isWide() || llvm::all_of(preShift, isRight)) &&
                  isRight(shift[afterGates + 1]);
  for (int64_t t = 0; t < steps; ++t) {
    int64_t d = stepShift[t];
    areRight &= isRight(d) && isRight(shift[afterGates] - d) &&
                isRight(shift[ofSteps + 2 * t] + d) &&
                isRight(shift[ofSteps + 2 * t + 1] - d);
  }
  return areRight;
}

std::optional<BufferBinding> LstmIntegers::highMultipliers() const {
  if (isWide())
    return std::nullopt;
  SmallVector<int64_t> multipliers;
  for (const ColumnScales *by : {&byGate, &byCell})
    for (auto [s, right] : llvm::zip(by->scale, by->shift)) {
      std::optional<int64_t> high = highMultiplier(s, right, type);
      if (!high)
        return std::nullopt;
      multipliers.push_back(*high);
    }
  return int32s(multipliers);
}

void LstmIntegers::prepareColumns() {
  multiplier = highMultipliers();
  SmallVector<int64_t> scales(byGate.scale), columns(byGate.shift);
  llvm::append_range(scales, byCell.scale);
  llvm::append_range(columns, byCell.shift);
  columnScales = multipliers(scales), columnShifts = shifts(columns);
  columnPreShifts = shifts(preShift);
}

std::pair<Rows, Rows> LstmIntegers::computeCells(const Rows &now,
                                                 const Rows &state,
                                                 const Rows &cell) {
  Rows products = value("products_of_h", all, kSum);
  product(state, stateWeights, noBias, products,
          isWide() ? requantOf(kSum, 1, shift[0] - tableShift)
                   : requantOf(kSum, scale[0], shift[0]));
  auto by = [](int64_t scale, int64_t shift) {
    return kernels::CellScale{int32_t(scale), int32_t(shift)};
  };
  auto log2 = [&](TensorKey key) {
    return llvm::Log2_64(viewConstant(tensorKey(op, key))->numElements());
  };
  int64_t d = stepShift[step];
  kernels::LstmCellParams p;
  p.batch = batch, p.cells = cells;
  p.strideX = int32_t(now.stride);
  p.type = type;
  p.areHigh = multiplier.has_value();
  p.perChannel = isPerChannel;
  p.gates = by(byGate.scale.front(), byGate.shift.front());
  p.candidates = by(byCell.scale.front(), byCell.shift.front());
  p.scalesH = isWide();
  if (isWide())
    p.products = by(scale[0], preShift.front());
  p.log2Gates = log2(keys::lut_it), p.log2Candidates = log2(keys::lut_ct);
  p.log2Cell = log2(keys::lut_h);
  p.addedShift = int32_t(d);
  p.kept = by(scale[ofSteps + 2 * step], shift[ofSteps + 2 * step] + d);
  p.argument = by(scale[afterGates], shift[afterGates] - d);
  p.nextCell =
      by(scale[ofSteps + 2 * step + 1], shift[ofSteps + 2 * step + 1] - d);
  p.state = by(scale[afterGates + 1], shift[afterGates + 1]);
  KernelCall &call = program.call<kernels::LstmCell>(p);
  call["x"] = now.binding, call["h"] = products.binding;
  call["cell"] = cell.binding;
  call["input_table"] = constant(tensorKey(op, keys::lut_it));
  call["forget_table"] = constant(tensorKey(op, keys::lut_ft));
  call["output_table"] = constant(tensorKey(op, keys::lut_ot));
  call["candidate_table"] = constant(tensorKey(op, keys::lut_ct));
  call["cell_table"] = constant(tensorKey(op, keys::lut_h));
  if (multiplier) {
    call["multiplier"] = *multiplier;
  } else if (isPerChannel) {
    call["scale"] = columnScales, call["shift"] = columnShifts;
    if (isWide())
      call["shift_h"] = columnPreShifts;
  }
  Rows next = value("state", cells, type),
       nextCell = value("cell_state", cells, type);
  call["state"] = next.binding, call["next_cell"] = nextCell.binding;
  return {next, nextCell};
}

std::pair<Rows, Rows> LstmIntegers::computeParts(const Rows &now,
                                                 const Rows &state,
                                                 const Rows &cell,
                                                 bool isWanted) {
  Rows fromState = productsOfState(state);
  Rows gateInputs = value("gate_inputs", gates, type),
       cellInputs = value("cell_inputs", cells, type),
       gateValues = value("gates", gates, type),
       candidates = value("candidates", cells, type),
       added = value("added", cells, kSum), kept = value("kept", cells, kSum),
       argument = value("activated_inputs", cells, type),
       activated = value("activated", cells, type),
       next = value("state", cells, type);
  Rows gatesOfH = gatesIn(fromState), candidatesOfH = candidatesIn(fromState);
  addUp(gatesIn(now), &gatesOfH, gateInputs, byGate);
  addUp(candidatesIn(now), &candidatesOfH, cellInputs, byCell);
  applyTables(gateInputs, gateValues);
  table(keys::lut_ct, cellInputs, candidates);
  int64_t d = stepShift[step];
  binary(BinaryOp::Mul, gate(gateValues, 0), candidates, added,
         requantOf(kSum, 1, d));
  binary(BinaryOp::Mul, gate(gateValues, 1), cell, kept,
         requantOf(kSum, scale[ofSteps + 2 * step],
                   shift[ofSteps + 2 * step] + d));
  Rows nextCell = isWanted ? value("cell_state", cells, type) : cell;
  addCells(added, kept, argument, isWanted ? &nextCell : nullptr);
  table(keys::lut_h, argument, activated);
  binary(BinaryOp::Mul, gate(gateValues, 2), activated, next,
         symmetricOf(type, scale[afterGates + 1], shift[afterGates + 1]));
  return {next, nextCell};
}

LogicalResult LstmIntegers::build() {
  if (failed(checkIntegers()) || failed(check()))
    return failure();
  Rows fromX = productsOfX();
  Rows state = firstState(1), cell = firstState(2);
  bool isOne = isOneKernel();
  if (isOne)
    prepareColumns();
  forEachStep([&](int64_t t, bool isLast) {
    Rows now = ofStep(fromX, t);
    std::tie(state, cell) =
        isOne ? computeCells(now, state, cell)
              : computeParts(now, state, cell, !isLast || isResult("C"));
    storeStates(state, cell, t, isLast);
  });
  return success();
}

LogicalResult BasicLSTMOp::buildProgram(LayerProgram &program) {
  return isIntegerLayer(*this) ? LstmIntegers(*this, program).build()
                               : LstmFloats(*this, program).build();
}
