//===- Pieces.cpp - What threads take of a command ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Pieces.h"

#include "simulator/engine/ConvOperands.h"
#include "support/ThreadPool.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Multiplications that a fast host does in about 60 us, several times what it
/// takes to wake a thread, and how many of them one result of the output stage
/// takes as long as.
static constexpr double kPieceProducts = 1 << 26;
static constexpr double kProductsPerResult = 512;

/// Pieces for a thread, so that all end at about the same time.
static constexpr uint64_t kPiecesPerThread = 2;

static bool readsOtherResults(const Conv &conv) {
  if (!conv.hasResidual || conv.accumulateOut)
    return false;
  if (conv.residual == conv.output && !conv.residualPerPixel &&
      conv.residualRowStride == conv.outRowStride &&
      conv.residualPixelStride == conv.outPixelStride &&
      elementBytes(conv.residualType) == elementBytes(writtenType(conv)))
    return false;
  Extent residual, output;
  conv.forEachAccess([&](const FieldAccess &a) {
    Extent bytes{a.offset + a.extent.begin, a.offset + a.extent.end};
    if (Conv::kAddressFields[a.field].name == "residual")
      residual = bytes;
    else if (Conv::kAddressFields[a.field].name == "output")
      output = bytes;
  });
  return residual.begin < output.end && output.begin < residual.end;
}

uint64_t sim::piecesOf(const Conv &conv) {
  uint64_t threads = defaultThreadCount();
  if (threads < 2)
    return 1;
  double results = double(conv.outHeight) * conv.outWidth * conv.outChannels;
  double work = results * (double(filterSize(conv)) + kProductsPerResult);
  if (work < 2 * kPieceProducts || readsOtherResults(conv))
    return 1;
  return std::min(uint64_t(work / kPieceProducts), threads * kPiecesPerThread);
}
