//===- Concat.cpp - Branches side by side ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A branch that has the result's scale is a copy by the DMA engine, one that
// has another is requantized by the tensor engine on its way, into its place in
// the result's rows. The TECs have what neither does.
//
//===----------------------------------------------------------------------===//
#include "kernels/convert/Convert.h"
#include "passes/lower/commands/CopyAxes.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/Pointwise.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;

void Lowering::lowerBranches(const Step &step, const kernels::ConcatParams &p,
                             uint32_t first, uint32_t count, uint64_t begin,
                             const Tensor &out) {
  kernels::ConcatParams part = p;
  std::copy_n(p.branches + first, count, part.branches);
  part.inputCount = count;
  part.rowOffset = uint32_t(begin);
  KernelCall call(step.call.getKernel(), &part);
  for (uint32_t i = first; i < first + count; ++i)
    call.append("inputs", step.call.bindings()[i]);
  call["output"] = step.call["output"];
  explainTecs(step);
  lowerKernel({step.op, step.program, call}, &out);
}

bool Lowering::lowerConcat(const Step &step) {
  if (!options.splitConcat)
    return false;
  auto p = step.call.paramsOf<kernels::Concat>();
  uint32_t elementBytes = kernels::dtypeBytes(p.outType);
  Tensor home = tensorOf(step, "output");
  // Rows of a result in DDR are written in pieces of a branch, and the engine
  // writes to SRAM: rather as a whole, from there. One that several kernels
  // write stays where it is.
  uint32_t writtenInner = 0;
  bool keepsScales = true;
  for (uint32_t i = 0; i < p.inputCount; ++i) {
    writtenInner += p.branches[i].inner;
    keepsScales &= movesBranch(p, i);
  }
  bool isWhole = writtenInner == p.outInner && (p.outer > 1 || !keepsScales);
  Tensor out = isWhole && home.sizeBytes() <= freeSramBytes() / 2
                   ? stageOut(home)
                   : home;
  bool isChanged = false, moves = true;
  llvm::SmallVector<bool, kernels::kMaxConcatInputs> isMoved, isDone;
  for (uint32_t i = 0; i < p.inputCount; ++i) {
    const BufferBinding &bound = step.call.bindings()[i];
    kernels::ConcatBranch &branch = p.branches[i];
    Value value = bound.kind == BufferBinding::Kind::Operand
                      ? step.op->getOperand(bound.index)
                      : Value();
    // What comes with the scale already.
    if (value && graph.requantized.contains(value)) {
      branch.scale = 1, branch.shift = 0;
      branch.inZp = p.zp, branch.inType = p.outType;
      isChanged = true;
    }
    bool isScattered = (!tensorOf(step.op, bound).inSram || !out.inSram) &&
                       p.outer > 1 &&
                       branch.inner * elementBytes < machine.ddrBurstBytes;
    isDone.push_back(value && graph.joined.contains(value));
    isMoved.push_back(movesBranch(p, i) && !isScattered);
    moves &= isMoved.back();
  }
  // A kernel stores all of a result that it has staged.
  if (!moves && !out.inSram) {
    if (writtenInner == p.outInner && lowerConcatBands(step, p, out))
      return true;
    if (isChanged)
      lowerBranches(step, p, 0, p.inputCount, p.rowOffset, out);
    return isChanged;
  }
  uint64_t begin = p.rowOffset;
  for (uint32_t i = 0; i < p.inputCount; ++i) {
    uint32_t inner = p.branches[i].inner;
    Tensor in = tensorOf(step.op, step.call.bindings()[i]), place = out;
    place.offsetBytes += begin * elementBytes;
    Pointwise f;
    if (isDone[i]) {
      // Its maker wrote it here.
    } else if (isMoved[i]) {
      DmaAxis axes[] = {{p.outer, inner, p.outInner}, {inner, 1, 1}};
      if (moveInSram(step, axes, elementBytes, in, place)) {
        begin += inner;
        continue;
      }
      isa::Copy copy =
          CopyCommands(axes, elementBytes)
              .command(0, int64_t(in.offsetBytes), int64_t(place.offsetBytes));
      emitCopy(copy, in.buffer, out.buffer, queueFor(in, out));
    } else if (!describeBranch(step.call, p.branches[i], machine, f) ||
               !emitPointwise(step, f, in, Tensor(), place, {})) {
      lowerBranches(step, p, i, 1, begin, out);
    }
    begin += inner;
  }
  finishOut(out, home);
  return true;
}
