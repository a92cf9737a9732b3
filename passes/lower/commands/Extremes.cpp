//===- Extremes.cpp - Greatest and least values on the tensor engine ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The greatest of many values is that of two halves, each of them reduced in
// the same way: the output stage compares two tensors at the array's full
// width, where the TECs go from term to term. Halves of an odd number overlap,
// as a value may be compared twice.
//
//===----------------------------------------------------------------------===//
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/reduce/Reduce.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/EngineTypes.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// A command's start, and what it waits for the one before.
static constexpr uint64_t kCommandCycles = 60;
/// What the TECs of a core take for eight values, measured: 0.15 of four TECs
/// for each.
static constexpr uint64_t kTecCyclesOfEight = 5;

/// Whether halving takes fewer cycles than the TECs do.
static bool pays(const SumAxes &axes, const isa::Machine &machine) {
  uint64_t cycles = 0;
  for (uint64_t terms = axes.terms; terms > 1;) {
    terms = llvm::divideCeil(terms, 2);
    cycles +=
        kCommandCycles +
        llvm::divideCeil(axes.outer, machine.macArray.pixels) *
            llvm::divideCeil(terms * axes.inner, machine.macArray.inputLanes);
  }
  uint64_t values = axes.outer * axes.terms * axes.inner;
  return cycles < values * kTecCyclesOfEight / 8 / machine.tecs;
}

bool Lowering::lowerExtreme(const Step &step, const SumAxes &axes) {
  auto p = step.call.paramsOf<kernels::ReduceInt>();
  bool isLeast = p.op == kernels::ReduceOp::Min;
  Tensor in = tensorOf(step, "input");
  uint64_t element = kernels::dtypeBytes(p.inType);
  uint64_t rowBytes = axes.inner * element;
  uint64_t betweenBytes = axes.outer * axes.terms * rowBytes;
  if (!(isLeast || p.op == kernels::ReduceOp::Max) || !options.fuseResidual ||
      !isEngineType(p.inType) || p.requant.outType != p.inType || !in.inSram ||
      axes.terms < 2 || betweenBytes > freeSramBytes() / 2 ||
      betweenBytes > UINT32_MAX || !pays(axes, machine))
    return false;

  kernels::EltwiseIntParams half;
  half.shape.rank = 2;
  half.shape.strideA[1] = half.shape.strideB[1] = 1;
  half.op = isLeast ? kernels::BinaryOp::Min : kernels::BinaryOp::Max;
  half.typeA = half.typeB = p.inType;
  half.requant.outType = p.inType;
  auto [lo, hi] = compass::dtypeRange(p.inType);
  half.requant.lo = int32_t(lo), half.requant.hi = int32_t(hi);

  size_t before = graph.intermediates.size();
  uint64_t bytesBefore = graph.intermediateBytes;
  std::string name = compass::layerNameOf(step.op).str() + ".halves";
  compass::BufferBinding from = step.call["input"];
  uint64_t begin = from.part ? from.part->offsetBytes : 0;
  for (uint64_t terms = axes.terms; terms > 1;) {
    uint64_t rest = llvm::divideCeil(terms, 2);
    half.shape.dims[0] = uint32_t(axes.outer);
    half.shape.dims[1] = uint32_t(rest * axes.inner);
    half.shape.strideA[0] = half.shape.strideB[0] = int32_t(terms * axes.inner);
    LayerProgram program;
    KernelCall &call = program.call<kernels::EltwiseInt>(half);
    uint64_t skipped = (terms - rest) * rowBytes;
    uint64_t seen = axes.outer * terms * rowBytes - skipped;
    call["a"] = from.at(begin, seen);
    call["b"] = from.at(begin + skipped, seen);
    if (rest == 1) {
      call["output"] = step.call["output"];
    } else {
      Tensor values;
      values.inSram = true;
      values.partBytes = axes.outer * rest * rowBytes;
      values.buffer = newSram(*values.partBytes, name);
      graph.intermediates.push_back(values);
      graph.intermediateBytes += *values.partBytes;
      from = {};
      from.kind = compass::BufferBinding::Kind::Intermediate;
      from.index = unsigned(graph.intermediates.size() - 1);
      call["output"] = from;
      begin = 0;
    }
    lowerStep({step.op, program, call});
    terms = rest;
  }
  graph.intermediates.resize(before);
  graph.intermediateBytes = bytesBefore;
  return true;
}
