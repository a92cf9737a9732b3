//===- Choice.cpp - Steps that choose boxes by score ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/detect/Choice.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/detect/Suppression.h"

using namespace yarrow;
using namespace yarrow::compass;

TypedBinding compass::typedOperand(mlir::Operation *op, unsigned index) {
  return {operand(index), describe(op->getOperand(index))};
}
TypedBinding compass::typedResult(mlir::Operation *op, unsigned index) {
  return {result(index), describe(op->getResult(index))};
}

kernels::ScoreMatrix compass::matrixOf(const TensorInfo &scores,
                                       int64_t skipped) {
  kernels::ScoreMatrix m;
  int64_t columns = scores.shape[2];
  m.batch = uint32_t(scores.shape[0]), m.boxes = uint32_t(scores.shape[1]);
  m.classes = uint32_t(columns - skipped);
  m.imageStride = uint32_t(scores.shape[1] * columns);
  m.first = uint32_t(skipped), m.boxStride = uint32_t(columns);
  m.type = scores.dtype;
  return m;
}

/// The cuts of images with more scores than there is room for.
static BufferBinding cutScores(LayerProgram &program, const Choice &choice,
                               const kernels::ChooseParams &p,
                               const BufferBinding &counts) {
  kernels::ChooseCutParams cut;
  cut.choose = p;
  cut.least = choice.overflow == Overflow::Least;
  KernelCall &call = program.call<kernels::ChooseCut>(cut);
  call["scores"] = choice.from, call["counts"] = counts;
  return call["cut"] = scratch(program, "cut", DType::I32, {p.scores.batch, 4});
}

ChosenBoxes compass::chooseBoxes(LayerProgram &program, const Choice &choice) {
  const kernels::ScoreMatrix &m = choice.scores;
  kernels::ChooseParams p;
  p.scores = m, p.threshold = choice.threshold, p.capacity = choice.capacity;
  uint32_t blocks = kernels::boxBlocks(m.boxes);
  auto count = [&](const char *name, const BufferBinding &cut) {
    KernelCall &call = program.call<kernels::ChooseCounts>(p);
    call["scores"] = choice.from, call["cut"] = cut;
    return call["counts"] =
               scratch(program, name, DType::I32, {m.batch, blocks, m.classes});
  };
  BufferBinding cut, counts = count("counts", cut);
  bool mayOverflow = uint64_t(m.boxes) * m.classes > choice.capacity;
  if (mayOverflow && choice.overflow != Overflow::First) {
    cut = cutScores(program, choice, p, counts);
    counts = count("counts_cut", cut);
  }

  kernels::ChooseStartsParams s;
  s.batch = m.batch, s.blocks = blocks, s.classes = m.classes;
  s.capacity = choice.capacity;
  // Numbers that nobody wants go to intermediates.
  auto list = [&](const std::optional<TypedBinding> &wanted, const char *name,
                  int64_t length) -> TypedBinding {
    if (wanted)
      return *wanted;
    TensorInfo info;
    info.setType(DType::I32);
    info.shape = {int64_t(m.batch), length};
    return {program.intermediate(name, info), info};
  };
  TypedBinding perClass = list(choice.perClass, "per_class", m.classes),
               labels = list(choice.labels, "labels", m.classes),
               classCount = list(choice.classCount, "class_count", 1);
  auto slotsOf = [&](const TypedBinding &b) {
    return uint32_t(b.info.numElements() / m.batch);
  };
  s.perClassSlots = slotsOf(perClass), s.labelSlots = slotsOf(labels);
  s.perClassType = perClass.info.dtype, s.labelType = labels.info.dtype;
  s.classCountType = classCount.info.dtype;
  BufferBinding starts = scratch(program, "starts", DType::I32,
                                 {m.batch, int64_t(blocks) * m.classes + 1});
  KernelCall &call = program.call<kernels::ChooseStarts>(s);
  call["counts"] = counts, call["starts"] = starts;
  call["perClass"] = perClass.buffer, call["labels"] = labels.buffer;
  call["classCount"] = classCount.buffer;

  ChosenBoxes chosen;
  chosen.rows = {m.batch, choice.capacity, m.boxes, m.classes};
  chosen.places =
      scratch(program, "places", DType::I32, {m.batch, choice.capacity});
  KernelCall &places = program.call<kernels::ChoosePlaces>(p);
  places["scores"] = choice.from, places["cut"] = cut;
  places["starts"] = starts, places["places"] = chosen.places;
  return chosen;
}

void compass::takeChosen(mlir::Operation *op, LayerProgram &program,
                         const ChosenBoxes &chosen, const Choice &choice,
                         unsigned index, int32_t zp) {
  TensorInfo out = describe(op->getResult(index));
  const kernels::ScoreMatrix &scores = choice.scores;
  kernels::TakeParams p;
  p.rows = chosen.rows;
  p.boxStride = scores.boxStride, p.first = scores.first;
  p.classStride = scores.classStride;
  p.type = scores.type, p.outType = out.dtype;
  p.zp = zp;
  setLimits(out, p.lo, p.hi);
  KernelCall &call = program.call<kernels::Take>(p);
  call["input"] = choice.from, call["places"] = chosen.places;
  call["output"] = result(index);
}

void compass::setLimits(const TensorInfo &info, int32_t &lo, int32_t &hi) {
  if (info.isFloat())
    return;
  auto [least, most] = dtypeRange(info.storedType());
  if (info.isQuantized())
    least = info.lo, most = info.hi;
  lo = int32_t(std::max<int64_t>(least, INT32_MIN));
  hi = int32_t(std::min<int64_t>(most, INT32_MAX));
}
