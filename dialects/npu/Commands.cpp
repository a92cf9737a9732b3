//===- Commands.cpp - Between descriptors and npu ops ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Commands.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// Address fields of an op in operand order: the operand segment of field f is
/// named fBuffer.
template <typename OpT> struct AddressFields;
template <> struct AddressFields<CopyOp> {
  static constexpr StringLiteral names[] = {"src", "dst"};
};
template <> struct AddressFields<ConvOp> {
  static constexpr StringLiteral names[] = {
      "input",  "weights", "bias",     "scales",   "shifts",
      "slopes", "output",  "partials", "residual", "lut"};
};
template <> struct AddressFields<MatMulOp> {
  static constexpr StringLiteral names[] = {"a", "b", "output"};
};
template <> struct AddressFields<PoolOp> {
  static constexpr StringLiteral names[] = {"input", "reciprocals", "output"};
};

template <typename OpT, typename Descriptor>
Operation *create(OpBuilder &builder, Location loc, int64_t layer,
                  const Descriptor &d, ArrayRef<FieldBuffer> buffers) {
  OperationState state(loc, OpT::getOperationName());
  SmallVector<int32_t> segments;
  for (StringRef field : AddressFields<OpT>::names) {
    const FieldBuffer *found = llvm::find_if(
        buffers, [&](const FieldBuffer &b) { return b.field == field; });
    bool present = found != buffers.end() && found->buffer;
    if (present)
      state.addOperands(found->buffer);
    segments.push_back(present);
  }
  d.forEachField([&](std::string_view name, int64_t value, std::string_view) {
    if (value)
      state.addAttribute(StringRef(name), builder.getI64IntegerAttr(value));
  });
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
  state.addAttribute(kLayerAttr, builder.getI64IntegerAttr(layer));
  return builder.create(state);
}

int64_t addressOf(Value buffer) {
  auto op = buffer.getDefiningOp<BufferOp>();
  return op ? op.getAddress().value_or(0) : 0;
}

template <typename OpT>
SmallVector<std::pair<StringRef, Value>> addressOperands(OpT op) {
  SmallVector<std::pair<StringRef, Value>> result;
  unsigned next = 0;
  auto segments = op.getProperties().operandSegmentSizes;
  for (auto [i, field] : llvm::enumerate(AddressFields<OpT>::names))
    if (segments[i])
      result.push_back({field, op->getOperand(next++)});
  return result;
}

template <typename Descriptor, typename OpT> Descriptor toDescriptor(OpT op) {
  Descriptor d;
  auto operands = addressOperands(op);
  d.forEachMember([&](std::string_view name, auto &member) {
    int64_t value = 0;
    if (auto attr = op->template getAttrOfType<IntegerAttr>(StringRef(name)))
      value = attr.getInt();
    for (auto &[field, buffer] : operands)
      if (field == StringRef(name))
        value += addressOf(buffer);
    member = static_cast<std::decay_t<decltype(member)>>(value);
  });
  if (auto waits = op.getWaits())
    for (unsigned i = 0; i < isa::kNumCounters; ++i)
      d.waits[i] = uint32_t((*waits)[i]);
  return d;
}

/// Bytes from the first to past the last element of a strided range.
uint64_t span(std::initializer_list<std::pair<uint64_t, int64_t>> axes,
              uint64_t elementBytes) {
  uint64_t bytes = elementBytes;
  for (auto [count, stride] : axes)
    bytes += count ? (count - 1) * uint64_t(std::abs(stride)) : 0;
  return bytes;
}

} // namespace

Operation *npu::createCommand(OpBuilder &builder, Location loc, int64_t layer,
                              const isa::AnyDescriptor &descriptor,
                              ArrayRef<FieldBuffer> buffers) {
  if (auto *d = std::get_if<isa::Copy>(&descriptor))
    return create<CopyOp>(builder, loc, layer, *d, buffers);
  if (auto *d = std::get_if<isa::Conv>(&descriptor))
    return create<ConvOp>(builder, loc, layer, *d, buffers);
  if (auto *d = std::get_if<isa::MatMul>(&descriptor))
    return create<MatMulOp>(builder, loc, layer, *d, buffers);
  return create<PoolOp>(builder, loc, layer, std::get<isa::Pool>(descriptor),
                        buffers);
}

BufferOp npu::createBuffer(OpBuilder &builder, Location loc, unsigned region,
                           uint64_t sizeBytes, StringRef name,
                           ElementsAttr data) {
  return BufferOp::create(
      builder, loc, BufferType::get(builder.getContext()),
      builder.getI64IntegerAttr(region), builder.getI64IntegerAttr(sizeBytes),
      name.empty() ? StringAttr() : builder.getStringAttr(name), data,
      IntegerAttr());
}

std::optional<isa::AnyDescriptor> npu::descriptorOf(Operation *op) {
  if (auto copy = dyn_cast<CopyOp>(op)) {
    auto d = toDescriptor<isa::Copy>(copy);
    auto region = [](Value v) {
      return v ? unsigned(v.getDefiningOp<BufferOp>().getRegion()) : 0u;
    };
    d.srcRegion = region(copy.getSrcBuffer());
    d.dstRegion = region(copy.getDstBuffer());
    return d;
  }
  if (auto conv = dyn_cast<ConvOp>(op))
    return toDescriptor<isa::Conv>(conv);
  if (auto matmul = dyn_cast<MatMulOp>(op))
    return toDescriptor<isa::MatMul>(matmul);
  if (auto pool = dyn_cast<PoolOp>(op))
    return toDescriptor<isa::Pool>(pool);
  return std::nullopt;
}

Unit npu::unitOf(Operation *op) {
  if (auto copy = dyn_cast<CopyOp>(op))
    return copy.getQueue() == int64_t(isa::Queue::DmaStore) ? Unit::DmaStore
                                                            : Unit::DmaLoad;
  if (llvm::isa<ConvOp, MatMulOp, PoolOp>(op))
    return Unit::TensorEngine;
  return llvm::isa<KernelOp>(op) ? Unit::Tec : Unit::None;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

using isa::elementBytes;

void convAccesses(ConvOp op, SmallVectorImpl<Access> &out) {
  auto d = toDescriptor<isa::Conv>(op);
  auto add = [&](Value buffer, uint64_t offset, uint64_t size, bool write) {
    if (buffer)
      out.push_back({buffer, offset, size, write});
  };
  uint64_t inBytes = elementBytes(d.inType),
           outBytes = elementBytes(d.hasLut ? d.lutType : d.outType);
  add(op.getInputBuffer(), op.getInput(),
      span({{d.inHeight, d.inRowStride}, {d.inWidth, d.inPixelStride}},
           d.inChannels * inBytes),
      false);
  d.groups = std::max(1u, d.groups);
  add(op.getWeightsBuffer(), op.getWeights(), isa::weightBytesOf(d), false);
  add(op.getBiasBuffer(), op.getBias(), 4ull * d.outChannels, false);
  add(op.getScalesBuffer(), op.getScales(), 2ull * d.outChannels, false);
  add(op.getShiftsBuffer(), op.getShifts(), d.outChannels, false);
  add(op.getSlopesBuffer(), op.getSlopes(), 2ull * d.outChannels, false);
  add(op.getLutBuffer(), op.getLut(),
      (1ull << d.lutLog2Items) * elementBytes(d.lutType), false);
  uint64_t accBytes = inBytes == 2 ? 8 : 4;
  uint64_t partialBytes =
      uint64_t(d.outHeight) * d.outWidth * d.outChannels * accBytes;
  if (d.accumulateIn)
    add(op.getPartialsBuffer(), op.getPartials(), partialBytes, false);
  if (d.accumulateOut)
    add(op.getPartialsBuffer(), op.getPartials(), partialBytes, true);
  if (d.hasResidual)
    add(op.getResidualBuffer(), op.getResidual(),
        span({{d.outHeight, d.residualRowStride},
              {d.outWidth, d.residualPixelStride}},
             d.outChannels * uint64_t(elementBytes(d.residualType))),
        false);
  if (!d.accumulateOut)
    add(op.getOutputBuffer(), op.getOutput(),
        span({{d.outHeight, d.outRowStride}, {d.outWidth, d.outPixelStride}},
             d.outChannels * outBytes),
        true);
}

void poolAccesses(PoolOp op, SmallVectorImpl<Access> &out) {
  auto d = toDescriptor<isa::Pool>(op);
  out.push_back(
      {op.getInputBuffer(), uint64_t(op.getInput()),
       span({{d.inHeight, d.inRowStride}, {d.inWidth, d.inPixelStride}},
            d.inChannels * uint64_t(elementBytes(d.inType))),
       false});
  if (op.getReciprocalsBuffer())
    out.push_back({op.getReciprocalsBuffer(), uint64_t(op.getReciprocals()),
                   4ull * d.kernelY * d.kernelX, false});
  out.push_back(
      {op.getOutputBuffer(), uint64_t(op.getOutput()),
       span({{d.outHeight, d.outRowStride}, {d.outWidth, d.outPixelStride}},
            d.outChannels * uint64_t(elementBytes(d.outType))),
       true});
}

void matmulAccesses(MatMulOp op, SmallVectorImpl<Access> &out) {
  auto d = toDescriptor<isa::MatMul>(op);
  out.push_back({op.getABuffer(), uint64_t(op.getA()),
                 span({{d.batch, d.aBatchStride},
                       {d.rows, d.aRowStride},
                       {d.inner, d.aInnerStride}},
                      elementBytes(d.aType)),
                 false});
  out.push_back({op.getBBuffer(), uint64_t(op.getB()),
                 span({{d.batch, d.bBatchStride},
                       {d.inner, d.bInnerStride},
                       {d.columns, d.bColumnStride}},
                      elementBytes(d.bType)),
                 false});
  out.push_back({op.getOutputBuffer(), uint64_t(op.getOutput()),
                 span({{d.batch, d.outBatchStride}, {d.rows, d.outRowStride}},
                      d.columns * uint64_t(elementBytes(d.outType))),
                 true});
}

void copyAccesses(CopyOp op, SmallVectorImpl<Access> &out) {
  auto d = toDescriptor<isa::Copy>(op);
  auto range = [&](Value buffer, int64_t offset, std::array<int32_t, 5> strides,
                   bool write) {
    int64_t low = offset;
    uint64_t bytes = d.elementBytes;
    const uint32_t sizes[] = {d.size0, d.size1, d.size2, d.size3, d.size4};
    for (unsigned i = 0; i < 5; ++i) {
      int64_t extent = int64_t(sizes[i] ? sizes[i] - 1 : 0) * strides[i];
      low += std::min<int64_t>(extent, 0);
      bytes += std::abs(extent);
    }
    out.push_back({buffer, uint64_t(low), bytes, write});
  };
  if (op.getSrcBuffer())
    range(
        op.getSrcBuffer(), op.getSrc(),
        {d.srcStride0, d.srcStride1, d.srcStride2, d.srcStride3, d.srcStride4},
        false);
  range(op.getDstBuffer(), op.getDst(),
        {d.dstStride0, d.dstStride1, d.dstStride2, d.dstStride3, d.dstStride4},
        true);
}

} // namespace

SmallVector<Access> npu::accessesOf(Operation *op) {
  SmallVector<Access> out;
  if (auto conv = dyn_cast<ConvOp>(op))
    convAccesses(conv, out);
  else if (auto pool = dyn_cast<PoolOp>(op))
    poolAccesses(pool, out);
  else if (auto matmul = dyn_cast<MatMulOp>(op))
    matmulAccesses(matmul, out);
  else if (auto copy = dyn_cast<CopyOp>(op))
    copyAccesses(copy, out);
  else if (auto kernel = dyn_cast<KernelOp>(op)) {
    unsigned next = 0;
    for (int64_t role : kernel.getRoles()) {
      if (role == RoleNull)
        continue;
      Value buffer = kernel.getBuffers()[next];
      uint64_t offset = kernel.getOffsets()[next],
               size = kernel.getSizes()[next];
      if (role & RoleRead)
        out.push_back({buffer, offset, size, false});
      if (role & RoleWrite)
        out.push_back({buffer, offset, size, true});
      ++next;
    }
  }
  return out;
}
