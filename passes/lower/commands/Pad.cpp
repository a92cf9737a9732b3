//===- Pad.cpp - Borders by the DMA engine --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A constant border is a fill of everything and one copy into the middle. One
// that repeats the tensor is a copy for each of its pieces, straight from the
// input: forwards, of one column or row again and again, or backwards, of a
// mirrored border.
//
//===----------------------------------------------------------------------===//
#include "isa/ElfLayout.h"
#include "kernels/movement/DataMovement.h"
#include "passes/lower/commands/CopyAxes.h"
#include "passes/lower/commands/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {
/// Positions of an axis of the result that lie in the input one behind the
/// other, one before the other (step -1), or are all the same one (step 0).
struct Piece {
  uint64_t to, from, size;
  int64_t step;

  int64_t last() const { return int64_t(from) + int64_t(size - 1) * step; }
};
} // namespace

/// The pieces of one axis; empty if some position has no source.
static SmallVector<Piece> piecesOf(kernels::PadMode mode, int64_t before,
                                   int64_t in, int64_t out) {
  SmallVector<Piece> pieces;
  for (int64_t i = 0; i < out; ++i) {
    int64_t from = kernels::padSource(mode, i - before, in);
    if (from < 0)
      return {};
    int64_t step = pieces.empty() ? 2 : from - pieces.back().last();
    if (std::abs(step) <= 1 &&
        (pieces.back().size == 1 || step == pieces.back().step)) {
      pieces.back().step = step;
      ++pieces.back().size;
    } else {
      pieces.push_back({uint64_t(i), uint64_t(from), 1, 1});
    }
  }
  return pieces;
}

bool Lowering::lowerRepeatedBorder(const Step &step) {
  auto p = step.call.paramsOf<kernels::Pad>();
  Tensor in = tensorOf(step, "input"), home = tensorOf(step, "output");
  // Short pieces waste most of each burst of DDR.
  uint64_t need = (in.inSram ? 0 : in.sizeBytes() + isa::kBufferAlignBytes) +
                  (home.inSram ? 0 : home.sizeBytes() + isa::kBufferAlignBytes);
  if (need > (options.stageKernels ? freeSramBytes() : 0))
    return false;
  // As many as take less time than the TECs' row by row.
  constexpr std::size_t kMostCopies = 128;
  SmallVector<SmallVector<Piece>> axes;
  std::size_t count = 1;
  for (uint32_t d = 0; d < p.rank; ++d) {
    axes.push_back(piecesOf(p.mode, p.padBefore[d], p.inDims[d], p.outDims[d]));
    count *= axes.back().size();
    if (count == 0 || count > kMostCopies)
      return false;
  }
  in = stageIn(in);
  Tensor out = stageOut(home);
  isa::Unit queue = queueFor(in, out);
  for (std::size_t index = 0; index < count; ++index) {
    SmallVector<DmaAxis> copied;
    int64_t srcStride = 1, dstStride = 1, src = 0, dst = 0;
    std::size_t rest = index;
    for (auto d = int(p.rank) - 1; d >= 0; --d) {
      const Piece &piece = axes[d][rest % axes[d].size()];
      rest /= axes[d].size();
      copied.insert(copied.begin(),
                    {piece.size, piece.step * srcStride, dstStride});
      src += int64_t(piece.from) * srcStride;
      dst += int64_t(piece.to) * dstStride;
      srcStride *= p.inDims[d];
      dstStride *= p.outDims[d];
    }
    Tensor from = in, to = out;
    from.offsetBytes += uint64_t(src) * p.elemBytes;
    to.offsetBytes += uint64_t(dst) * p.elemBytes;
    if (moveInSram(step, copied, p.elemBytes, from, to))
      continue;
    CopyCommands commands(copied, p.elemBytes);
    for (uint64_t i = 0; i < commands.count(); ++i)
      emitCopy(commands.command(i, int64_t(from.offsetBytes),
                                int64_t(to.offsetBytes)),
               in.buffer, out.buffer, queue);
  }
  finishOut(out, home);
  return true;
}

bool Lowering::lowerPad(const Step &step) {
  auto p = step.call.paramsOf<kernels::Pad>();
  if (p.mode != kernels::PadMode::Constant)
    return lowerRepeatedBorder(step);
  if (p.elemBytes > 4)
    return false;
  Tensor in = tensorOf(step, "input"), out = tensorOf(step, "output");
  SmallVector<DmaAxis> axes;
  int64_t srcStride = 1, dstStride = 1, dstOffset = 0;
  for (int i = int(p.rank) - 1; i >= 0; --i) {
    if (p.padBefore[i] < 0 ||
        p.padBefore[i] + int64_t(p.inDims[i]) > int64_t(p.outDims[i]))
      return false; // crops
    axes.insert(axes.begin(), {p.inDims[i], srcStride, dstStride});
    dstOffset += p.padBefore[i] * dstStride;
    srcStride *= p.inDims[i];
    dstStride *= p.outDims[i];
  }
  CopyCommands commands(axes, p.elemBytes);
  if (commands.count() > 1)
    return false;
  if (padInSram(step, axes, p.elemBytes, int32_t(p.fill[0]), in, out,
                dstOffset))
    return true;
  isa::Copy fill =
      fillOf(out.sizeBytes() / p.elemBytes, p.elemBytes, p.fill[0]);
  fill.dst = out.offsetBytes;
  isa::Unit queue = queueFor(in, out);
  emitCopy(fill, {}, out.buffer, queue);
  emitCopy(commands.command(0, in.offsetBytes,
                            out.offsetBytes + dstOffset * p.elemBytes),
           in.buffer, out.buffer, queue);
  return true;
}
