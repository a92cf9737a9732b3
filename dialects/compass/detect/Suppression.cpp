//===- Suppression.cpp - Steps of non-maximum suppression -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/detect/Suppression.h"
#include "kernels/detection/Rank.h"

using namespace yarrow;
using namespace yarrow::compass;

BufferBinding compass::scratch(LayerProgram &program, std::string name,
                               DType type, llvm::ArrayRef<int64_t> shape) {
  TensorInfo info;
  info.setType(type);
  info.shape.assign(shape.begin(), shape.end());
  return program.intermediate(std::move(name), info);
}

BufferBinding compass::repeated(int32_t value, int64_t count) {
  std::vector<int32_t> values(size_t(count), value);
  std::vector<char> bytes(sizeof value * values.size());
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant({count}, DType::I32, std::move(bytes));
}

int32_t compass::keyOfReal(double threshold) {
  auto value = float(threshold);
  return kernels::keyAt(DType::F32, &value, 0, /*least=*/false);
}

int32_t compass::keyOfStored(double threshold) {
  if (!(threshold > INT32_MIN))
    return INT32_MIN;
  return threshold < INT32_MAX ? int32_t(threshold) : INT32_MAX;
}

BufferBinding compass::sortEntries(LayerProgram &program, BufferBinding entries,
                                   uint32_t rows, uint32_t count) {
  kernels::RankParams p;
  p.rows = rows, p.count = count, p.run = kernels::kRankRun;
  auto step = [&](KernelCall &call, const std::string &name) {
    call["input"] = entries;
    entries = scratch(program, name, DType::I32, {rows, count, 3});
    call["output"] = entries;
  };
  step(program.call<kernels::RankRuns>(p), "runs");
  for (; p.run < count; p.run *= 2)
    step(program.call<kernels::RankMerge>(p),
         "runs_of_" + std::to_string(2 * p.run));
  return entries;
}

BufferBinding compass::rankCandidates(LayerProgram &program,
                                      const CandidateBoxes &candidates,
                                      int32_t threshold) {
  kernels::NmsCandidatesParams p;
  p.list = candidates.list;
  p.batch = candidates.batch;
  p.scoreType = candidates.scoreType;
  p.threshold = threshold;
  BufferBinding entries =
      scratch(program, "entries", DType::I32, {p.batch, p.list.boxes, 3});
  KernelCall &call = program.call<kernels::NmsCandidates>(p);
  call["scores"] = candidates.scores;
  call["perClass"] = candidates.perClass;
  call["classCount"] = candidates.classCount;
  call["entries"] = entries;
  return sortEntries(program, entries, p.batch, p.list.boxes);
}

kernels::NmsShape compass::suppressionShape(const CandidateBoxes &candidates) {
  kernels::NmsShape shape;
  shape.list = candidates.list;
  shape.batch = candidates.batch;
  shape.boxType = candidates.boxType;
  shape.scoreType = candidates.scoreType;
  return shape;
}

SuppressedBoxes compass::bindSuppression(LayerProgram &program,
                                         const CandidateBoxes &candidates,
                                         const BufferBinding &entries,
                                         const kernels::NmsShape &shape,
                                         KernelCall &call) {
  int64_t batch = shape.batch, boxes = shape.list.boxes;
  DType number = kernels::isFloatType(shape.boxType) ? DType::F32 : DType::I32;
  SuppressedBoxes kept;
  kept.lists =
      scratch(program, "lists", DType::I32, {batch, shape.list.classes, 3});
  kept.kept = scratch(program, "kept", DType::I32, {batch, boxes});
  kept.scores = scratch(program, "kept_scores", number, {batch, boxes});
  bool isHard = shape.method == kernels::NmsMethod::Hard;
  call["entries"] = entries;
  call["boxes"] = candidates.boxes, call["scores"] = candidates.scores;
  call["perClass"] = candidates.perClass;
  call["classCount"] = candidates.classCount;
  call["lists"] = kept.lists, call["kept"] = kept.kept;
  call["keptScores"] = kept.scores;
  call["corners"] = scratch(program, "corners", number, {batch, 5, boxes});
  call["heap"] =
      scratch(program, "heap", DType::I32, {isHard ? 1 : batch * boxes, 3});
  return kept;
}

void compass::bindEmit(const CandidateBoxes &candidates,
                       const SuppressedBoxes &kept, KernelCall &call) {
  call["boxes"] = candidates.boxes;
  call["lists"] = kept.lists, call["kept"] = kept.kept;
  call["keptScores"] = kept.scores;
}
