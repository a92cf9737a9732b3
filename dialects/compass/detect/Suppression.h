//===- Suppression.h - Steps of non-maximum suppression ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For programs of layers that suppress boxes (kernels/detection/Nms.h).
//
//   BufferBinding entries = rankCandidates(program, boxes, threshold);
//   SuppressedBoxes kept = bindSuppression(program, boxes, entries, call);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_DETECT_SUPPRESSION_H
#define YARROW_DIALECTS_COMPASS_DETECT_SUPPRESSION_H

#include "dialects/compass/LayerProgram.h"
#include "kernels/detection/Nms.h"

namespace yarrow::compass {

/// An intermediate of a shape and a type.
BufferBinding scratch(LayerProgram &program, std::string name, DType type,
                      llvm::ArrayRef<int64_t> shape);

/// A constant of \p count times the same number.
BufferBinding repeated(int32_t value, int64_t count);

/// The key of kernels/OrderKeys.h of a threshold in floats, or in integers.
int32_t keyOfReal(double threshold);
int32_t keyOfStored(double threshold);

/// Sorts rows of \p count entries (kernels/detection/Rank.h).
BufferBinding sortEntries(LayerProgram &program, BufferBinding entries,
                          uint32_t rows, uint32_t count);

/// Boxes that stand class by class, and their scores.
struct CandidateBoxes {
  kernels::ClassList list;
  uint32_t batch = 1;
  DType boxType = DType::F32, scoreType = DType::F32;
  BufferBinding boxes, scores, perClass, classCount;
};

/// The entries of the boxes above a threshold, given as a key, in order.
BufferBinding rankCandidates(LayerProgram &program,
                             const CandidateBoxes &candidates,
                             int32_t threshold);

/// What yk_nms_float or yk_nms_int has kept, for yk_nms_emit.
struct SuppressedBoxes {
  BufferBinding lists, kept, scores;
};

/// Shape of a suppression; the caller adds its limits.
kernels::NmsShape suppressionShape(const CandidateBoxes &candidates);
/// Binds all buffers but the tables of a call that suppresses.
SuppressedBoxes bindSuppression(LayerProgram &program,
                                const CandidateBoxes &candidates,
                                const BufferBinding &entries,
                                const kernels::NmsShape &shape,
                                KernelCall &call);
/// Binds what yk_nms_emit reads.
void bindEmit(const CandidateBoxes &candidates, const SuppressedBoxes &kept,
              KernelCall &call);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_DETECT_SUPPRESSION_H
