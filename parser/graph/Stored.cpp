//===- Stored.cpp - Integers of models that are quantized -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Stored.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/control/ControlOps.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/diagnostics/Import.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Reshape, Transpose and their like, one to one.
static bool isPlainMove(Operation *op) {
  return op->hasTrait<compass::trait::MovesOnly>() &&
         !isa<compass::CastOp>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

static RankedTensorType storedType(Value value, const Quantization &q) {
  return compass::steppedType(value.getContext(), shapeOf(value), q.stored,
                              double(q.scales[0]), q.zeroPoints[0]);
}

/// The form of a Concat that a node made of parts of one tensor: what all of
/// them have.
static std::optional<Quantization>
formOfParts(Operation *op, const DenseMap<Value, Quantization> &stored) {
  if (!isa<compass::ConcatOp>(op) || stored.contains(op->getResult(0)))
    return std::nullopt;
  auto first = stored.find(op->getOperand(0));
  bool isCommon =
      first != stored.end() && llvm::all_of(op->getOperands(), [&](Value part) {
        auto it = stored.find(part);
        return it != stored.end() && it->second == first->second;
      });
  return isCommon ? std::optional(first->second) : std::nullopt;
}

/// Whether a layer computes \p part for the layer \p op alone. Inputs are as
/// the model has them, and what leaves a graph within is real.
static bool isComputedFor(Value part, Operation *op) {
  Operation *maker = part.getDefiningOp();
  return part.hasOneUse() &&
         !isa<compass::InputOp, compass::IfOp, compass::LoopOp>(maker) &&
         (isPlainMove(op) || !isa<compass::ConstantOp>(maker));
}

/// A constant of real numbers as the integers that they were read from.
static void storeConstant(Operation *op, compass::TensorKey key,
                          const Quantization &q) {
  auto view = compass::viewConstant(compass::tensorKey(op, key));
  Constant real{ElementType::F32, Shape(view->shape.begin(), view->shape.end()),
                std::as_bytes(std::span(view->bytes))};
  Constant stored = storedConstant(real, q);
  auto *bytes = reinterpret_cast<const char *>(stored.bytes.data());
  op->setAttr(key, compass::makeAliasConstant(
                       op->getContext(), compass::layerNameOf(op), view->shape,
                       q.stored, {bytes, stored.bytes.size()}, stored.owner));
}

/// A Cast of real numbers to real numbers, one of which are stored, is a
/// conversion (NodeEmitter::storedAs).
static void makeConversion(compass::CastOp cast) {
  if (cast.getIgnoreScaleZp()) { // of the integers themselves
    compass::TensorInfo to = compass::describe(cast->getResult(0));
    cast->setAttr(
        compass::keys::to_dtype,
        Builder(cast).getStringAttr(compass::dtypeName(to.storedType())));
    return;
  }
  bool isFromFloat = isFloat(cast->getOperand(0)),
       isToFloat = isFloat(cast->getResult(0));
  if (isFromFloat && isToFloat)
    return;
  OpBuilder b(cast);
  if (!isFromFloat && !isToFloat) {
    compass::TensorInfo to = compass::describe(cast->getResult(0));
    cast->setAttr(compass::keys::to_dtype,
                  b.getStringAttr(compass::dtypeName(to.storedType())));
    return;
  }
  Value stored = isFromFloat ? cast->getResult(0) : cast->getOperand(0);
  auto replace = [&](Operation *conversion) {
    conversion->setAttr(compass::kTopNamesAttr,
                        cast->getAttr(compass::kTopNamesAttr));
    conversion->setAttr(compass::keys::quantize_scale,
                        b.getF64FloatAttr(compass::stepOf(stored)));
    conversion->setAttr(compass::keys::quantize_zp,
                        b.getI64IntegerAttr(compass::zeroPointOf(stored)));
    // Of TFLite, whose own kernels take 16 bits, XNNPACK those of 8.
    if (isFromFloat && cast->hasAttr(kRoundingKey))
      conversion->setAttr(compass::keys::round_mode,
                          b.getStringAttr(compass::describe(stored).bits() > 8
                                              ? "AWAY_FIRST"
                                              : "EVEN_FIRST"));
    cast->replaceAllUsesWith(conversion->getResults());
    cast->erase();
  };
  if (isFromFloat)
    replace(compass::QuantizeOp::create(
        b, cast->getLoc(), cast->getResultTypes(), cast->getOperands()));
  else
    replace(compass::DeQuantizeOp::create(
        b, cast->getLoc(), cast->getResultTypes(), cast->getOperands()));
}

/// A tensor of 32 bits that comes from outside, by a change of scale or from
/// floats, and goes on in the same way: its integers are conversions' alone.
static bool isConverted(Value value) {
  Operation *from = value.getDefiningOp();
  return isa_and_nonnull<compass::CastOp, compass::InputOp>(from) &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           return isa<compass::CastOp>(user) ||
                  user->hasTrait<OpTrait::IsTerminator>();
         });
}

/// Scales for each channel, and 32 bits, are of constants of products, which
/// are no tensors. Where something else reads such a constant it is real.
static void dropConstantsOfProducts(DenseMap<Value, Quantization> &stored) {
  SmallVector<Value> dropped;
  for (const auto &[value, q] : stored)
    if (!q.isPerTensor() ||
        (elementBytes(q.stored) > 2 &&
         !(q.stored == ElementType::I32 && isConverted(value))))
      dropped.push_back(value);
  for (Value value : dropped)
    stored.erase(value);
}

static void reportScale(ImportState &state, Value value,
                        const Quantization &q) {
  state.diags
      .report(diag::ImportBadGraph, {state.file},
              "tensor " + compass::tensorNameOf(value) +
                  " has a scale or zero point that its type cannot have")
      .found("scale " + std::to_string(q.scales[0]) + ", zero point " +
             std::to_string(q.zeroPoints[0]))
      .expected("a positive finite scale and a zero point within the type");
}

/// Puts a layer before each Cast of a stored tensor that gives its numbers; it
/// becomes a DeQuantize. Added to \p layers.
static void readNumbers(SmallVector<Operation *> &layers, ImportState &state) {
  SmallVector<Operation *> added;
  for (Operation *op : layers) {
    auto cast = dyn_cast<compass::CastOp>(op);
    if (!cast || !cast.getIgnoreScaleZp() ||
        !state.stored.contains(cast->getOperand(0)) ||
        !isFloat(cast->getOperand(0)))
      continue;
    std::string name =
        state.names.take(compass::layerNameOf(op).str() + "_dequantize");
    OpBuilder b(cast);
    Operation *real = b.clone(*op);
    if (auto place = dyn_cast<NameLoc>(op->getLoc()))
      real->setLoc(NameLoc::get(b.getStringAttr(name), place.getChildLoc()));
    std::string tensor = name + "_0";
    real->setAttr(compass::kTopNamesAttr, b.getStrArrayAttr({tensor}));
    real->removeAttr(compass::keys::ignore_scale_zp);
    real->setAttr(compass::keys::to_dtype, b.getStringAttr("float32"));
    real->getResult(0).setType(cast->getOperand(0).getType());
    cast->setOperand(0, real->getResult(0));
    added.push_back(real);
  }
  layers.append(added);
}

/// Puts a layer before \p op that gives operand \p i in the form of \p wanted:
/// as that is stored, or as real numbers.
static Operation *convertBefore(Operation *op, unsigned i, Value wanted,
                                ImportState &state) {
  Value operand = op->getOperand(i);
  OpBuilder b(op);
  LayerBuilder build(b, state.names);
  build.setPlace(compass::layerNameOf(op).str() + "_joined", state.file,
                 compass::layerNameOf(op).str());
  Value cast = build.layer("Cast", {operand}, {{"to_dtype", "float32"}});
  build.nameLayers({cast});
  op->setOperand(i, cast);
  if (auto it = state.stored.find(wanted); it != state.stored.end()) {
    Quantization form = it->second;
    state.stored.try_emplace(cast, std::move(form));
  }
  return cast.getDefiningOp();
}

/// What only moves values has operands that are stored where its result is, and
/// real ones where that is: others are converted before it. A node makes such
/// layers of parts that it computes, some of which nothing stores.
static void convertParts(SmallVector<Operation *> &layers, ImportState &state) {
  auto isStored = [&](Value value) {
    return state.stored.contains(value) && isFloat(value);
  };
  SmallVector<Operation *> added;
  for (Operation *op : layers) {
    if (!isa<compass::ConcatOp>(op) && !isPlainMove(op))
      continue;
    Value result = op->getResult(0);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (isFloat(op->getOperand(i)) &&
          isStored(op->getOperand(i)) != isStored(result))
        added.push_back(convertBefore(op, i, result, state));
  }
  layers.append(added);
}

void graph::storeTensors(ImportState &state, CastReads casts) {
  auto &stored = state.stored;
  dropConstantsOfProducts(stored);
  if (stored.empty())
    return;
  SmallVector<Operation *> layers;
  state.module.walk([&](Operation *op) { layers.push_back(op); });
  for (Operation *op : layers) {
    if (isPlainMove(op))
      if (auto it = stored.find(op->getOperand(0)); it != stored.end()) {
        Quantization same = it->second;
        stored.try_emplace(op->getResult(0), std::move(same));
      }
    if (auto form = formOfParts(op, stored))
      stored.try_emplace(op->getResult(0), std::move(*form));
  }
  // A product is flattened or turned before it has the node's shape, and parts
  // are joined.
  for (Operation *op : llvm::reverse(layers))
    if (isPlainMove(op) || isa<compass::ConcatOp>(op))
      for (Value part : op->getOperands())
        if (auto it = stored.find(op->getResult(0));
            it != stored.end() && isComputedFor(part, op)) {
          Quantization same = it->second;
          stored.try_emplace(part, std::move(same));
        }
  convertParts(layers, state);
  if (casts == CastReads::Numbers)
    readNumbers(layers, state);
  for (Operation *op : layers)
    for (Value value : op->getResults()) {
      auto it = stored.find(value);
      if (it == stored.end() || !compass::describe(value).isFloat())
        continue;
      RankedTensorType type = storedType(value, it->second);
      if (!type) {
        reportScale(state, value, it->second);
        continue;
      }
      if (isa<compass::ConstantOp>(op))
        storeConstant(op, compass::keys::weights, it->second);
      else if (compass::tensorKey(op, compass::keys::state_initial))
        storeConstant(op, compass::keys::state_initial, it->second);
      value.setType(type);
    }
  for (Operation *op : layers)
    if (auto cast = dyn_cast<compass::CastOp>(op))
      makeConversion(cast);
  for (auto func : state.module.getOps<func::FuncOp>())
    func.setType(FunctionType::get(
        func.getContext(), {},
        llvm::to_vector(
            func.getBody().front().getTerminator()->getOperandTypes())));
  compass::setCompat(state.module, true);
}

//===----------------------------------------------------------------------===//
// Weights of layers that multiply
//===----------------------------------------------------------------------===//

/// Whether there is one scale, or one for each output of the product.
static bool scalesOutputs(const Node &node, const Tensor &weights) {
  const Quantization &q = *weights.quantization;
  if (q.isPerTensor())
    return true;
  if (node.domain == "qnn") // which has outputs, or those of a group, last
    return q.axis + 1 == int64_t(weights.constant->shape.size());
  if (node.op == "ConvTranspose")
    return q.axis == 1; // groups share the scales of their outputs
  if (node.op == "Gemm")
    return q.axis == (node.integer("transB", 0) ? 0 : 1);
  // TFLite has outputs first, but in these.
  if (node.op == "DepthwiseConv2D" || node.op == "TransposeConv3D")
    return q.axis == 3;
  if (node.op == "Conv3D")
    return q.axis == 4;
  if (node.op == "MatMul")
    return q.axis + 1 == int64_t(weights.constant->shape.size());
  return q.axis == 0;
}

bool NodeEmitter::multipliesStored() const {
  return tensor(0).quantization && !tensor(0).constant && has(1) &&
         tensor(1).constant && tensor(1).quantization &&
         tensor(0).quantization->isPerTensor() &&
         elementBytes(tensor(1).quantization->stored) <= 2 &&
         scalesOutputs(node, tensor(1));
}

/// A constant of sums of products: integers of other types are real biases.
static bool isStoredBias(const Tensor &bias) {
  return bias.constant && bias.quantization &&
         (bias.quantization->stored == ElementType::I32 ||
          bias.quantization->stored == ElementType::I64);
}

ElementsAttr NodeEmitter::productWeights(const std::vector<int64_t> &perm,
                                         const Shape &shape) {
  weightsPerm = perm;
  weightsShape = shape;
  return weights(1, perm, shape);
}

/// The shape of biases: one of another length is told by the layer.
static Shape biasShape(const Tensor &bias, int64_t outputs) {
  return numElements(*bias.shape) == outputs ? Shape{outputs} : Shape();
}

ElementsAttr NodeEmitter::productBiases(size_t i, int64_t outputs) {
  if (has(i))
    return weights(i, {}, biasShape(tensor(i), outputs));
  return build.floats({outputs}, std::vector<float>(size_t(outputs)));
}

Value NodeEmitter::noteStored(Value product, size_t bias) {
  if (!product || !multipliesStored() || emitter.isTrial)
    return product;
  Operation *op = product.getDefiningOp();
  op->setAttr(compass::keys::weights,
              emitter.storedAttribute(tensor(1), weightsPerm, weightsShape));
  int64_t outputs =
      compass::tensorKey(op, compass::keys::biases).getNumElements();
  if (!has(bias))
    op->setAttr(compass::keys::biases,
                compass::makeConstant(op->getContext(), node.describe(),
                                      {outputs}, DType::I32,
                                      std::vector<char>(size_t(outputs) * 4)));
  else if (isStoredBias(tensor(bias)))
    op->setAttr(compass::keys::biases,
                emitter.storedAttribute(tensor(bias), {},
                                        biasShape(tensor(bias), outputs)));
  NamedAttrList constants;
  auto note = [&](const std::string &name, const Quantization &q) {
    auto count = int64_t(q.scales.size());
    std::vector<int32_t> zeroPoints(q.zeroPoints.begin(), q.zeroPoints.end());
    constants.set(name + "_scale", compass::makeConstantOf<float>(
                                       op->getContext(), name + "_scale",
                                       {count}, DType::F32, q.scales));
    constants.set(name + "_zp", compass::makeConstantOf<int32_t>(
                                    op->getContext(), name + "_zp", {count},
                                    DType::I32, zeroPoints));
  };
  note("weights", *tensor(1).quantization);
  if (has(bias) && isStoredBias(tensor(bias)))
    note("biases", *tensor(bias).quantization);
  op->setAttr(compass::kExtraConstantsAttr,
              constants.getDictionary(op->getContext()));
  return product;
}
