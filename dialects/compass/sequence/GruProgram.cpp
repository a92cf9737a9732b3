//===- GruProgram.cpp - The kernels that compute a GRU --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// GRUv1 (reset after the product) as products on the tensor engine and
// elementwise kernels between them, step by step, for the whole batch:
//
//   products of x   all steps at once: x.W [N * T, ...]
//   gate_inputs     x.Wg + h.Ug + bg          gates      f(gate_inputs): r | u
//   hidden          h.Uc + bh                 reset      r * hidden
//   candidate_inputs  x.Wc + reset + bc       candidates g(candidate_inputs)
//   state           (1 - u) * candidates + u * h
//
// Integer form: spec, integer semantics 4.15 and 4.25. All zero points are 0:
// what an asymmetric x adds is in the biases.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/conv/Gemm.h"
#include "kernels/movement/DataMovement.h"
#include "support/Numeric.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BinaryOp;
using kernels::Requant;
using kernels::UnaryFn;

namespace {

/// Where a value lies: rows of `length` elements, `stride` elements apart.
struct Rows {
  BufferBinding binding;
  DType type;
  int64_t length, stride;
};

/// The shifts of a product of 16 bits are cut in two: the first part keeps the
/// sum within 32 bits (spec 4.25, remain_shift).
struct SplitShift {
  static constexpr int64_t kRemain = 10;
  int64_t early = 0, late = 0;
  SplitShift(int64_t shift, bool isWide)
      : early(isWide ? std::max<int64_t>(shift - kRemain, 0) : 0),
        late(shift - early) {}
};

class GruProgram {
public:
  GruProgram(Operation *op, LayerProgram &program) : op(op), program(program) {
    TensorInfo in = describe(op->getOperand(0));
    batch = in.shape[0], steps = in.shape[1], inputs = in.shape[2];
    cells = intKey(op, "cell_size");
    type = describe(op->getResult(0)).dtype;
  }

  LogicalResult buildFloat();
  LogicalResult buildInt();

private:
  //===--- values ---===//
  Rows value(const char *name, int64_t length, DType valueType);
  /// Columns [first, first + length) of rows that lie in one tensor.
  Rows columns(const Rows &rows, int64_t first, int64_t length) const;
  /// The rows of step \p t of a value that has them for all steps.
  Rows ofStep(const Rows &all, int64_t t) const;
  BufferBinding weights(int64_t firstRow, int64_t rows, int64_t firstColumn,
                        int64_t columns) const;
  BufferBinding biases(ArrayRef<int64_t> values) const;
  Rows firstState() const;

  //===--- kernels ---===//
  kernels::BroadcastShape shapeOf(const Rows &a, const Rows &b) const;
  Rows product(const Rows &in, int64_t rowCount, BufferBinding weights,
               int64_t outputs, BufferBinding bias, const Rows &out,
               const Requant &requant = {});
  void binary(BinaryOp how, const Rows &a, const Rows &b, const Rows &out,
              const Requant &requant = {}, int32_t zpA = 0);
  void function(UnaryFn fn, const kernels::UnaryArgs &args, const Rows &in,
                const Rows &out);
  void table(StringRef key, const Rows &in, const Rows &out);
  void requantize(const Rows &in, const Rows &out, const Requant &requant);
  void store(const Rows &state, int64_t t, bool isLast);

  /// From int32 sums to \p outType in its full range.
  Requant requantOf(DType outType, int64_t scale, int64_t shift) const;
  FailureOr<UnaryFn> activation(unsigned which, kernels::UnaryArgs &args) const;
  bool isReverse() const { return wordKey(op, "direction") == "REVERSE"; }

  Operation *op;
  LayerProgram &program;
  int64_t batch, steps, inputs, cells;
  DType type;
  unsigned step = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Rows GruProgram::value(const char *name, int64_t length, DType valueType) {
  TensorInfo info;
  info.dtype = valueType;
  info.shape = {batch, length};
  return {program.intermediate(name, info, step), valueType, length, length};
}

Rows GruProgram::columns(const Rows &rows, int64_t first,
                         int64_t length) const {
  uint64_t element = kernels::dtypeBytes(rows.type);
  uint64_t begin = rows.binding.part ? rows.binding.part->offsetBytes : 0;
  Rows part = rows;
  part.length = length;
  part.binding = rows.binding.at(
      begin + first * element, ((batch - 1) * rows.stride + length) * element);
  return part;
}

Rows GruProgram::ofStep(const Rows &all, int64_t t) const {
  uint64_t element = kernels::dtypeBytes(all.type);
  Rows rows = all;
  rows.stride = steps * all.length;
  rows.binding =
      all.binding.at(t * all.length * element,
                     ((batch - 1) * rows.stride + all.length) * element);
  return rows;
}

/// A block of the weights [3 * cells, inputs + cells], dense.
BufferBinding GruProgram::weights(int64_t firstRow, int64_t rows,
                                  int64_t firstColumn, int64_t columns) const {
  auto view = viewConstant(tensorKey(op, "weights"));
  int64_t element = kernels::dtypeBytes(view->dtype);
  std::vector<char> block(rows * columns * element);
  for (int64_t r = 0; r < rows; ++r)
    std::memcpy(block.data() + r * columns * element,
                view->bytes.data() +
                    ((firstRow + r) * (inputs + cells) + firstColumn) * element,
                columns * element);
  return constant({rows, columns}, view->dtype, std::move(block));
}

BufferBinding GruProgram::biases(ArrayRef<int64_t> values) const {
  std::vector<char> bytes(4 * values.size());
  for (auto [i, v] : llvm::enumerate(values)) {
    int32_t narrow = int32_t(v);
    std::memcpy(&bytes[4 * i], &narrow, 4);
  }
  return constant({int64_t(values.size())}, DType::I32, std::move(bytes));
}

Rows GruProgram::firstState() const {
  if (op->getNumOperands() > 1)
    return {operand(1), type, cells, cells};
  std::vector<char> zeros(batch * cells * kernels::dtypeBytes(type));
  return {constant({batch, cells}, type, std::move(zeros)), type, cells, cells};
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

kernels::BroadcastShape GruProgram::shapeOf(const Rows &a,
                                            const Rows &b) const {
  kernels::BroadcastShape s;
  s.rank = 2;
  s.dims[0] = batch, s.dims[1] = a.length;
  s.strideA[0] = a.stride, s.strideB[0] = b.stride;
  s.strideA[1] = s.strideB[1] = 1;
  return s;
}

Requant GruProgram::requantOf(DType outType, int64_t scale,
                              int64_t shift) const {
  Requant r;
  r.outType = outType;
  r.scale = int32_t(scale), r.shift = int32_t(shift);
  auto [lo, hi] = dtypeRange(outType);
  r.lo = int32_t(lo), r.hi = int32_t(hi);
  return r;
}

Rows GruProgram::product(const Rows &in, int64_t rowCount,
                         BufferBinding weightBlock, int64_t outputs,
                         BufferBinding bias, const Rows &out,
                         const Requant &requant) {
  auto fill = [&](auto p) {
    p.rows = rowCount, p.inFeatures = weightBlock.view.shape[1];
    p.outFeatures = outputs;
    p.inType = in.type, p.weightType = weightBlock.view.dtype;
    return p;
  };
  if (dtypeIsFloat(in.type)) {
    auto p = fill(kernels::FullyConnectedFloatParams());
    p.biasType = bias.view.dtype, p.outType = out.type;
    program.call<kernels::FullyConnectedFloat>(p);
  } else {
    auto p = fill(kernels::FullyConnectedIntParams());
    p.requant = requant;
    program.call<kernels::FullyConnectedInt>(p);
  }
  KernelCall &call = program.last();
  call["input"] = in.binding, call["weights"] = weightBlock;
  call["bias"] = bias, call["output"] = out.binding;
  return out;
}

void GruProgram::binary(BinaryOp how, const Rows &a, const Rows &b,
                        const Rows &out, const Requant &requant, int32_t zpA) {
  auto fill = [&](auto p) {
    p.shape = shapeOf(a, b);
    p.op = how;
    p.typeA = a.type, p.typeB = b.type;
    return p;
  };
  if (dtypeIsFloat(a.type)) {
    auto p = fill(kernels::EltwiseFloatParams());
    p.outType = out.type;
    program.call<kernels::EltwiseFloat>(p);
  } else {
    auto p = fill(kernels::EltwiseIntParams());
    p.zpA = zpA;
    p.requant = requant;
    program.call<kernels::EltwiseInt>(p);
  }
  KernelCall &call = program.last();
  call["a"] = a.binding, call["b"] = b.binding, call["output"] = out.binding;
}

void GruProgram::function(UnaryFn fn, const kernels::UnaryArgs &args,
                          const Rows &in, const Rows &out) {
  kernels::UnaryFloatParams p;
  p.count = batch * in.length;
  p.inType = in.type, p.outType = out.type;
  p.fn = fn, p.args = args;
  KernelCall &call = program.call<kernels::UnaryFloat>(p);
  call["input"] = in.binding, call["output"] = out.binding;
}

void GruProgram::table(StringRef key, const Rows &in, const Rows &out) {
  BufferBinding entries = constant(tensorKey(op, key));
  kernels::LutParams p;
  p.count = batch * in.length;
  p.inType = in.type, p.tableType = entries.view.dtype;
  p.indexMin = int32_t(dtypeRange(in.type).first);
  p.inBits = 8 * kernels::dtypeBytes(in.type);
  p.log2Size = llvm::Log2_64(entries.view.numElements());
  KernelCall &call = program.call<kernels::Lut>(p);
  call["input"] = in.binding, call["table"] = entries;
  call["output"] = out.binding;
}

void GruProgram::requantize(const Rows &in, const Rows &out,
                            const Requant &requant) {
  kernels::ActivationIntParams p;
  p.count = batch * in.length;
  p.inType = in.type;
  p.requant = requant;
  KernelCall &call = program.call<kernels::ActivationInt>(p);
  call["input"] = in.binding, call["output"] = out.binding;
}

/// Copies a state to the results that want it: H has all, Hn the last one.
void GruProgram::store(const Rows &state, int64_t t, bool isLast) {
  auto words = op->getAttrOfType<ArrayAttr>("out_sequence");
  for (auto [i, word] : llvm::enumerate(words)) {
    bool isAll = cast<StringAttr>(word).getValue() == "H";
    if (!isAll && !isLast)
      continue;
    kernels::CopyParams p;
    p.elemBytes = kernels::dtypeBytes(type);
    p.rank = 2;
    p.dims[0] = batch, p.dims[1] = cells;
    p.srcStride[0] = state.stride;
    p.dstStride[0] = isAll ? steps * cells : cells;
    p.srcStride[1] = p.dstStride[1] = 1;
    p.dstOffset = isAll ? t * cells : 0;
    KernelCall &call = program.call<kernels::Copy>(p);
    call["input"] = state.binding, call["output"] = result(i);
  }
}

//===----------------------------------------------------------------------===//
// Float
//===----------------------------------------------------------------------===//

/// The function of the gates (0) or of the candidates (1).
FailureOr<UnaryFn> GruProgram::activation(unsigned which,
                                          kernels::UnaryArgs &args) const {
  static constexpr StringRef defaults[] = {"SIGMOID", "TANH"};
  auto words = op->getAttrOfType<ArrayAttr>("activations");
  StringRef word =
      words ? cast<StringAttr>(words[which]).getValue() : defaults[which];
  auto fn = llvm::StringSwitch<std::optional<UnaryFn>>(word)
                .Case("SIGMOID", UnaryFn::Sigmoid)
                .Case("TANH", UnaryFn::Tanh)
                .Case("RELU", UnaryFn::Relu)
                .Case("SOFTSIGN", UnaryFn::Softsign)
                .Case("SOFTPLUS", UnaryFn::Softplus)
                .Default(std::nullopt);
  if (!fn)
    return layerError(op, DiagId::OpUnsupported, "activations",
                      "the activation " + word + " is not supported yet in " +
                          "a recurrent layer")
        .found(word)
        .expected("SIGMOID, TANH, RELU, SOFTSIGN or SOFTPLUS");
  return *fn;
}

LogicalResult GruProgram::buildFloat() {
  kernels::UnaryArgs gateArgs, candidateArgs, clip;
  auto gateFn = activation(0, gateArgs),
       candidateFn = activation(1, candidateArgs);
  if (failed(gateFn) || failed(candidateFn))
    return failure();
  auto threshold = numberOf(op->getAttr("threshold"));
  if (threshold)
    clip.alpha = -float(*threshold), clip.beta = float(*threshold);
  auto view = viewConstant(tensorKey(op, "biases"));
  auto bias = [&](int64_t first, int64_t count, bool isZero) {
    uint64_t element = kernels::dtypeBytes(view->dtype);
    std::vector<char> bytes(count * element);
    if (!isZero)
      std::memcpy(bytes.data(), view->bytes.data() + first * element,
                  bytes.size());
    return constant({count}, view->dtype, std::move(bytes));
  };
  auto clipped = [&](const char *name, const Rows &in) {
    if (!threshold)
      return in;
    Rows out = value(name, in.length, in.type);
    function(UnaryFn::Clip, clip, in, out);
    return out;
  };
  constexpr DType kSum = DType::F32;
  int64_t gates = 2 * cells;
  TensorInfo info;
  info.dtype = kSum;
  info.shape = {batch, steps, 3 * cells};
  Rows x{operand(0), describe(op->getOperand(0)).dtype, inputs, inputs};
  Rows fromX{program.intermediate("products_of_x", info), kSum, 3 * cells,
             3 * cells};
  product(x, batch * steps, weights(0, 3 * cells, 0, inputs), 3 * cells,
          bias(0, 3 * cells, false), fromX);
  BufferBinding gateWeights = weights(0, gates, inputs, cells),
                candidateWeights = weights(gates, cells, inputs, cells);
  BufferBinding noBias = bias(0, gates, true),
                hiddenBias = bias(3 * cells, cells, false);
  Rows state = firstState();
  for (step = 0; step < steps; ++step) {
    int64_t t = isReverse() ? steps - 1 - step : step;
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
    product(state, batch, gateWeights, gates, noBias, fromState);
    product(state, batch, candidateWeights, cells, hiddenBias, hidden);
    binary(BinaryOp::Add, columns(now, 0, gates), fromState, gateInputs);
    function(*gateFn, gateArgs, clipped("clipped_gate_inputs", gateInputs),
             gateValues);
    binary(BinaryOp::Mul, columns(gateValues, 0, cells), hidden, reset);
    binary(BinaryOp::Add, columns(now, gates, cells), reset, candidateInputs);
    function(*candidateFn, candidateArgs,
             clipped("clipped_candidate_inputs", candidateInputs), candidates);
    // c + u * (h - c)
    binary(BinaryOp::Sub, state, candidates, difference);
    binary(BinaryOp::Mul, columns(gateValues, cells, cells), difference, kept);
    binary(BinaryOp::Add, candidates, kept, next);
    store(next, t, step + 1 == steps);
    state = next;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Integer
//===----------------------------------------------------------------------===//

LogicalResult GruProgram::buildInt() {
  auto scale = intsKey(op, "scale_value"), shift = intsKey(op, "shift_value");
  // Without the keys the hidden part keeps its scale, as in the definition's
  // example.
  int64_t hiddenScale = op->hasAttr("hidden_scale_value")
                            ? intKey(op, "hidden_scale_value")
                            : 1,
          hiddenShift = intKey(op, "hidden_shift_value");
  bool isWide = kernels::dtypeBytes(type) == 2;
  SplitShift gateShift(shift[1], isWide), stateShift(shift[0], isWide),
      candidateShift(shift[3], isWide), resetShift(shift[2], isWide);
  constexpr DType kSum = DType::I32;
  int64_t gates = 2 * cells;
  auto view = viewConstant(tensorKey(op, "biases"));
  SmallVector<int64_t> bias;
  for (int64_t i = 0; i < 4 * cells; ++i)
    bias.push_back(view->intAt(i));
  auto part = [&](int64_t first, int64_t count) {
    return ArrayRef(bias).slice(first, count);
  };
  // The reference shifts the biases of 16-bit layers at every step again, so
  // that they fade (spec 4.25): byte for byte the same here.
  auto fade = [&](int64_t first, int64_t count, int64_t by) {
    for (int64_t &b : MutableArrayRef(bias).slice(first, count))
      b = by ? roundShiftHalfEven(b, int32_t(by)) : b;
  };
  auto isZero = [](ArrayRef<int64_t> values) {
    return llvm::all_of(values, [](int64_t v) { return v == 0; });
  };
  SmallVector<int64_t> zeros(gates, 0);

  // x.W of all steps. At 8 bits the biases are added to the products, at 16
  // they are shifted apart from them.
  Rows x{operand(0), describe(op->getOperand(0)).dtype, inputs, inputs};
  auto productOfX = [&](const char *name, int64_t first, int64_t count,
                        int64_t early) {
    TensorInfo info;
    info.dtype = kSum;
    info.shape = {batch, steps, count};
    Rows all{program.intermediate(name, info), kSum, count, count};
    return product(
        x, batch * steps, weights(first, count, 0, inputs), count,
        biases(isWide ? ArrayRef(zeros).take_front(count) : part(first, count)),
        all, requantOf(kSum, 1, early));
  };
  Rows gatesOfX = productOfX("gates_of_x", 0, gates, gateShift.early),
       candidatesOfX =
           productOfX("candidates_of_x", gates, cells, candidateShift.early);
  BufferBinding gateWeights = weights(0, gates, inputs, cells),
                candidateWeights = weights(gates, cells, inputs, cells);
  BufferBinding noBias = biases(zeros);

  // Sum of two parts and, at 16 bits, of what is left of a bias.
  auto addUp = [&](const Rows &a, const Rows &b, const char *sumName,
                   ArrayRef<int64_t> biasLeft, const Rows &out,
                   const Requant &requant) {
    if (!isWide || isZero(biasLeft))
      return binary(BinaryOp::Add, a, b, out, requant);
    Rows sum = value(sumName, a.length, kSum);
    binary(BinaryOp::Add, a, b, sum, requantOf(kSum, 1, 0));
    Rows rest{biases(biasLeft), kSum, a.length, 0};
    binary(BinaryOp::Add, sum, rest, out, requant);
  };
  // RNE(RNE(v / 2^early) * scale / 2^late), in one step without early.
  auto finish = [&](const Rows &early, const char *name, int64_t scaleValue,
                    int64_t late) {
    Rows out = value(name, early.length, kSum);
    requantize(early, out, requantOf(kSum, scaleValue, late));
    return out;
  };
  int32_t one = int32_t(dtypeRange(type).second);
  Requant stateRequant = requantOf(type, scale[5], shift[5]);
  stateRequant.lo = -one;
  Rows state = firstState();
  for (step = 0; step < steps; ++step) {
    int64_t t = isReverse() ? steps - 1 - step : step;
    fade(0, gates, gateShift.early);
    fade(gates, cells, candidateShift.early);
    fade(3 * cells, cells, resetShift.early);
    Rows gateInputs = value("gate_inputs", gates, type),
         gateValues = value("gates", gates, type),
         hidden = value("hidden", cells, type),
         candidateInputs = value("candidate_inputs", cells, type),
         candidates = value("candidates", cells, type),
         replaced = value("replaced", cells, kSum),
         kept = value("kept", cells, kSum), next = value("state", cells, type);
    Rows fromState = value("products_of_h", gates, kSum);
    product(state, batch, gateWeights, gates, noBias, fromState,
            isWide ? requantOf(kSum, 1, stateShift.early)
                   : requantOf(kSum, scale[0], shift[0]));
    if (isWide)
      fromState = finish(fromState, "scaled_products_of_h", scale[0],
                         stateShift.late + gateShift.early);
    product(state, batch, candidateWeights, cells,
            biases(part(3 * cells, cells)), hidden,
            requantOf(type, hiddenScale, hiddenShift));
    addUp(ofStep(gatesOfX, t), fromState, "gate_sums", part(0, gates),
          gateInputs, requantOf(type, scale[1], gateShift.late));
    table("lut_rt", gateInputs, gateValues);
    Rows reset = value("reset", cells, kSum);
    binary(BinaryOp::Mul, columns(gateValues, 0, cells), hidden, reset,
           isWide ? requantOf(kSum, 1, resetShift.early)
                  : requantOf(kSum, scale[2], shift[2]));
    if (isWide)
      reset = finish(reset, "scaled_reset", scale[2],
                     resetShift.late + candidateShift.early);
    addUp(ofStep(candidatesOfX, t), reset, "candidate_sums", part(gates, cells),
          candidateInputs, requantOf(type, scale[3], candidateShift.late));
    table("lut_ht", candidateInputs, candidates);
    // (u - 1) * c, rounded half to even as (1 - u) * c is, and so subtracted.
    Rows update = columns(gateValues, cells, cells);
    binary(BinaryOp::Mul, update, candidates, replaced,
           requantOf(kSum, scale[4], shift[4]), /*zpA=*/-one);
    binary(BinaryOp::Mul, update, state, kept, requantOf(kSum, 1, 0));
    binary(BinaryOp::Sub, kept, replaced, next, stateRequant);
    store(next, t, step + 1 == steps);
    state = next;
  }
  return success();
}

LogicalResult GRUv1Op::buildProgram(LayerProgram &program) {
  GruProgram gru(*this, program);
  return isIntegerLayer(*this) ? gru.buildInt() : gru.buildFloat();
}
