//===- Commands.cpp - Between descriptors and npu ops ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Commands.h"
#include "dialects/npu/CommandOps.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

template <typename OpT>
static Operation *create(OpBuilder &builder, Location loc, int64_t layer,
                         const typename OpT::Descriptor &d,
                         ArrayRef<FieldBuffer> buffers) {
  OperationState state(loc, OpT::getOperationName());
  SmallVector<int32_t> segments;
  for (const isa::AddressField &field : OpT::Descriptor::kAddressFields) {
    const FieldBuffer *found =
        llvm::find_if(buffers, [&](const FieldBuffer &b) {
          return b.field == StringRef(field.name);
        });
    bool present = found != buffers.end() && found->buffer;
    if (present)
      state.addOperands(found->buffer);
    segments.push_back(present);
  }
  state.addAttributes(OpT::attributesOf(d, builder).getAttrs());
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
  state.addAttribute(kLayerAttr, builder.getI64IntegerAttr(layer));
  return builder.create(state);
}

namespace {
/// The op of a descriptor, among all ops of the dialect.
template <typename D, typename... Ops> struct OpOf;
template <typename D, typename Op, typename... Rest>
struct OpOf<D, Op, Rest...> : OpOf<D, Rest...> {};
template <typename D, typename Op, typename... Rest>
  requires std::is_same_v<D, typename Op::Descriptor>
struct OpOf<D, Op, Rest...> {
  using type = Op;
};
template <typename D>
using CommandOf = typename OpOf<D,
#define GET_OP_LIST
#include "dialects/npu/NpuOps.cpp.inc"
                                >::type;
} // namespace

Operation *npu::createCommand(OpBuilder &builder, Location loc, int64_t layer,
                              const isa::AnyDescriptor &descriptor,
                              ArrayRef<FieldBuffer> buffers) {
  return std::visit(
      [&](const auto &d) {
        using Op = CommandOf<std::decay_t<decltype(d)>>;
        return create<Op>(builder, loc, layer, d, buffers);
      },
      descriptor);
}

BufferOp npu::createBuffer(OpBuilder &builder, Location loc, unsigned region,
                           uint64_t sizeBytes, StringRef name,
                           ElementsAttr data) {
  return BufferOp::create(
      builder, loc, BufferType::get(builder.getContext()),
      builder.getI64IntegerAttr(region),
      // What has no elements has a place, too.
      builder.getI64IntegerAttr(std::max<uint64_t>(sizeBytes, 1)),
      name.empty() ? StringAttr() : builder.getStringAttr(name), data,
      IntegerAttr());
}

std::optional<isa::AnyDescriptor> npu::descriptorOf(Operation *op) {
  auto command = dyn_cast<CommandOpInterface>(op);
  return command ? command.getDescriptor() : std::nullopt;
}

std::optional<Unit> npu::unitOf(Operation *op) {
  auto command = dyn_cast<CommandOpInterface>(op);
  return command ? std::optional(command.getUnit()) : std::nullopt;
}

SmallVector<Access> npu::accessesOf(Operation *op) {
  auto command = dyn_cast<CommandOpInterface>(op);
  return command ? command.getAccesses() : SmallVector<Access>();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Unit KernelOp::getUnit() { return Unit::Tec; }

std::optional<isa::AnyDescriptor> KernelOp::getDescriptor() {
  return std::nullopt;
}

SmallVector<Access> KernelOp::getAccesses() {
  SmallVector<Access> accesses;
  unsigned next = 0;
  for (int64_t role : getRoles()) {
    if (role == RoleNull)
      continue;
    Access access{getBuffers()[next], uint64_t(getOffsets()[next]),
                  uint64_t(getSizes()[next])};
    if (role & RoleRead)
      accesses.push_back(access);
    access.isWrite = true;
    if (role & RoleWrite)
      accesses.push_back(access);
    ++next;
  }
  return accesses;
}

void KernelOp::getEffects(MemoryEffectList &effects) {
  addEffects(*this, effects);
}
