//===- BoundProgram.cpp - A layer's program on the host -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/BoundProgram.h"
#include <algorithm>
#include <new>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static constexpr std::align_val_t kAlign{64};

void AlignedBuffer::Free::operator()(char *p) const {
  ::operator delete(p, kAlign);
}

AlignedBuffer::AlignedBuffer(size_t sizeBytes)
    : bytes(static_cast<char *>(
          ::operator new(std::max<size_t>(sizeBytes, 1), kAlign))),
      size(sizeBytes) {}

AlignedBuffer AlignedBuffer::copyOf(ArrayRef<char> bytes) {
  AlignedBuffer copy(bytes.size());
  llvm::copy(bytes, copy.data());
  return copy;
}

FailureOr<BoundProgram> BoundProgram::create(Operation *op) {
  auto program = programOf(op);
  if (failed(program))
    return failure();
  BoundProgram bound;
  bound.program = std::move(*program);
  for (const KernelCall &call : bound.program.calls()) {
    BoundCall &to = bound.calls.emplace_back();
    to.function = call.getKernel().fn;
    for (const BufferBinding &b : call.bindings()) {
      const char *data = nullptr;
      if (b.kind == BufferBinding::Kind::Constant) {
        data = b.view.bytes.data();
        // A weights file is densely packed: a constant may be misaligned for
        // its element type. Such a one is copied, the rest is not.
        if (reinterpret_cast<uintptr_t>(data) %
            kernels::dtypeBytes(b.view.dtype)) {
          bound.copies.push_back(AlignedBuffer::copyOf(b.view.bytes));
          data = bound.copies.back().data();
        }
      }
      to.constants.push_back(data);
    }
  }
  return bound;
}

void BoundProgram::run(ArrayRef<const char *> operands,
                       ArrayRef<char *> results,
                       const OnIntermediate &onIntermediate) const {
  using Kind = BufferBinding::Kind;
  std::vector<AlignedBuffer> values;
  for (const Intermediate &value : program.intermediates())
    values.emplace_back(value.info.sizeBytes());
  auto tensorOf = [&](const BufferBinding &b) -> char * {
    switch (b.kind) {
    case Kind::Operand:
      return const_cast<char *>(operands[b.index]);
    case Kind::Result:
      return results[b.index];
    case Kind::Intermediate:
      return values[b.index].data();
    case Kind::Constant:
    case Kind::None:
      return nullptr;
    }
    llvm_unreachable("all kinds are listed");
  };
  for (auto [call, bound] : llvm::zip(program.calls(), calls)) {
    SmallVector<void *> pointers;
    for (auto [b, constant] : llvm::zip(call.bindings(), bound.constants)) {
      char *tensor = tensorOf(b);
      pointers.push_back(tensor ? tensor + (b.part ? b.part->offsetBytes : 0)
                                : const_cast<char *>(constant));
    }
    bound.function(call.params().data(), pointers.data(), /*task=*/0,
                   /*taskCount=*/1);
  }
  if (onIntermediate)
    for (auto [value, bytes] : llvm::zip(program.intermediates(), values))
      onIntermediate(value, bytes.ref());
}
