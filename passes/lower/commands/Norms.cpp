//===- Norms.cpp - Normalizations on the tensor engine --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The engine adds up each group (describe/GroupSums.h), or the TECs do; these
// find mean and gain of it, and what becomes of single values is the engine's
// (describe/Norms.h).
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/Norms.h"
#include "dialects/compass/LayerKeys.h"
#include "isa/ElfLayout.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/GroupSums.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;

/// The \p length indices of the outermost axis from \p begin on, and where the
/// tensors of this part begin.
static Pointwise partOf(const Pointwise &f, uint64_t begin, uint64_t length,
                        Tensor &in, Tensor &other, Tensor &out) {
  Pointwise part = f;
  PointAxis &axis = part.axes.front();
  axis.size = length;
  in.offsetBytes += begin * uint64_t(axis.in) * f.inBytes();
  other.offsetBytes += begin * uint64_t(axis.other) * f.otherBytes();
  out.offsetBytes += begin * uint64_t(axis.out) * f.outBytes();
  return part;
}

bool Lowering::emitNormalised(const Step &step, const NormCommands &norm,
                              const Tensor &in, const Tensor &numbers,
                              const Tensor &out, uint64_t partLength) {
  const PointAxis &axis = norm.product.axes.front();
  Tensor gains = numbers;
  gains.offsetBytes += norm.numberCount * sizeof(int32_t);
  if (!norm.hasDifference)
    return emitPointwise(step, norm.product, in, gains, out, {});
  uint32_t bytes = norm.difference.outBytes();
  std::string name = compass::layerNameOf(step.op).str() + ".difference";
  for (uint64_t begin = 0; begin < axis.size; begin += partLength) {
    uint64_t length = std::min(partLength, axis.size - begin);
    Tensor values;
    values.inSram = true;
    values.buffer = newSram(length * uint64_t(axis.in) * bytes, name);
    // The values of a part lie in a buffer of their own.
    Tensor partIn = in, offsets = numbers, start;
    Pointwise difference =
        partOf(norm.difference, begin, length, partIn, offsets, start);
    Tensor partGains = gains, partOut = out;
    Pointwise product =
        partOf(norm.product, begin, length, start, partGains, partOut);
    if (!emitPointwise(step, difference, partIn, offsets, values, {}) ||
        !emitPointwise(step, product, values, partGains, partOut, {}))
      return false;
  }
  return true;
}

void Lowering::emitGroupSums(const Step &step, const GroupSums &groups,
                             const Tensor &in, const Tensor &sums,
                             const Tensor &squares) {
  // The weights of the functions that follow.
  Value one =
      plainConstants(Pointwise(), /*channels=*/machine.macArray.inputLanes,
                     compass::layerNameOf(step.op).str() + ".ones")
          .loaded;
  for (const GroupProduct &product : groups.products) {
    isa::MatMul d = product.command;
    const Tensor &out = product.isSquares() ? squares : sums;
    d.a += product.isOnesA ? 0 : uint32_t(in.offsetBytes);
    d.b += product.isOnesB ? 0 : uint32_t(in.offsetBytes);
    d.output += uint32_t(out.offsetBytes);
    emitAlone(d, {{"a", product.isOnesA ? one : in.buffer},
                  {"b", product.isOnesB ? one : in.buffer},
                  {"output", out.buffer}});
  }
}

namespace {
/// What a norm keeps in the SRAM, within half of what is free.
struct NormMemory {
  uint64_t numberBytes, normBytes;
  /// Whether the normalised values are there, too, and a copy of the input.
  bool isKept = false, isStaged = false;
  /// Whether the engine finds the sums of groups.
  bool areSummed = false;
  GroupSums groups;
  uint64_t partLength = 0; ///< Rows of the first axis that are done at a time.
  uint64_t needBytes = 0;
};
} // namespace

/// Nullopt if not even a part fits.
static std::optional<NormMemory> planMemory(const NormCommands &norm,
                                            uint64_t inBytes, bool inSram,
                                            uint64_t freeBytes,
                                            const isa::Machine &machine) {
  auto sizeOf = [](uint64_t bytes) {
    return llvm::alignTo(bytes, isa::kBufferAlignBytes);
  };
  NormMemory plan;
  plan.numberBytes = 2 * norm.numberCount * sizeof(int32_t);
  plan.normBytes = norm.elements * norm.product.outBytes();
  uint64_t need = sizeOf(plan.numberBytes) + sizeOf(norm.sumBytes);
  if (need > freeBytes)
    return std::nullopt;
  // Normalised values of a large tensor go through DDR, slice by slice.
  plan.isKept = need + sizeOf(plan.normBytes) <= freeBytes;
  need += plan.isKept ? sizeOf(plan.normBytes) : 0;
  freeBytes -= need;
  // It is read twice.
  plan.isStaged = !inSram && sizeOf(inBytes) <= freeBytes;
  if (plan.isStaged) {
    freeBytes -= sizeOf(inBytes);
    need += sizeOf(inBytes);
  }
  GroupSums &groups = plan.groups;
  plan.areSummed = (inSram || plan.isStaged) &&
                   describeGroupSums(norm.numbers, machine, groups);
  uint64_t groupBytes = sizeOf(groups.sumBytes) + sizeOf(groups.squareBytes) +
                        isa::kBufferAlignBytes;
  plan.areSummed &= groupBytes <= freeBytes / 2;
  if (plan.areSummed) {
    freeBytes -= groupBytes;
    need += groupBytes;
  }
  plan.partLength = norm.product.axes.front().size;
  if (norm.hasDifference) {
    // Two parts at a time.
    uint64_t each =
        uint64_t(norm.product.axes.front().in) * norm.difference.outBytes();
    plan.partLength = std::min(plan.partLength, freeBytes / 2 / each);
    if (plan.partLength == 0)
      return std::nullopt;
    need += 2 * sizeOf(plan.partLength * each);
  }
  plan.needBytes = need;
  return plan;
}

bool Lowering::lowerNorm(const Step &step) {
  NormCommands norm;
  if (!options.fuseResidual || !describeNorm(step.call, machine, norm))
    return false;
  Tensor in = tensorOf(step, "input");
  std::optional<NormMemory> memory =
      planMemory(norm, in.sizeBytes(), in.inSram, freeSramBytes() / 2, machine);
  if (!memory)
    return false;
  const GroupSums &groups = memory->groups;

  // The steps of the layer are calls over intermediates of their own.
  size_t first = graph.intermediates.size();
  graph.intermediateBytes += memory->needBytes;
  std::string name = compass::layerNameOf(step.op).str();
  auto intermediate = [&](Tensor t) {
    graph.intermediates.push_back(t);
    BufferBinding bound;
    bound.kind = BufferBinding::Kind::Intermediate;
    bound.index = unsigned(graph.intermediates.size() - 1);
    return bound;
  };
  auto newTensor = [&](uint64_t bytes, const char *what) {
    Tensor t;
    t.buffer = newSram(bytes, name + what);
    t.inSram = true;
    t.partBytes = bytes;
    return t;
  };
  if (memory->isStaged)
    in = stageIn(in);
  Tensor numbers = newTensor(memory->numberBytes, ".numbers");
  Tensor sums;
  Tensor normalised;
  if (memory->isKept) {
    normalised = newTensor(memory->normBytes, ".normalised");
  } else {
    normalised.buffer = newWorkspace(memory->normBytes, name + ".normalised");
    normalised.partBytes = memory->normBytes;
  }
  LayerProgram program;
  if (memory->areSummed) {
    KernelCall &find = program.call<kernels::GroupGains>(groups.params);
    Tensor found = newTensor(groups.sumBytes, ".sums"),
           squares = newTensor(groups.squareBytes, ".squares");
    emitGroupSums(step, groups, in, found, squares);
    find["sums"] = intermediate(found), find["squares"] = intermediate(squares);
    find["table"] = step.call["table"];
    find["output"] = intermediate(numbers);
    lowerKernel({step.op, program, find});
  } else {
    KernelCall &find = program.call<kernels::NormGains>(norm.numbers);
    find["input"] = intermediate(in);
    if (norm.sumBytes != 0) {
      sums = newTensor(norm.sumBytes, ".sums");
      KernelCall &add = program.call<kernels::NormSums>(norm.numbers);
      add["input"] = find["input"];
      find["sums"] = add["output"] = intermediate(sums);
      lowerKernel({step.op, program, add});
    }
    find["table"] = step.call["table"];
    find["output"] = intermediate(numbers);
    lowerKernel({step.op, program, find});
  }
  (*norm.affine)["input"] = intermediate(normalised);
  (*norm.affine)["output"] = step.call["output"];
  bool isDone =
      emitNormalised(step, norm, in, numbers, normalised, memory->partLength) &&
      lowerConv({step.op, LayerProgram(), *norm.affine});
  graph.intermediates.resize(first);
  graph.intermediateBytes -= memory->needBytes;
  return isDone;
}
