//===- RegionProgram.cpp - YOLO's regions as kernels ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/detect/BoxKeys.h"
#include "dialects/compass/detect/Choice.h"
#include "dialects/compass/detect/DetectOps.h"
#include "dialects/compass/detect/Suppression.h"
#include "kernels/detection/Region.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static kernels::RegionShape regionShape(const TensorInfo &x) {
  kernels::RegionShape shape;
  shape.batch = uint32_t(x.shape[0]);
  shape.gridHeight = uint32_t(x.shape[1]);
  shape.gridWidth = uint32_t(x.shape[2]);
  shape.anchors = uint32_t(x.shape[3]);
  shape.classes = uint32_t(x.shape[4] - 5);
  shape.type = x.dtype;
  return shape;
}

/// Scores of all boxes and classes.
static FailureOr<BufferBinding> scoreBoxes(Operation *op, LayerProgram &program,
                                           const kernels::RegionShape &shape,
                                           const TensorInfo &out) {
  bool integer = isIntegerLayer(op);
  BufferBinding scores =
      scratch(program, "scores", integer ? DType::I32 : DType::F32,
              {shape.batch, shape.boxes(), shape.classes});
  if (!integer) {
    KernelCall &call = program.call<kernels::RegionScoresFloat>({shape});
    call["input"] = operand(0), call["scores"] = scores;
    return scores;
  }
  auto exps = constantKey(op, keys::score_softmax_lut),
       sigmoids = constantKey(op, keys::conf_sigmoid_lut);
  if (failed(exps) || failed(sigmoids))
    return failure();
  kernels::RegionScoresIntParams p;
  p.shape = shape;
  p.log2Exp = log2Of(*exps), p.log2Sigmoid = log2Of(*sigmoids);
  if (op->hasAttr(keys::conf_sigmoid_shift))
    p.confShift = int32_t(intKey(op, keys::conf_sigmoid_shift));
  p.threshold = keyOfStored(numberKey(op, keys::obj_thresh));
  p.most = int32_t((1u << describe(op->getOperand(0)).bits()) - 1);
  KernelCall &call = program.call<kernels::RegionScoresInt>(p);
  call["input"] = operand(0), call["expTable"] = *exps;
  call["sigmoidTable"] = *sigmoids, call["scores"] = scores;
  return scores;
}

static LogicalResult decodeFloat(Operation *op, LayerProgram &program,
                                 const kernels::RegionShape &shape,
                                 const ChosenBoxes &chosen) {
  auto anchors = op->getAttrOfType<DenseF64ArrayAttr>(keys::anchors);
  if (!anchors)
    return missingKey(op, keys::anchors);
  std::vector<char> bytes(sizeof(float) * anchors.size());
  for (auto [i, value] : llvm::enumerate(anchors.asArrayRef())) {
    auto number = float(value);
    std::memcpy(&bytes[i * sizeof number], &number, sizeof number);
  }
  kernels::RegionBoxesFloatParams p;
  p.shape = shape, p.rows = chosen.rows;
  p.outType = describe(op->getResult(1)).dtype;
  bool isEven = shape.gridHeight % 2 == 0 && shape.gridWidth % 2 == 0;
  p.offset = isEven && boolKey(op, keys::grid_compensate) ? 0.5f : 0.0f;
  KernelCall &call = program.call<kernels::RegionBoxesFloat>(p);
  call["input"] = operand(0);
  call["anchors"] = constant({anchors.size()}, DType::F32, std::move(bytes));
  call["places"] = chosen.places, call["output"] = result(1);
  return success();
}

static LogicalResult decodeInt(Operation *op, LayerProgram &program,
                               const kernels::RegionShape &shape,
                               const ChosenBoxes &chosen) {
  auto anchors = constantKey(op, keys::qanchors_lut),
       sigmoids = constantKey(op, keys::xy_sigmoid_lut),
       exps = constantKey(op, keys::wh_exp_lut);
  if (failed(anchors) || failed(sigmoids) || failed(exps))
    return failure();
  kernels::RegionBoxesIntParams p;
  p.shape = shape, p.rows = chosen.rows;
  p.log2Sigmoid = log2Of(*sigmoids), p.log2Exp = log2Of(*exps);
  auto set = [&](int32_t *to, IntKey height, IntKey width) {
    to[0] = int32_t(intKey(op, height)), to[1] = int32_t(intKey(op, width));
  };
  set(p.cellShifts, keys::row_shift, keys::col_shift);
  set(p.gridScales, keys::grid_h_scale, keys::grid_w_scale);
  set(p.gridShifts, keys::grid_h_shift, keys::grid_w_shift);
  set(p.anchorShifts, keys::anchors_exp_h_shift, keys::anchors_exp_w_shift);
  for (IntKey key : {keys::row_shift, keys::col_shift})
    if (int64_t shift = intKey(op, key); shift < 0 || shift > 30)
      return layerError(op, diag::OpBadAttribute, key,
                        "the key " + key + " is out of range")
          .found(Twine(shift))
          .expected("0 to 30");
  p.expScale = int32_t(intKey(op, keys::wh_exp_scale));
  p.expShift = int32_t(intKey(op, keys::wh_exp_shift));
  p.outType = describe(op->getResult(1)).dtype;
  KernelCall &call = program.call<kernels::RegionBoxesInt>(p);
  call["input"] = operand(0), call["anchors"] = *anchors;
  call["sigmoidTable"] = *sigmoids, call["expTable"] = *exps;
  call["places"] = chosen.places, call["output"] = result(1);
  return success();
}

LogicalResult RegionOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0));
  kernels::RegionShape shape = regionShape(x);
  auto scores = scoreBoxes(*this, program, shape, out);
  if (failed(scores))
    return failure();
  bool integer = isIntegerLayer(*this);
  double threshold = numberKey(*this, keys::obj_thresh);
  Choice choice;
  choice.scores = {.batch = shape.batch,
                   .boxes = shape.boxes(),
                   .classes = shape.classes,
                   .imageStride = shape.boxes() * shape.classes,
                   .boxStride = shape.classes,
                   .type = integer ? DType::I32 : DType::F32};
  choice.from = *scores;
  choice.threshold = integer ? keyOfStored(threshold) : keyOfReal(threshold);
  choice.capacity = uint32_t(out.shape[1]);
  choice.overflow = Overflow::Greatest;
  choice.perClass = typedResult(*this, 2);
  choice.labels = typedResult(*this, 3);
  choice.classCount = typedResult(*this, 4);
  ChosenBoxes chosen = chooseBoxes(program, choice);
  takeChosen(*this, program, chosen, choice, 0);
  return integer ? decodeInt(*this, program, shape, chosen)
                 : decodeFloat(*this, program, shape, chosen);
}
