//===- Lower.cpp - From layers to engine commands -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/Lower.h"
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

uint64_t Lowering::freeSramBytes() const {
  uint64_t live =
      residency.liveBytes.empty() ? 0 : residency.liveBytes[current];
  // An eighth stays free for gaps between buffers that cannot be filled.
  uint64_t usable = machine.dataSramBytes() - machine.dataSramBytes() / 8;
  live += intermediateBytes;
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

Tensor Lowering::tensorOf(const Step &step,
                          const compass::BufferBinding &bound) const {
  using Kind = compass::BufferBinding::Kind;
  Tensor t =
      bound.kind == Kind::Operand  ? tensorOf(step.op->getOperand(bound.index))
      : bound.kind == Kind::Result ? tensorOf(step.op->getResult(bound.index))
                                   : intermediates[bound.index];
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

/// Gives every value its storage: inputs and outputs their regions, constants
/// the weight region, the rest SRAM or the workspace.
void Lowering::placeTensors() {
  auto func = module.lookupSymbol<func::FuncOp>("main");
  Operation *terminator = func.getBody().front().getTerminator();
  llvm::DenseMap<Value, unsigned> outputRegion;
  unsigned numInputs = 0;
  for (auto input : func.getOps<compass::InputOp>())
    (void)input, ++numInputs;
  for (auto [i, v] : llvm::enumerate(terminator->getOperands()))
    if (!v.getDefiningOp()->hasTrait<compass::trait::Source>() &&
        !isAlias(v.getDefiningOp()))
      outputRegion.try_emplace(v, isa::kFirstIoRegion + numInputs + i);
  uint64_t budget =
      uint64_t(machine.dataSramBytes() * options.residentFraction);
  auto storageOf = [&](Value v) {
    while (v.getDefiningOp() && sharesOperand(v.getDefiningOp()))
      v = v.getDefiningOp()->getOperand(0);
    return v;
  };
  residency = chooseResidents(order, budget, storageOf, [&](Value v) {
    Operation *op = v.getDefiningOp();
    return !op->hasTrait<compass::trait::Source>() &&
           !outputRegion.contains(v) && !fusedConvs.contains(op);
  });
  for (Operation *op : order) {
    for (Value v : op->getResults()) {
      Tensor t;
      t.info = compass::describe(v);
      std::string name = compass::tensorNameOf(v);
      loc = op->getLoc();
      if (auto input = dyn_cast<compass::InputOp>(op)) {
        t.buffer = createBuffer(bufferBuilder, loc,
                                isa::kFirstIoRegion + input.getInputIndex(),
                                t.sizeBytes(), name);
      } else if (auto constant = dyn_cast<compass::ConstantOp>(op)) {
        t.buffer = newConstant(*constant.getWeights(), name);
      } else if (sharesOperand(op)) {
        Tensor base = tensors.find(op->getOperand(0))->second;
        base.info = t.info;
        t = base;
      } else if (auto it = outputRegion.find(v); it != outputRegion.end()) {
        t.buffer =
            createBuffer(bufferBuilder, loc, it->second, t.sizeBytes(), name);
      } else if (!fusedConvs.contains(op)) {
        t.inSram = residency.resident.contains(v);
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
  for (Operation *op : order) {
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
          fusedConvs.contains(conv) ||
          !compass::describe(conv->getResult(0)).isQuantized() ||
          !compass::describe(conv->getOperand(0)).isInteger())
        continue;
      // The later one: its partner has been computed by then.
      if (!best.conv || position[conv] > position[best.conv])
        best = {conv, i};
    }
    if (best.conv) {
      fusedLayers[op] = best;
      fusedConvs.insert(best.conv);
    }
  }
}

namespace {
/// The calls of a program from the first to the last that use a value.
struct LiveRange {
  size_t first = 0, last = 0;
};
} // namespace

static llvm::SmallVector<LiveRange> liveRanges(const LayerProgram &program) {
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
  intermediates.clear();
  intermediateBytes = 0;
  uint64_t budget = options.stageKernels ? freeSramBytes() / 2 : 0;
  llvm::SmallVector<LiveRange> live = liveRanges(program);
  std::vector<uint64_t> bytesAt(program.calls().size(), 0);
  for (auto [value, range] : llvm::zip(program.intermediates(), live)) {
    Tensor &t = intermediates.emplace_back();
    t.info = value.info;
    uint64_t bytes = llvm::alignTo(t.sizeBytes(), isa::kBufferAlignBytes);
    auto at = llvm::make_range(bytesAt.begin() + range.first,
                               bytesAt.begin() + range.last + 1);
    t.inSram =
        llvm::all_of(at, [&](uint64_t used) { return used + bytes <= budget; });
    if (t.inSram)
      for (uint64_t &used : at) {
        used += bytes;
        intermediateBytes = std::max(intermediateBytes, used);
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
  for (const KernelCall &call : program->calls())
    lowerStep({op, *program, call});
  intermediates.clear();
  intermediateBytes = 0;
}

void Lowering::lowerOp(Operation *op) {
  if (op->hasTrait<compass::trait::Source>() || isAlias(op) ||
      fusedConvs.contains(op))
    return;
  loc = op->getLoc();
  auto fused = fusedLayers.find(op);
  Operation *conv = fused == fusedLayers.end() ? nullptr : fused->second.conv;
  layers.push_back(describeLayer(op, conv));
  layerConstants.clear();
  layerAttributes.clear();
  current = position[op];
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
  for (Operation *op : order) {
    if (op->getNumOperands() != 1 ||
        !op->hasTrait<compass::trait::Elementwise>())
      continue;
    Operation *conv = op->getOperand(0).getDefiningOp();
    if (!conv->hasTrait<compass::trait::Linear>() || !conv->hasOneUse() ||
        fusedConvs.contains(conv) ||
        !compass::describe(conv->getOperand(0)).isInteger())
      continue;
    auto program = compass::programOf(op);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::Lut>())
      continue;
    fusedLayers[op] = {conv, 0};
    fusedConvs.insert(conv);
  }
}

/// Outputs that are inputs, constants, reshapes or repeated need a copy.
void Lowering::copyOutputs() {
  auto func = module.lookupSymbol<func::FuncOp>("main");
  unsigned numInputs = llvm::range_size(func.getOps<compass::InputOp>());
  for (auto [i, v] :
       llvm::enumerate(func.getBody().front().getTerminator()->getOperands())) {
    Tensor t = tensorOf(v);
    unsigned region = isa::kFirstIoRegion + numInputs + i;
    if (t.buffer.getDefiningOp<BufferOp>().getRegion() == region)
      continue;
    loc = v.getLoc();
    Value home = createBuffer(bufferBuilder, loc, region, t.sizeBytes(),
                              compass::tensorNameOf(v));
    copyBytes(t.buffer, t.offsetBytes, home, 0, t.sizeBytes());
  }
}

/// Does the op's result share its operand's storage? Reshapes keep the bytes,
/// elementwise layers replace them.
bool Lowering::sharesOperand(Operation *op) const {
  return isAlias(op) ||
         (isInPlace(op) &&
          !fusedConvs.contains(op->getOperand(0).getDefiningOp()));
}

bool Lowering::run() {
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       DiagId::CompileFailed);
  size_t errorsBefore = diags.numErrors();
  auto func = module.lookupSymbol<func::FuncOp>("main");
  for (Operation &op : func.getBody().front().without_terminator()) {
    position[&op] = order.size();
    order.push_back(&op);
  }
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
  collectResiduals();
  collectTables();
  placeTensors();
  for (Operation *op : order)
    lowerOp(op);
  copyOutputs();
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
