//===- Lowering.cpp - Memory and commands of lowered layers ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/Lowering.h"
#include "isa/ElfLayout.h"
#include "passes/lower/choose/ConvTiling.h"
#include "llvm/Support/xxhash.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

Lowering::Lowering(ModuleOp module, const isa::Machine &machine,
                   const LowerOptions &options, WeightStreams &streams,
                   const Trial &trial, yarrow::DiagnosticEngine &diags)
    : module(module), machine(machine), options(options), streams(streams),
      trial(trial), diags(diags), builder(module.getContext()),
      bufferBuilder(module.getContext()), loc(builder.getUnknownLoc()) {}

uint64_t Lowering::liveSramBytes() const {
  const std::vector<uint64_t> &live = graph.residency.liveBytes;
  return (live.empty() ? 0 : live[graph.current]) + graph.intermediateBytes +
         graph.callerBytes + keptBytes;
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
Value Lowering::newWorkspace(uint64_t sizeBytes, StringRef name) {
  return createBuffer(bufferBuilder, loc, isa::kWorkspaceRegion, sizeBytes,
                      name);
}
Value Lowering::newConstant(ElementsAttr data, StringRef name) {
  uint64_t size = compass::viewConstant(data)->bytes.size();
  if (size == 0) // nobody reads it
    return newSram(size, name);
  return createBuffer(bufferBuilder, loc, isa::kWeightRegion, size, name, data);
}
Value Lowering::newConstantOfSize(uint64_t sizeBytes, StringRef name) {
  return createBuffer(bufferBuilder, loc, isa::kWeightRegion, sizeBytes, name);
}
static ArrayRef<char> dataOf(Value buffer) {
  return compass::viewConstant(*buffer.getDefiningOp<BufferOp>().getData())
      ->bytes;
}

static uint64_t hashOf(ArrayRef<char> bytes) {
  return llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()));
}

Value Lowering::findConstant(ArrayRef<char> bytes) const {
  auto [it, end] = layerConstants.equal_range(hashOf(bytes));
  for (; it != end; ++it)
    if (dataOf(it->second) == bytes)
      return it->second;
  return {};
}

Value Lowering::newConstant(std::vector<char> bytes, StringRef name) {
  if (Value found = findConstant(bytes))
    return found;
  uint64_t hash = hashOf(bytes);
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

/// The same for every binding of one constant; null of what is none.
static const void *identityOf(const compass::BufferBinding &bound) {
  if (bound.kind != compass::BufferBinding::Kind::Constant)
    return nullptr;
  return bound.attr ? bound.attr.getAsOpaquePointer() : bound.owned.get();
}

/// None of a program that decides: a copy in one of its blocks is not there in
/// the others.
void Lowering::findRepeatedConstants(const LayerProgram &program) {
  repeatedConstants.clear();
  keptConstants.clear();
  keptBytes = 0;
  knownPlain.clear();
  leastPlainChannels = 0;
  if (!options.stageKernels || !program.isStraight())
    return;
  llvm::DenseSet<const void *> seen;
  for (const KernelCall &call : program.calls())
    for (const compass::BufferBinding &bound : call.bindings())
      if (const void *id = identityOf(bound); id && !seen.insert(id).second)
        repeatedConstants.insert(id);
}

bool Lowering::areRepeated(ArrayRef<compass::BufferBinding> bindings) const {
  return llvm::all_of(bindings, [&](const compass::BufferBinding &bound) {
    const void *id = identityOf(bound);
    return !id || repeatedConstants.contains(id);
  });
}

Value Lowering::keepConstant(Value constant, StringRef name) {
  if (Value kept = keptConstant(constant))
    return kept;
  uint64_t size = constant.getDefiningOp<BufferOp>().getSizeBytes();
  uint64_t bytes = llvm::alignTo(size, isa::kBufferAlignBytes);
  if (bytes > freeSramBytes() / 2)
    return {};
  Value copy = newSram(size, name);
  copyBytes(constant, 0, copy, 0, size);
  keptConstants[constant] = copy;
  keptBytes += bytes;
  return copy;
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
  if (isTrial())
    trial.commands->add(currentLayer(),
                        isa::engineOf(descriptor) == isa::Engine::TensorEngine
                            ? isa::Unit::TensorEngine
                            : isa::Unit::DmaLoad,
                        descriptor, buffers);
  else
    createCommand(builder, loc, currentLayer(), descriptor, buffers);
}

void Lowering::emitAlone(const isa::AnyDescriptor &descriptor,
                         ArrayRef<FieldBuffer> buffers) {
  emit(descriptor, buffers);
  if (isTrial())
    return;
  isa::WorkCost work;
  work.add(isa::Unit::TensorEngine, isa::costOf(descriptor, machine));
  tilings.push_back(tilingAttr(ConvTiling(), work, currentLayer(),
                               /*isWholeLayer=*/false, builder));
}

static bool isSramBuffer(Value v) {
  return v.getDefiningOp<BufferOp>().getRegion() == isa::kSramRegion;
}

void Lowering::emitCopy(isa::Copy copy, Value src, Value dst, isa::Unit queue) {
  SmallVector<FieldBuffer> buffers = {{"dst", dst}};
  if (src)
    buffers.push_back({"src", src});
  if (isTrial())
    return trial.commands->add(currentLayer(), queue, copy, buffers);
  Operation *op = createCommand(builder, loc, currentLayer(), copy, buffers);
  if (queue != isa::Unit::DmaLoad)
    cast<CopyOp>(op).setQueue(queue);
}

void Lowering::copyBytes(Value src, uint64_t srcOffset, Value dst,
                         uint64_t dstOffset, uint64_t sizeBytes) {
  isa::Copy copy;
  copy.elementBytes = 1;
  copy.src = srcOffset, copy.dst = dstOffset;
  copy.size0 = sizeBytes, copy.size1 = copy.size2 = copy.size3 = copy.size4 = 1;
  copy.srcStride0 = copy.dstStride0 = 1;
  bool isLoad = !isSramBuffer(src) && isSramBuffer(dst);
  emitCopy(copy, src, dst, isLoad ? isa::Unit::DmaLoad : isa::Unit::DmaStore);
}

Value Lowering::loadConstant(Value constant, StringRef name) {
  uint64_t sizeBytes = constant.getDefiningOp<BufferOp>().getSizeBytes();
  Value loaded = newSram(sizeBytes, name);
  copyBytes(constant, 0, loaded, 0, sizeBytes);
  return loaded;
}

Tensor Lowering::stageIn(const Tensor &tensor) {
  Tensor staged = stageOut(tensor);
  if (!tensor.inSram)
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
