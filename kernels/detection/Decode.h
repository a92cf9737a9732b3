//===- Decode.h - Kernels that move and scale boxes -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Boxes from anchors and predicted deltas (docs/operators/detect.md). Rows of
// the result are chunks of vectors: their deltas and anchors are gathered, then
// every step is a vector operation. Work is split by rows.
//
// Kernels: Decode.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_DECODE_H
#define YARROW_KERNELS_DETECTION_DECODE_H

#include "kernels/Signature.h"
#include "kernels/detection/Gather.h"

namespace yarrow::kernels {

/// Which boxes, and how their numbers are stored. Deltas are [image, box,
/// deltaClasses, 4]; a row's class is counted from firstClass there.
struct DecodeShape {
  BoxRows rows;
  uint32_t deltaClasses = 1, firstClass = 0;
  uint32_t anchorsPerImage = 0; // 1: images have anchors of their own
  // 1: x before y. An anchor is y1, x1, y2, x2, or the tensors of centres and
  // sizes; deltas are y, x, h, w.
  uint32_t deltasXFirst = 0, anchorsXFirst = 0, outXFirst = 0;
  DType deltaType = DType::F32, anchorType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(DecodeShape) == 52);

/// centre + delta * size * factor; size * exp(min(delta * factor, mostLog)), at
/// most mostSize; corners at most `most` and at least 0.
struct DecodeFloatParams {
  DecodeShape shape;
  float factors[4] = {1, 1, 1, 1};      // y, x, h, w
  float mostLog = 0;                    // infinity: no bound
  float mostSize[2] = {}, most[2] = {}; // height, width; infinity: no bound
  float least = 0;                      // of a corner; -infinity: no bound
  float sideExtra = 0;                  // an anchor's side is hi - lo + this
};
static_assert(sizeof(DecodeFloatParams) == 96);

/// Of anchors as corners, with tables of exp. Along an axis with size h, centre
/// c = (lo + hi) >> 1 and p = deltaShift:
///   centre = ((d * ((h * scale) >> p) + half) >> (shift - p)) + c
///   half size = (h * ((table[size delta] * scale) >> 16)) >> (shift - 16)
///   corner = ((centre -+ half size) * scale + half) >> shift, 0 to 32767
/// with scales and shifts of y, x, h, w and the result. Products have at most
/// 33 + 17 bits.
struct DecodeCornersParams {
  DecodeShape shape;
  int32_t anchorZp = 0, deltaZp = 0; // of the deltas of y and x
  int32_t scales[5] = {}, shifts[5] = {};
  int32_t deltaShift = 0;
  uint32_t log2Sizes[2] = {}; // of the tables for h and w
};
static_assert(sizeof(DecodeCornersParams) == 112);

/// How a corner comes from a centre and a size h.
enum class CornerForm : uint32_t {
  FloorHalf, // centre -+ (h >> 1)
  EvenHalf,  // (2 * centre -+ h) / 2, an exact half to even
  TruncHalf, // centre -+ h / 2, towards zero
};

/// Of anchors as centres and sizes, with 4 tables:
///   h = (table[dh] * size) >> shift, limited to 0 .. mostSize
///   centre = ((table[d] * size) >> shift) + anchor's centre
/// and corners from 0 to `most`. Products have at most 32 + 16 bits.
struct DecodeAnchorsParams {
  DecodeShape shape;
  uint32_t log2Sizes[4] = {}; // tables of y, x, h, w
  DType tableType = DType::I16;
  int32_t shift = 0;
  int32_t leastSize = INT32_MIN, mostSize[2] = {INT32_MAX, INT32_MAX};
  int32_t most[2] = {};
  CornerForm corners = CornerForm::FloorHalf;
};
static_assert(sizeof(DecodeAnchorsParams) == 100);

/// Of proposals as corners, with 4 tables. With f(t, k, a) = (clip16((t *
/// scale_k) >> deltaShift_k) * a + half) >> (shift_k - deltaShift_k):
///   h = f(table[dh], 0, size); centre = f(table[d], 1, size) + RNE(c * scale_2
///   / 2^shift_2), c = (lo + hi) >> 1
/// and corners centre -+ (h >> 1) from 0 to `most`.
struct DecodeProposalsParams {
  DecodeShape shape;
  uint32_t log2Sizes[4] = {};
  DType tableType = DType::I16;
  int32_t scales[3] = {}, shifts[3] = {}, deltaShifts[2] = {};
  int32_t most[2] = {};
};
static_assert(sizeof(DecodeProposalsParams) == 112);

#define YARROW_KERNELS "kernels/detection/Decode.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_DECODE_H
