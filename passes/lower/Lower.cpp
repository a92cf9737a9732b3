//===- Lower.cpp - From layers to engine commands -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/Lower.h"
#include "dialects/compass/Graphs.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "isa/ElfLayout.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lower/Engines.h"
#include "passes/lower/Lowering.h"
#include "llvm/Support/xxhash.h"
#include <utility>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

Lowering::Lowering(ModuleOp module, const isa::Machine &machine,
                   const LowerOptions &options, yarrow::DiagnosticEngine &diags)
    : module(module), machine(machine), options(options), diags(diags),
      builder(module.getContext()), bufferBuilder(module.getContext()),
      loc(builder.getUnknownLoc()) {}

bool npu::isAlias(Operation *op) {
  return llvm::isa<compass::ReshapeOp>(op) &&
         compass::describe(op->getOperand(0)).dtype ==
             compass::describe(op->getResult(0)).dtype;
}

/// Elementwise layers write over an operand that nobody else reads: a kernel
/// loads a chunk before it stores the same chunk, and each TEC has its own.
static bool isInPlace(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      !op->hasTrait<compass::trait::InPlace>())
    return false;
  Value in = op->getOperand(0), out = op->getResult(0);
  bool isReturned = llvm::any_of(out.getUsers(), [](Operation *user) {
    return llvm::isa<func::ReturnOp>(user);
  });
  Operation *producer = in.getDefiningOp();
  return in.hasOneUse() && !isReturned &&
         !producer->hasTrait<compass::trait::Source>() && !isAlias(producer) &&
         compass::describe(in).sizeBytes() ==
             compass::describe(out).sizeBytes();
}

uint64_t Lowering::liveSramBytes() const {
  const std::vector<uint64_t> &live = graph.residency.liveBytes;
  return (live.empty() ? 0 : live[graph.current]) + graph.intermediateBytes +
         graph.callerBytes;
}

uint64_t Lowering::freeSramBytes() const {
  // An eighth stays free for gaps between buffers that cannot be filled.
  uint64_t usable = machine.dataSramBytes() - machine.dataSramBytes() / 8;
  uint64_t live = liveSramBytes();
  return usable > live ? uint64_t((usable - live) * options.tileFraction) : 0;
}

Value Lowering::newSram(uint64_t sizeBytes, StringRef name) {
  return createBuffer(bufferBuilder, loc, isa::kSramRegion,
                      std::max<uint64_t>(sizeBytes, 1), name);
}
Value Lowering::newConstant(ElementsAttr data, StringRef name) {
  uint64_t size = compass::viewConstant(data)->bytes.size();
  return createBuffer(bufferBuilder, loc, isa::kWeightRegion, size, name, data);
}
static ArrayRef<char> dataOf(Value buffer) {
  return compass::viewConstant(*buffer.getDefiningOp<BufferOp>().getData())
      ->bytes;
}

Value Lowering::newConstant(std::vector<char> bytes, StringRef name) {
  uint64_t hash = llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()));
  for (auto [it, end] = layerConstants.equal_range(hash); it != end; ++it)
    if (dataOf(it->second) == ArrayRef<char>(bytes))
      return it->second;
  int64_t size = bytes.size();
  Value buffer =
      newConstant(compass::makeConstant(builder.getContext(), name, {size},
                                        kernels::DType::I8, std::move(bytes)),
                  name);
  layerConstants.emplace(hash, buffer);
  return buffer;
}

Value Lowering::newConstant(const compass::BufferBinding &bound,
                            StringRef name) {
  if (!bound.attr)
    return newConstant(std::vector<char>(bound.view.bytes), name);
  Value &buffer = layerAttributes[bound.attr];
  if (!buffer)
    buffer = newConstant(bound.attr, name);
  return buffer;
}

Tensor Lowering::tensorOf(Operation *op, const compass::BufferBinding &bound) {
  Tensor t;
  switch (bound.kind) {
  case compass::BufferBinding::Kind::Operand:
    t = tensorOf(op->getOperand(bound.index));
    break;
  case compass::BufferBinding::Kind::Result:
    t = tensorOf(op->getResult(bound.index));
    break;
  case compass::BufferBinding::Kind::Intermediate:
    t = graph.intermediates[bound.index];
    break;
  case compass::BufferBinding::Kind::Constant:
    t.info.dtype = bound.view.dtype;
    t.info.shape = bound.view.shape;
    t.buffer = newConstant(bound, compass::layerNameOf(op).str() + ".constant");
    break;
  case compass::BufferBinding::Kind::None:
    llvm_unreachable("an optional buffer is asked for first");
  }
  if (bound.part) {
    t.offsetBytes += bound.part->offsetBytes;
    t.partBytes = bound.part->sizeBytes;
  }
  return t;
}

void Lowering::emit(const isa::AnyDescriptor &descriptor,
                    ArrayRef<FieldBuffer> buffers) {
  createCommand(builder, loc, currentLayer(), descriptor, buffers);
}

static bool isSramBuffer(Value v) {
  return v.getDefiningOp<BufferOp>().getRegion() == isa::kSramRegion;
}

void Lowering::emitCopy(isa::Copy copy, Value src, Value dst,
                        isa::Queue queue) {
  SmallVector<FieldBuffer> buffers = {{"dst", dst}};
  if (src)
    buffers.push_back({"src", src});
  Operation *op = createCommand(builder, loc, currentLayer(), copy, buffers);
  if (queue != isa::Queue::DmaLoad)
    cast<CopyOp>(op).setQueue(int64_t(queue));
}

void Lowering::copyBytes(Value src, uint64_t srcOffset, Value dst,
                         uint64_t dstOffset, uint64_t sizeBytes) {
  isa::Copy copy;
  copy.elementBytes = 1;
  copy.src = srcOffset, copy.dst = dstOffset;
  copy.size0 = sizeBytes, copy.size1 = copy.size2 = copy.size3 = copy.size4 = 1;
  copy.srcStride0 = copy.dstStride0 = 1;
  bool isLoad = !isSramBuffer(src) && isSramBuffer(dst);
  emitCopy(copy, src, dst, isLoad ? isa::Queue::DmaLoad : isa::Queue::DmaStore);
}

Tensor Lowering::stageIn(const Tensor &tensor) {
  if (tensor.inSram)
    return tensor;
  Tensor staged = tensor;
  staged.buffer = newSram(tensor.sizeBytes(), "staged");
  staged.offsetBytes = 0;
  staged.inSram = true;
  copyBytes(tensor.buffer, tensor.offsetBytes, staged.buffer, 0,
            tensor.sizeBytes());
  return staged;
}

Tensor Lowering::stageOut(const Tensor &tensor) {
  if (tensor.inSram)
    return tensor;
  Tensor staged = tensor;
  staged.buffer = newSram(tensor.sizeBytes(), "staged");
  staged.offsetBytes = 0;
  staged.inSram = true;
  return staged;
}

void Lowering::finishOut(const Tensor &staged, const Tensor &home) {
  if (staged.buffer != home.buffer)
    copyBytes(staged.buffer, 0, home.buffer, home.offsetBytes,
              home.sizeBytes());
}

/// Gives every value its storage: inputs and outputs their places, constants
/// the weight region, the rest SRAM or the workspace.
void Lowering::placeTensors(func::FuncOp func, const GraphPlaces &places) {
  for (auto [i, v] : llvm::enumerate(compass::graphOutputs(func)))
    if (!v.getDefiningOp()->hasTrait<compass::trait::Source>() &&
        !isAlias(v.getDefiningOp()))
      graph.outputOf.try_emplace(v, i);
  uint64_t budget =
      uint64_t(machine.dataSramBytes() * options.residentFraction);
  budget -= std::min(budget, graph.callerBytes);
  auto storageOf = [&](Value v) {
    while (v.getDefiningOp() && sharesOperand(v.getDefiningOp()))
      v = v.getDefiningOp()->getOperand(0);
    return v;
  };
  graph.residency =
      chooseResidents(graph.order, budget, storageOf, [&](Value v) {
        Operation *op = v.getDefiningOp();
        return !op->hasTrait<compass::trait::Source>() &&
               !graph.outputOf.contains(v) && !graph.fusedConvs.contains(op);
      });
  for (Operation *op : graph.order) {
    for (Value v : op->getResults()) {
      Tensor t;
      t.info = compass::describe(v);
      std::string name = compass::tensorNameOf(v);
      loc = op->getLoc();
      if (auto input = dyn_cast<compass::InputOp>(op)) {
        t = places.input(input.getInputIndex(), v);
      } else if (auto constant = dyn_cast<compass::ConstantOp>(op)) {
        t.buffer = newConstant(*constant.getWeights(), name);
      } else if (sharesOperand(op)) {
        Tensor base = tensors.find(op->getOperand(0))->second;
        base.info = t.info;
        t = base;
      } else if (auto it = graph.outputOf.find(v); it != graph.outputOf.end()) {
        t = places.output(it->second, v);
      } else if (!graph.fusedConvs.contains(op)) {
        t.inSram = graph.residency.resident.contains(v);
        t.buffer =
            createBuffer(bufferBuilder, loc,
                         t.inSram ? isa::kSramRegion : isa::kWorkspaceRegion,
                         t.sizeBytes(), name);
      }
      tensors[v] = t;
    }
  }
}

/// Finds Eltwise ADD (or Add) layers whose operand is a convolution that nobody
/// else reads, and whose arithmetic the tensor engine's epilogue has.
void Lowering::collectResiduals() {
  if (!options.fuseResidual)
    return;
  for (Operation *op : graph.order) {
    if (!llvm::isa<compass::BinaryFunction>(op) || op->getNumOperands() != 2)
      continue;
    auto program = compass::programOf(op);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::EltwiseInt>())
      continue;
    auto p = call->paramsOf<kernels::EltwiseInt>();
    Type a = op->getOperand(0).getType(), b = op->getOperand(1).getType();
    bool sameShape =
        cast<ShapedType>(a).getShape() == cast<ShapedType>(b).getShape() &&
        cast<ShapedType>(a).getShape() ==
            cast<ShapedType>(op->getResult(0).getType()).getShape();
    bool plain = p.op == kernels::BinaryOp::Add &&
                 (p.requant.act == kernels::Act::None ||
                  p.requant.act == kernels::Act::Relu ||
                  p.requant.act == kernels::Act::Relu6) &&
                 p.scaleA >= 0 && p.scaleB >= 0;
    if (!sameShape || !plain)
      continue;
    FusedLayer best;
    for (unsigned i = 0; i < 2; ++i) {
      Operation *conv = op->getOperand(i).getDefiningOp();
      if (!conv->hasTrait<compass::trait::Linear>() ||
          !conv->hasTrait<compass::trait::Windowed>() || !conv->hasOneUse() ||
          graph.fusedConvs.contains(conv) ||
          !compass::describe(conv->getResult(0)).isQuantized() ||
          !compass::describe(conv->getOperand(0)).isInteger())
        continue;
      // The later one: its partner has been computed by then.
      if (!best.conv || graph.position[conv] > graph.position[best.conv])
        best = {conv, i};
    }
    if (best.conv) {
      graph.fusedLayers[op] = best;
      graph.fusedConvs.insert(best.conv);
    }
  }
}

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
  lowerKernel(step);
}

void Lowering::lowerAlone(Operation *op) {
  auto program = compass::programOf(op);
  if (failed(program))
    return;
  placeIntermediates(op, *program);
  lowerItems(op, *program, program->items());
  graph.intermediates.clear();
  graph.intermediateBytes = 0;
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
  const std::vector<compass::ProgramItem> *held[] = {&item.body,
                                                     &item.otherwise};
  for (auto [i, region] : llvm::enumerate(control->getRegions())) {
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    lowerItems(op, program, *held[i]);
  }
}

void Lowering::lowerOp(Operation *op) {
  if (op->hasTrait<compass::trait::Source>() || isAlias(op) ||
      graph.fusedConvs.contains(op))
    return;
  loc = op->getLoc();
  auto fused = graph.fusedLayers.find(op);
  Operation *conv =
      fused == graph.fusedLayers.end() ? nullptr : fused->second.conv;
  graph.layer = int64_t(layers.size());
  layers.push_back(describeLayer(op, conv));
  layerConstants.clear();
  layerAttributes.clear();
  graph.current = graph.position[op];
  if (!conv)
    return lowerAlone(op);
  auto program = compass::programOf(conv);
  if (failed(program) ||
      lowerConv({conv, *program, *program->single()}, op, fused->second))
    return;
  // The pair does not fit the engine: the convolution's result needs a home.
  Tensor t;
  t.info = compass::describe(conv->getResult(0));
  t.buffer =
      createBuffer(bufferBuilder, loc, isa::kWorkspaceRegion, t.sizeBytes(),
                   compass::tensorNameOf(conv->getResult(0)));
  tensors[conv->getResult(0)] = t;
  lowerAlone(conv);
  lowerAlone(op);
}

/// Finds look-up tables whose operand is a convolution that nobody else reads.
void Lowering::collectTables() {
  if (!options.fuseResidual)
    return;
  for (Operation *op : graph.order) {
    if (op->getNumOperands() != 1 ||
        !op->hasTrait<compass::trait::Elementwise>())
      continue;
    Operation *conv = op->getOperand(0).getDefiningOp();
    if (!conv->hasTrait<compass::trait::Linear>() || !conv->hasOneUse() ||
        graph.fusedConvs.contains(conv) ||
        !compass::describe(conv->getOperand(0)).isInteger())
      continue;
    auto program = compass::programOf(op);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::Lut>())
      continue;
    graph.fusedLayers[op] = {conv, 0};
    graph.fusedConvs.insert(conv);
  }
}

/// Outputs that are inputs, constants, reshapes or repeated need a copy.
void Lowering::copyOutputs(func::FuncOp func, const GraphPlaces &places) {
  for (auto [i, v] : llvm::enumerate(compass::graphOutputs(func))) {
    if (auto it = graph.outputOf.find(v);
        it != graph.outputOf.end() && it->second == i)
      continue;
    Tensor t = tensorOf(v);
    loc = v.getLoc();
    Tensor home = places.output(i, v);
    copyBytes(t.buffer, t.offsetBytes, home.buffer, home.offsetBytes,
              t.sizeBytes());
  }
}

/// Does the op's result share its operand's storage? Reshapes keep the bytes,
/// elementwise layers replace them.
bool Lowering::sharesOperand(Operation *op) const {
  return isAlias(op) ||
         (isInPlace(op) &&
          !graph.fusedConvs.contains(op->getOperand(0).getDefiningOp()));
}

void Lowering::lowerGraph(func::FuncOp func, const GraphPlaces &places) {
  GraphState inner;
  inner.callerBytes = liveSramBytes();
  inner.layer = graph.layer;
  GraphState caller = std::exchange(graph, std::move(inner));
  for (Operation &op : func.getBody().front().without_terminator()) {
    graph.position[&op] = graph.order.size();
    graph.order.push_back(&op);
  }
  collectResiduals();
  collectTables();
  placeTensors(func, places);
  for (Operation *op : graph.order)
    lowerOp(op);
  copyOutputs(func, places);
  graph = std::move(caller);
}

bool Lowering::run() {
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       DiagId::CompileFailed);
  size_t errorsBefore = diags.numErrors();
  auto func = compass::mainGraph(module);
  builder.setInsertionPointToEnd(module.getBody());
  auto out = func::FuncOp::create(builder, loc, kMainFunction,
                                  builder.getFunctionType({}, {}));
  Block *body = out.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  // Buffers come first; commands follow after this terminator-to-be.
  Operation *ret = func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(ret);
  Operation *mark = func::ReturnOp::create(builder, loc);
  bufferBuilder.setInsertionPoint(mark);
  auto io = [&](unsigned index, Value v) {
    Tensor t;
    t.info = compass::describe(v);
    t.buffer = createBuffer(bufferBuilder, loc, isa::kFirstIoRegion + index,
                            t.sizeBytes(), compass::tensorNameOf(v));
    return t;
  };
  auto numInputs = unsigned(compass::graphInputs(func).size());
  auto output = [&](unsigned i, Value v) { return io(numInputs + i, v); };
  lowerGraph(func, {io, output});
  mark->erase();
  module->setAttr(kLayersAttr, layerTable(layers, builder));
  module->setAttr(kTilingsAttr, builder.getArrayAttr(tilings));
  return diags.numErrors() == errorsBefore;
}

ArrayRef<LowerOptions> npu::lowerAttempts(bool optimize) {
  static constexpr LowerOptions optimized[] = {
      {.residentFraction = 0.75, .tileFraction = 1},
      {.residentFraction = 0.5, .tileFraction = 1},
      {.residentFraction = 0.5, .tileFraction = 0.75},
      {.residentFraction = 0.25, .tileFraction = 0.75},
      {.residentFraction = 0, .tileFraction = 0.75},
      {.residentFraction = 0, .tileFraction = 0.5},
      {.residentFraction = 0, .tileFraction = 0.25}};
  static constexpr LowerOptions plain[] = {{.fuseResidual = false,
                                            .residentFraction = 0,
                                            .tileFraction = 0.75,
                                            .stageKernels = false},
                                           {.fuseResidual = false,
                                            .residentFraction = 0,
                                            .tileFraction = 0.5,
                                            .stageKernels = false},
                                           {.fuseResidual = false,
                                            .residentFraction = 0,
                                            .tileFraction = 0.25,
                                            .stageKernels = false}};
  return optimize ? ArrayRef<LowerOptions>(optimized) : plain;
}

bool npu::lowerToNpu(ModuleOp module, const isa::Machine &machine,
                     const LowerOptions &options,
                     yarrow::DiagnosticEngine &diags) {
  module.getContext()->loadDialect<NpuDialect, func::FuncDialect>();
  if (auto earlier = module.lookupSymbol<func::FuncOp>(kMainFunction))
    earlier.erase();
  if (Lowering(module, machine, options, diags).run())
    return true;
  if (auto partial = module.lookupSymbol<func::FuncOp>(kMainFunction))
    partial.erase();
  return false;
}
