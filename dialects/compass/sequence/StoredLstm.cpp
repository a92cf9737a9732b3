//===- StoredLstm.cpp - Shapes and kernels of StoredLSTM ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/StoredLstm.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/CountedTensors.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "dialects/compass/sequence/SequenceShapes.h"
#include "support/Multiplier.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::StoredScale;

namespace {

constexpr StringRef kGates[] = {"input", "forget", "cell", "output"};
/// Operands before those that `parts` names.
constexpr unsigned kFirstPart = 3;
/// More, and sums of products could leave 32 bits: a value less its zero point
/// has at most 255 in magnitude (checkZeroPoints), a weight 128, and 2^16 times
/// 255 * 128 is below 2^31.
constexpr int64_t kMostLength = 1 << 16;

class StoredLstmProgram {
public:
  StoredLstmProgram(Operation *op, LayerProgram &program)
      : op(op), program(program), batch(inputShape(op, 0)[0]),
        inputs(inputShape(op, 0)[1]), outputs(inputShape(op, 1)[1]),
        units(inputShape(op, 2)[1]) {}

  LogicalResult build();

private:
  /// Which operand it is; nullopt if the layer has none.
  std::optional<unsigned> part(const Twine &name) const;
  Value valueOf(const Twine &name) const { return op->getOperand(*part(name)); }
  BufferBinding bindingOf(const Twine &name) const {
    auto i = part(name);
    return i ? operand(*i) : BufferBinding();
  }
  FailureOr<StoredScale> scale(double real, const Twine &what) const;
  FailureOr<BufferBinding> gate(size_t which, BufferBinding cell);
  LogicalResult findFractionBits();
  LogicalResult addHidden(BufferBinding gate, BufferBinding cell);
  LogicalResult project(BufferBinding hidden);
  BufferBinding value(StringRef name, DType type);

  Operation *op;
  LayerProgram &program;
  int64_t batch, inputs, outputs, units;
  int32_t fractionBits = 15; ///< Of the cell.
};

} // namespace

/// The names in the key `parts`.
static SmallVector<StringRef> partNames(Operation *op) {
  SmallVector<StringRef> names;
  for (Attribute attr : op->getAttrOfType<ArrayAttr>(keys::parts))
    names.push_back(cast<StringAttr>(attr).getValue());
  return names;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// What the axes of a part are.
static SmallVector<int64_t> partShape(StringRef name, int64_t inputs,
                                      int64_t outputs, int64_t units) {
  if (name == "projection")
    return {outputs, units};
  if (name == "projection_bias")
    return {outputs};
  if (name.ends_with("_x"))
    return {units, inputs};
  if (name.ends_with("_h"))
    return {units, outputs};
  return {units};
}

/// The parts without which there is no cell. Those of the input gate may be
/// missing together.
static bool hasNeededParts(ArrayRef<StringRef> names) {
  auto has = [&](const Twine &name) {
    return llvm::is_contained(names, StringRef(name.str()));
  };
  for (StringRef gate : kGates) {
    bool isInput = gate == "input";
    bool isThere = has(gate + "_x");
    if ((!isThere && !isInput) || has(gate + "_h") != isThere ||
        has(gate + "_bias") != isThere)
      return false;
  }
  return true;
}

/// Of values of 8 bits a zero point in their type is subtracted; of all others
/// none is.
static void checkZeroPoints(LayerCheck &check, Operation *op) {
  auto ask = [&](Value value, StringRef key, bool isSubtracted) {
    int64_t zero = zeroPointOf(value);
    if (isSubtracted ? llvm::isInt<8>(zero) : zero == 0)
      return;
    check
        .problem(diag::OpIntegerParameters, key,
                 "the tensor " + tensorNameOf(value) +
                     " has a zero point that the layer does not support")
        .found(Twine(zero))
        .expected(isSubtracted ? "-128 to 127" : "0")
        .token(tensorNameOf(value));
  };
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    ask(value, "layer_bottom", i < 2);
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    ask(value, "layer_top_zp", i == 0);
}

LogicalResult compass::inferStoredLSTM(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  int64_t inputs = check.in(0)[1], outputs = check.in(1)[1],
          units = check.in(2)[1];
  SmallVector<StringRef> names = partNames(op);
  check.count(keys::gate_steps, 4, "input, forget, cell and output gate");
  if (names.size() + kFirstPart != op->getNumOperands() ||
      !hasNeededParts(names))
    return check
        .problem(
            diag::OpBadAttribute, keys::parts,
            "the key parts does not name the operands that the layer needs")
        .found(Twine(names.size()) + " names for " +
               Twine(op->getNumOperands() - kFirstPart) + " operands")
        .expected(
            "one name per operand after the third; weights of input and state "
            "and a bias for each gate, for the input gate all or none");
  if (std::max({inputs, outputs, units}) > kMostLength)
    return check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "an axis of the layer is too long")
        .found(Twine(std::max({inputs, outputs, units})))
        .expected(Twine(kMostLength) + " or less");
  // Kernels count the elements of each tensor in 32 bits; the gates have those
  // of the cell, weights fewer than 2^32 by the lengths.
  for (unsigned input : {0, 1, 2})
    checkCounted(check, input);
  checkZeroPoints(check, op);
  for (auto [i, name] : llvm::enumerate(names)) {
    SmallVector<int64_t> expected = partShape(name, inputs, outputs, units);
    if (check.in(unsigned(i) + kFirstPart) != ArrayRef<int64_t>(expected))
      check
          .problem(diag::OpShape, "layer_bottom_shape",
                   "the operand " + name + " has a wrong shape")
          .found(shapeText(check.in(unsigned(i) + kFirstPart)))
          .expected(shapeText(expected));
  }
  if (!llvm::is_contained(names, "projection") && outputs != units)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "without a projection, there must be as many outputs as units")
        .found(Twine(outputs))
        .expected(Twine(units));
  shapes.push_back({check.in(0)[0], outputs});
  shapes.push_back({check.in(0)[0], units});
  return success(check.ok());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::optional<unsigned> StoredLstmProgram::part(const Twine &name) const {
  SmallVector<StringRef> names = partNames(op);
  auto it = llvm::find(names, StringRef(name.str()));
  if (it == names.end())
    return std::nullopt;
  return unsigned(it - names.begin()) + kFirstPart;
}

BufferBinding StoredLstmProgram::value(StringRef name, DType type) {
  TensorInfo info;
  info.dtype = type;
  info.shape = {batch, units};
  return program.intermediate(name.str(), info);
}

/// The multiplier of 31 bits nearest to \p real; none to the left.
FailureOr<StoredScale> StoredLstmProgram::scale(double real,
                                                const Twine &what) const {
  auto nearest = multiplierOf(real);
  if (!nearest || nearest->shift < 0)
    return layerError(op, diag::OpIntegerParameters, "layer_top_scale",
                      "the scales give no valid multiplier for " + what)
        .found(std::to_string(real))
        .expected("more than 0, below 2^31");
  return StoredScale{nearest->scale, nearest->shift};
}

LogicalResult StoredLstmProgram::findFractionBits() {
  const Value cells[] = {op->getOperand(2), op->getResult(1)};
  for (Value cell : cells) {
    double bits = -std::log2(stepOf(cell));
    // Models state powers of 2 in a few decimal digits.
    constexpr double kNear = 1e-3;
    if (std::abs(bits - std::round(bits)) > kNear || bits < 9 - kNear ||
        bits > 15 + kNear || stepOf(cell) != stepOf(op->getResult(1)))
      return layerError(
                 op, diag::OpUnsupported, "layer_top_scale",
                 "the cell's step is not a power of 2 that the layer supports")
          .found(std::to_string(stepOf(cell)))
          .expected("2^-15 to 2^-9, the same before and after the layer");
    fractionBits = int32_t(std::lround(bits));
  }
  return success();
}

/// a * b / c in single precision, as TFLite computes these ratios.
static double singleRatio(double a, double b, double c) {
  return double(float(a) * float(b) / float(c));
}

FailureOr<BufferBinding> StoredLstmProgram::gate(size_t which,
                                                 BufferBinding cell) {
  std::string name = kGates[which].str() + "_";
  bool isNormalized = part(name + "norm").has_value();
  // 12 fractional bits without a norm.
  double step =
      isNormalized
          ? op->getAttrOfType<DenseF64ArrayAttr>(keys::gate_steps)[which]
          : 0x1p-12;
  kernels::StoredLstmGateParams p;
  p.batches = uint32_t(batch), p.inputs = uint32_t(inputs);
  p.outputs = uint32_t(outputs), p.units = uint32_t(units);
  p.zeroX = int32_t(zeroPointOf(op->getOperand(0)));
  p.zeroH = int32_t(zeroPointOf(op->getOperand(1)));
  p.isTanh = kGates[which] == "cell";
  auto set = [&](StoredScale &to, double real, StringRef what) {
    auto found =
        scale(real, what + Twine(" of the ") + kGates[which] + " gate");
    if (failed(found))
      return false;
    to = *found;
    return true;
  };
  auto ratio = [&](unsigned input, const Twine &weights) {
    return singleRatio(stepOf(op->getOperand(input)), stepOf(valueOf(weights)),
                       step);
  };
  if (!set(p.x, ratio(0, name + "x"), "the input") ||
      !set(p.h, ratio(1, name + "h"), "the state") ||
      (part(name + "peephole") &&
       !set(p.peephole, ratio(2, name + "peephole"), "the cell")) ||
      (isNormalized &&
       !set(p.norm, stepOf(valueOf(name + "norm")) * 4096, "the norm")))
    return failure();
  BufferBinding result = value(name + "gate", DType::I16);
  KernelCall &call = program.call<kernels::StoredLstmGate>(p);
  call["x"] = operand(0), call["h"] = operand(1);
  call["x_weights"] = bindingOf(name + "x");
  call["h_weights"] = bindingOf(name + "h");
  call["bias"] = bindingOf(name + "bias");
  call["norm"] = bindingOf(name + "norm");
  if (part(name + "peephole")) {
    call["cell"] = cell;
    call["peephole"] = bindingOf(name + "peephole");
  }
  call["output"] = result;
  return result;
}

/// The steps that \p clip has, \p most of them.
static int32_t clipOf(double clip, double step, int32_t most) {
  return int32_t(std::clamp<double>(std::trunc(clip / step), 0, most));
}

LogicalResult StoredLstmProgram::addHidden(BufferBinding gate,
                                           BufferBinding cell) {
  // Both factors have 15 fractional bits.
  auto found =
      scale(singleRatio(0x1p-15, 0x1p-15, floatKey(op, keys::hidden_step)),
            "the hidden state");
  if (failed(found))
    return failure();
  kernels::StoredLstmHiddenParams p;
  p.count = uint32_t(batch * units);
  p.fractionBits = fractionBits;
  p.scale = *found;
  p.zero = int32_t(intKey(op, keys::hidden_zp));
  bool isProjected = part("projection").has_value();
  BufferBinding hidden = isProjected ? value("hidden", DType::I8) : result(0);
  KernelCall &call = program.call<kernels::StoredLstmHidden>(p);
  call["gate"] = gate, call["cell"] = cell, call["output"] = hidden;
  return isProjected ? project(hidden) : success();
}

LogicalResult StoredLstmProgram::project(BufferBinding hidden) {
  Value y = op->getResult(0);
  auto found = scale(singleRatio(floatKey(op, keys::hidden_step),
                                 stepOf(valueOf("projection")), stepOf(y)),
                     "the projection");
  if (failed(found))
    return failure();
  kernels::StoredLstmProjectionParams p;
  p.batches = uint32_t(batch), p.units = uint32_t(units);
  p.outputs = uint32_t(outputs);
  p.zeroIn = int32_t(intKey(op, keys::hidden_zp));
  p.zeroOut = int32_t(zeroPointOf(y));
  p.scale = *found;
  if (double clip = floatKey(op, keys::projection_clip); clip > 0) {
    int32_t size = clipOf(clip, stepOf(y), UINT8_MAX);
    p.lo = std::max(p.zeroOut - size, INT8_MIN);
    p.hi = std::min(p.zeroOut + size, INT8_MAX);
  }
  KernelCall &call = program.call<kernels::StoredLstmProjection>(p);
  call["input"] = hidden, call["weights"] = bindingOf("projection");
  call["bias"] = bindingOf("projection_bias");
  call["output"] = result(0);
  return success();
}

LogicalResult StoredLstmProgram::build() {
  if (failed(findFractionBits()))
    return failure();
  BufferBinding gates[4];
  for (size_t which : {0, 1, 2}) {
    if (!part(kGates[which] + "_x"))
      continue; // coupled
    auto made = gate(which, operand(2));
    if (failed(made))
      return failure();
    gates[which] = *made;
  }
  kernels::StoredLstmCellParams p;
  p.count = uint32_t(batch * units);
  p.fractionBits = fractionBits;
  if (double clip = floatKey(op, keys::cell_clip); clip > 0) {
    p.hi = clipOf(clip, stepOf(op->getResult(1)), INT16_MAX);
    p.lo = -p.hi;
  }
  KernelCall &call = program.call<kernels::StoredLstmCell>(p);
  call["input"] = gates[0], call["forget"] = gates[1];
  call["candidate"] = gates[2], call["cell"] = operand(2);
  call["output"] = result(1);
  // The output gate sees the new cell.
  auto made = gate(3, result(1));
  return succeeded(made) ? addHidden(*made, result(1)) : failure();
}

LogicalResult StoredLSTMOp::buildProgram(LayerProgram &program) {
  return StoredLstmProgram(*this, program).build();
}
