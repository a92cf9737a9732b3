//===- RecurrentProgram.cpp - What programs of recurrent layers share -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/sequence/RecurrentProgram.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/LutCall.h"
#include "dialects/compass/conv/PackedWeights.h"
#include "kernels/activation/Activation.h"
#include "kernels/conv/Gemm.h"
#include "kernels/movement/DataMovement.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::Requant;

RecurrentProgram::RecurrentProgram(Operation *op, LayerProgram &program)
    : op(op), program(program) {
  TensorInfo in = describe(op->getOperand(0));
  batch = in.shape[0], steps = in.shape[1], inputs = in.shape[2];
  cells = intKey(op, keys::cell_size);
  type = describe(op->getResult(0)).dtype;
}

LogicalResult RecurrentProgram::checkIntegers() const {
  TensorInfo in = describe(op->getOperand(0));
  if (!dtypeIsSigned(type) || kernels::dtypeBytes(type) > 2 ||
      kernels::dtypeBytes(type) != kernels::dtypeBytes(in.dtype))
    return layerError(op, diag::OpUnsupported, "layer_top_type",
                      "a recurrent layer of these types is not supported")
        .found(dtypeName(in.storedType()) + " and " + dtypeName(type))
        .expected("both 8 bits or both 16 bits, with signed states");
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Rows RecurrentProgram::value(std::string name, int64_t length,
                             DType valueType) {
  TensorInfo info;
  info.setType(valueType);
  info.shape = {batch, length};
  return {program.intermediate(std::move(name), info, step), valueType, batch,
          length, length};
}

Rows RecurrentProgram::allSteps(const char *name, int64_t length,
                                DType valueType) {
  TensorInfo info;
  info.setType(valueType);
  info.shape = {batch, steps, length};
  return {program.intermediate(name, info), valueType, batch * steps, length,
          length};
}

Rows RecurrentProgram::sequence() const {
  return {operand(0), describe(op->getOperand(0)).dtype, batch * steps, inputs,
          inputs};
}

Rows RecurrentProgram::ofStep(const Rows &all, int64_t t) const {
  uint64_t element = kernels::dtypeBytes(all.type);
  Rows rows = all;
  rows.count = batch;
  rows.stride = steps * all.length;
  rows.binding =
      all.binding.at(t * all.length * element,
                     ((batch - 1) * rows.stride + all.length) * element);
  return rows;
}

Rows RecurrentProgram::columns(const Rows &rows, int64_t first,
                               int64_t length) {
  uint64_t element = kernels::dtypeBytes(rows.type);
  uint64_t begin = rows.binding.part ? rows.binding.part->offsetBytes : 0;
  Rows part = rows;
  part.length = length;
  part.binding =
      rows.binding.at(begin + first * element,
                      ((rows.count - 1) * rows.stride + length) * element);
  return part;
}

Rows RecurrentProgram::rowsOf(const Rows &rows, int64_t first, int64_t count) {
  if (count == rows.count)
    return rows;
  uint64_t element = kernels::dtypeBytes(rows.type);
  uint64_t begin = rows.binding.part ? rows.binding.part->offsetBytes : 0;
  Rows some = rows;
  some.count = count;
  some.binding =
      rows.binding.at(begin + first * rows.stride * element,
                      ((count - 1) * rows.stride + rows.length) * element);
  return some;
}

Rows RecurrentProgram::rowOf(const Rows &rows, int64_t row) {
  Rows one = rowsOf(rows, row, 1);
  one.stride = one.length;
  return one;
}

Rows RecurrentProgram::firstState(unsigned index) const {
  if (op->getNumOperands() > index)
    return {operand(index), describe(op->getOperand(index)).dtype, batch, cells,
            cells};
  return zeroStates(batch);
}

Rows RecurrentProgram::zeroStates(int64_t count) const {
  // A product reads dense rows.
  std::vector<char> zeros(count * cells * kernels::dtypeBytes(type));
  return {constant({count, cells}, type, std::move(zeros)), type, count, cells,
          cells};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

BufferBinding RecurrentProgram::weights(ArrayRef<GateRows> gates,
                                        int64_t firstColumn,
                                        int64_t columns) const {
  auto view = viewConstant(tensorKey(op, keys::weights));
  int64_t element = kernels::dtypeBytes(view->dtype), rowCount = 0;
  std::vector<char> block;
  for (GateRows gate : gates) {
    rowCount += gate.count;
    for (int64_t r = gate.first; r < gate.first + gate.count; ++r) {
      const char *row =
          view->bytes.data() + (r * (inputs + cells) + firstColumn) * element;
      block.insert(block.end(), row, row + columns * element);
    }
  }
  BufferBinding dense =
      constant({rowCount, columns}, view->dtype, std::move(block));
  return dtypeIsFloat(view->dtype) ? packedMatrix(dense.view) : dense;
}

BufferBinding RecurrentProgram::floatBiases(ArrayRef<GateRows> gates) const {
  auto view = viewConstant(tensorKey(op, keys::biases));
  int64_t element = kernels::dtypeBytes(view->dtype), count = 0;
  std::vector<char> bytes;
  for (GateRows gate : gates) {
    const char *from = view->bytes.data() + gate.first * element;
    bytes.insert(bytes.end(), from, from + gate.count * element);
    count += gate.count;
  }
  return constant({count}, view->dtype, std::move(bytes));
}

BufferBinding RecurrentProgram::noFloatBiases(int64_t count) {
  return constant({count}, DType::F32, std::vector<char>(count * 4));
}
BufferBinding RecurrentProgram::noBiases(int64_t count) {
  return int32s(SmallVector<int64_t>(count, 0));
}

/// A constant of elements of type T.
template <typename T>
static BufferBinding constantOf(ArrayRef<int64_t> values, DType type) {
  std::vector<char> bytes(sizeof(T) * values.size());
  for (auto [i, v] : llvm::enumerate(values)) {
    T narrow = T(v);
    std::memcpy(&bytes[sizeof(T) * i], &narrow, sizeof(T));
  }
  return constant({int64_t(values.size())}, type, std::move(bytes));
}
BufferBinding RecurrentProgram::int32s(ArrayRef<int64_t> values) {
  return constantOf<int32_t>(values, DType::I32);
}
BufferBinding RecurrentProgram::multipliers(ArrayRef<int64_t> values) {
  return constantOf<uint16_t>(values, DType::U16);
}
BufferBinding RecurrentProgram::shifts(ArrayRef<int64_t> values) {
  return constantOf<int8_t>(values, DType::I8);
}

Rows RecurrentProgram::sameRow(BufferBinding values, int64_t rowCount) {
  DType valueType = values.view.dtype;
  int64_t length = values.view.numElements();
  return {std::move(values), valueType, rowCount, length, /*stride=*/0};
}

SmallVector<int64_t>
RecurrentProgram::integersOf(TensorKey key, ArrayRef<GateRows> parts) const {
  auto view = viewConstant(tensorKey(op, key));
  SmallVector<int64_t> values;
  for (GateRows part : parts)
    for (int64_t i = part.first; i < part.first + part.count; ++i)
      values.push_back(view->intAt(i));
  return values;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Requant RecurrentProgram::requantOf(DType outType, int64_t scale,
                                    int64_t shift) {
  Requant r;
  r.outType = outType;
  r.scale = int32_t(scale), r.shift = int32_t(shift);
  auto [lo, hi] = dtypeRange(outType);
  r.lo = int32_t(lo), r.hi = int32_t(hi);
  return r;
}

Requant RecurrentProgram::symmetricOf(DType outType, int64_t scale,
                                      int64_t shift) {
  Requant r = requantOf(outType, scale, shift);
  r.lo = -r.hi;
  return r;
}

std::optional<int64_t>
RecurrentProgram::highMultiplier(int64_t scale, int64_t shift, DType outType) {
  if (shift < 1 || shift > 32 || scale >= int64_t(1) << (shift - 1))
    return std::nullopt;
  // What saturates has to be beyond the type by a whole step.
  int64_t most = dtypeRange(outType).second;
  if (scale << 31 < (most + 2) << shift)
    return std::nullopt;
  return scale << (32 - shift);
}

LogicalResult RecurrentProgram::checkShifts(ArrayRef<int64_t> shifts,
                                            StringRef key) const {
  constexpr int64_t least = -32, most = 62; // kernels/Params.h, Requant
  for (int64_t shift : shifts)
    if (shift < least || shift > most)
      return layerError(op, diag::OpIntegerParameters, key,
                        "a shift of " + key + " is out of range")
          .found(Twine(shift))
          .expected(Twine(least) + " to " + Twine(most) +
                    ", with the other shifts of the same value");
  return success();
}

void RecurrentProgram::product(const Rows &in, const BufferBinding &weights,
                               const BufferBinding &bias, const Rows &out,
                               const Requant &requant,
                               const BufferBinding &scale,
                               const BufferBinding &shift) {
  assert(in.isDense() && out.isDense() && "products read and write all");
  auto fill = [&](auto p) {
    p.rows = in.count, p.inFeatures = in.length;
    p.outFeatures = out.length;
    p.inType = in.type;
    return p;
  };
  if (dtypeIsFloat(in.type)) {
    auto p = fill(kernels::FullyConnectedFloatParams());
    p.biasType = bias.view.dtype, p.outType = out.type;
    program.call<kernels::FullyConnectedFloat>(p);
  } else {
    auto p = fill(kernels::FullyConnectedIntParams());
    p.weightType = weights.view.dtype;
    p.requant = requant;
    program.call<kernels::FullyConnectedInt>(p);
    if (requant.perChannel)
      program.last()["scale"] = scale, program.last()["shift"] = shift;
  }
  KernelCall &call = program.last();
  call["input"] = in.binding, call["weights"] = weights;
  call["bias"] = bias, call["output"] = out.binding;
}

void RecurrentProgram::binary(BinaryOp how, const Rows &a, const Rows &b,
                              const Rows &out, const Requant &requant,
                              int32_t zpA) {
  auto fill = [&](auto p) {
    p.shape.rank = 2;
    p.shape.dims[0] = out.count, p.shape.dims[1] = out.length;
    p.shape.strideA[0] = int32_t(a.stride);
    p.shape.strideB[0] = int32_t(b.stride);
    p.shape.strideA[1] = p.shape.strideB[1] = 1;
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

void RecurrentProgram::function(const RecurrentFunction &fn, const Rows &in,
                                const Rows &out) {
  assert(in.isDense() && out.isDense() && "functions go over all");
  kernels::UnaryFloatParams p;
  p.count = in.count * in.length;
  p.inType = in.type, p.outType = out.type;
  p.fn = fn.fn, p.args = fn.args;
  KernelCall &call = program.call<kernels::UnaryFloat>(p);
  call["input"] = in.binding, call["output"] = out.binding;
}

Rows RecurrentProgram::clipped(const char *name, std::optional<double> bound,
                               const Rows &in) {
  if (!bound)
    return in;
  Rows out = value(name, in.length, in.type);
  RecurrentFunction clip{kernels::UnaryFn::Clip, {}};
  clip.args.alpha = -float(*bound), clip.args.beta = float(*bound);
  function(clip, in, out);
  return out;
}

void RecurrentProgram::table(TensorKey key, const Rows &in, const Rows &out) {
  assert(out.isDense() && in.isDense() && "tables go over all");
  TensorInfo all;
  all.setType(in.type);
  all.shape = {in.count, in.length};
  KernelCall &call = callLut(program, all, constant(tensorKey(op, key)));
  call["input"] = in.binding, call["output"] = out.binding;
}

void RecurrentProgram::requantize(const Rows &in, const Rows &out,
                                  const Requant &requant) {
  kernels::ActivationIntParams p;
  p.count = in.count * in.length;
  p.inType = in.type;
  p.requant = requant;
  KernelCall &call = program.call<kernels::ActivationInt>(p);
  call["input"] = in.binding, call["output"] = out.binding;
}

bool RecurrentProgram::isResult(StringRef word) const {
  auto is = [&](Attribute a) { return cast<StringAttr>(a).getValue() == word; };
  return llvm::any_of(op->getAttrOfType<ArrayAttr>(keys::out_sequence), is);
}

void RecurrentProgram::store(StringRef word, const Rows &rows,
                             std::optional<int64_t> t) {
  auto words = op->getAttrOfType<ArrayAttr>(keys::out_sequence);
  for (auto [i, attr] : llvm::enumerate(words)) {
    if (cast<StringAttr>(attr).getValue() != word)
      continue;
    kernels::CopyParams p;
    p.elemBytes = kernels::dtypeBytes(rows.type);
    p.rank = 2;
    p.dims[0] = batch, p.dims[1] = cells;
    p.srcStride[0] = int32_t(rows.stride);
    p.dstStride[0] = int32_t(t ? steps * cells : cells);
    p.srcStride[1] = p.dstStride[1] = 1;
    p.dstOffset = t ? int32_t(*t * cells) : 0;
    KernelCall &call = program.call<kernels::Copy>(p);
    call["input"] = rows.binding, call["output"] = result(i);
  }
}

void RecurrentProgram::forEachStep(
    llvm::function_ref<void(int64_t t, bool isLast)> body) {
  bool isReverse = wordKey(op, keys::direction) == "REVERSE";
  for (step = 0; step < steps; ++step)
    body(isReverse ? steps - 1 - step : step, step + 1 == steps);
}
