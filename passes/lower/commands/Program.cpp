//===- Program.cpp - The steps of a layer, one after the other ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/ElfLayout.h"
#include "passes/lower/commands/Engines.h"
#include "passes/lower/commands/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {
/// The calls of a program from the first to the last that use a value.
struct LiveRange {
  size_t first = 0, last = 0;
};
} // namespace

/// Of each intermediate. A program that decides may read any of them at any
/// time.
static llvm::SmallVector<LiveRange> liveRanges(const LayerProgram &program) {
  size_t last = std::max<size_t>(program.calls().size(), 1) - 1;
  if (!program.isStraight())
    return llvm::SmallVector<LiveRange>(program.intermediates().size(),
                                        {0, last});
  llvm::SmallVector<std::optional<LiveRange>> found(
      program.intermediates().size());
  for (auto [i, call] : llvm::enumerate(program.calls()))
    for (const compass::BufferBinding &b : call.bindings())
      if (b.kind == compass::BufferBinding::Kind::Intermediate) {
        std::optional<LiveRange> &range = found[b.index];
        range = range ? LiveRange{range->first, i} : LiveRange{i, i};
      }
  llvm::SmallVector<LiveRange> ranges;
  for (const std::optional<LiveRange> &range : found)
    ranges.push_back(range.value_or(LiveRange()));
  return ranges;
}

/// Small ones in SRAM, as long as half of what tiles may use stays free.
void Lowering::placeIntermediates(Operation *op, const LayerProgram &program) {
  graph.intermediates.clear();
  graph.intermediateBytes = 0;
  uint64_t budget = options.stageKernels ? freeSramBytes() / 2 : 0;
  llvm::SmallVector<LiveRange> live = liveRanges(program);
  std::vector<uint64_t> bytesAt(std::max<size_t>(program.calls().size(), 1), 0);
  for (auto [value, range] : llvm::zip(program.intermediates(), live)) {
    Tensor &t = graph.intermediates.emplace_back();
    t.info = value.info;
    uint64_t bytes = llvm::alignTo(t.sizeBytes(), isa::kBufferAlignBytes);
    auto at = llvm::make_range(bytesAt.begin() + range.first,
                               bytesAt.begin() + range.last + 1);
    t.inSram =
        llvm::all_of(at, [&](uint64_t used) { return used + bytes <= budget; });
    if (t.inSram)
      for (uint64_t &used : at) {
        used += bytes;
        graph.intermediateBytes = std::max(graph.intermediateBytes, used);
      }
    t.buffer = createBuffer(
        bufferBuilder, loc, t.inSram ? isa::kSramRegion : isa::kWorkspaceRegion,
        t.sizeBytes(), compass::layerNameOf(op).str() + "." + value.name);
  }
}

/// The first engine that can compute the call, or the TECs, which can.
void Lowering::lowerStep(const Step &step) {
  for (const EngineForm &form : engineForms(step.call))
    if (form.lower(*this, step))
      return;
  explainTecs(step);
  lowerKernel(step);
}

void Lowering::explainTecs(const Step &step) {
  if (currentLayer() < 0 || isTrial())
    return;
  std::string why = whyOnTecs(step.call);
  std::string &stated = layers[size_t(currentLayer())].onTecs;
  if (stated.find(why) == std::string::npos)
    stated += (stated.empty() ? "" : "; ") + why;
}

void Lowering::lowerAlone(Operation *op) {
  auto program = compass::programOf(op);
  if (failed(program))
    return;
  placeIntermediates(op, *program);
  findRepeatedConstants(*program);
  lowerItems(op, *program, program->items());
  graph.intermediates.clear();
  graph.intermediateBytes = 0;
  findRepeatedConstants(LayerProgram());
}

void Lowering::lowerItems(Operation *op, const LayerProgram &program,
                          ArrayRef<compass::ProgramItem> items) {
  using Kind = compass::ProgramItem::Kind;
  for (const compass::ProgramItem &item : items) {
    loc = op->getLoc();
    if (item.kind == Kind::Kernel)
      lowerStep({op, program, program.calls()[item.index]});
    else if (item.kind == Kind::Graph)
      lowerSubgraph(op, program.graphs()[item.index]);
    else
      lowerControl(op, program, item);
  }
}

/// The layers of a sub-graph, in the place of the layer that computes it.
void Lowering::lowerSubgraph(Operation *op, const compass::GraphCall &call) {
  auto placesOf = [&](const std::vector<compass::BufferBinding> &bindings) {
    return llvm::map_to_vector(
        bindings, [&](const auto &bound) { return tensorOf(op, bound); });
  };
  SmallVector<Tensor> inputs = placesOf(call.inputs),
                      outputs = placesOf(call.outputs);
  // It is a whole tensor of the sub-graph, of another shape perhaps.
  auto as = [](Tensor place, Value v) {
    place.info = compass::describe(v);
    place.partBytes.reset();
    return place;
  };
  auto input = [&](unsigned i, Value v) { return as(inputs[i], v); };
  auto output = [&](unsigned i, Value v) { return as(outputs[i], v); };
  lowerGraph(cast<func::FuncOp>(call.graph), {input, output});
}

void Lowering::lowerControl(Operation *op, const LayerProgram &program,
                            const compass::ProgramItem &item) {
  Tensor flag = tensorOf(op, item.flag.value);
  const std::vector<compass::ProgramItem> *held[] = {&item.body,
                                                     &item.otherwise};
  if (isTrial()) {
    using Kind = TrialCommand::Kind;
    bool isLoop = item.kind == compass::ProgramItem::Kind::While;
    trial.commands->beginControl(
        currentLayer(), isLoop ? Kind::While : Kind::If,
        {flag.buffer, flag.offsetBytes, item.flag.sizeBytes});
    for (unsigned i = 0, count = isLoop ? 1 : 2; i < count; ++i) {
      lowerItems(op, program, *held[i]);
      trial.commands->endBlock(/*isLast=*/i + 1 == count);
    }
    return;
  }
  auto offset = builder.getI64IntegerAttr(flag.offsetBytes);
  auto size = builder.getI64IntegerAttr(item.flag.sizeBytes);
  bool repeats = item.kind == compass::ProgramItem::Kind::While;
  Operation *control =
      repeats ? WhileOp::create(builder, loc, flag.buffer, offset, size)
                    .getOperation()
              : IfOp::create(builder, loc, flag.buffer, offset, size)
                    .getOperation();
  control->setAttr(kLayerAttr, builder.getI64IntegerAttr(currentLayer()));
  OpBuilder::InsertionGuard guard(builder);
  for (auto [i, region] : llvm::enumerate(control->getRegions())) {
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    lowerItems(op, program, *held[i]);
  }
}
