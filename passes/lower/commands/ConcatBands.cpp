//===- ConcatBands.cpp - Branches of a result that stays in DDR -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A result that is too large for the SRAM is joined there in bands of rows:
// each branch is moved or requantized into its place in the band, which is
// stored as a whole while the next one is made.
//
//===----------------------------------------------------------------------===//
#include "isa/CommandRules.h"
#include "isa/Division.h"
#include "isa/ElfLayout.h"
#include "kernels/convert/Convert.h"
#include "passes/lower/commands/CopyAxes.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/Pointwise.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Rows of a tensor that has so many bytes in each.
static Tensor rowsOf(const Tensor &t, uint64_t first, uint64_t count,
                     uint64_t rowBytes) {
  Tensor part = t;
  part.offsetBytes += first * rowBytes;
  part.partBytes = count * rowBytes;
  return part;
}

void Lowering::emitBandOfBranch(const Step &step, const Pointwise &f,
                                bool isMoved, const Tensor &rows,
                                const Tensor &place) {
  if (!isMoved) {
    emitPointwise(step, f, stageIn(rows), Tensor(), place, {});
    return;
  }
  uint32_t bytes = f.outBytes();
  DmaAxis axes[] = {{f.axes[0].size, f.axes[0].in, f.axes[0].out},
                    {f.axes[1].size, f.axes[1].in, f.axes[1].out}};
  if (moveInSram(step, axes, bytes, rows, place))
    return;
  emitCopy(
      CopyCommands(axes, bytes)
          .command(0, int64_t(rows.offsetBytes), int64_t(place.offsetBytes)),
      rows.buffer, place.buffer, queueFor(rows, place));
}

bool Lowering::lowerConcatBands(const Step &step,
                                const kernels::ConcatParams &p,
                                const Tensor &out) {
  struct Branch {
    Tensor in;
    Pointwise f;
    uint64_t rowBytes;
    bool isMoved;
  };
  std::vector<Branch> branches;
  uint32_t elementBytes = kernels::dtypeBytes(p.outType);
  uint64_t outRow = p.outInner * uint64_t(elementBytes), each = outRow;
  for (uint32_t i = 0; i < p.inputCount; ++i) {
    const kernels::ConcatBranch &b = p.branches[i];
    Branch branch{tensorOf(step.op, step.call.bindings()[i]), {}, 0, false};
    branch.isMoved = movesBranch(p, i);
    branch.rowBytes = b.inner * uint64_t(kernels::dtypeBytes(b.inType));
    if (branch.isMoved) {
      branch.f.stage = plainStage(p.outType);
      branch.f.axes = {{p.outer, b.inner, 0, p.outInner}, {b.inner, 1, 0, 1}};
    } else if (!describeBranch(step.call, b, machine, branch.f)) {
      return false;
    }
    for (const PointPart &part :
         partsOf(branch.f.axes, /*hasSlopes=*/false, machine.macArray))
      if (!branch.isMoved && isa::refusalOf(commandOf(branch.f, part)))
        return false;
    if (!branch.isMoved && !branch.in.inSram)
      each += branch.rowBytes;
    branches.push_back(std::move(branch));
  }
  // Two bands at a time, and what single commands load beside them.
  constexpr uint64_t kMostBands = 64;
  uint64_t freeBytes = options.stageKernels ? freeSramBytes() * 3 / 4 : 0;
  uint64_t rows = std::min<uint64_t>(p.outer, freeBytes / 2 / each);
  if (rows == 0 || isa::divideUp(p.outer, rows) > kMostBands)
    return false;
  uint64_t need =
      std::min<uint64_t>(2, isa::divideUp(p.outer, rows)) * rows * each;
  graph.intermediateBytes += need;
  for (uint64_t first = 0; first < p.outer; first += rows) {
    uint64_t count = std::min<uint64_t>(rows, p.outer - first), begin = 0;
    Tensor home = rowsOf(out, first, count, outRow), band = stageOut(home);
    for (Branch &branch : branches) {
      Tensor place = band;
      place.offsetBytes += begin;
      branch.f.axes[0].size = count;
      emitBandOfBranch(step, branch.f, branch.isMoved,
                       rowsOf(branch.in, first, count, branch.rowBytes), place);
      begin += branch.f.axes[1].size * elementBytes;
    }
    finishOut(band, home);
  }
  graph.intermediateBytes -= need;
  return true;
}
