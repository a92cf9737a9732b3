//===- BoundProgram.cpp - A layer's program on the host -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/BoundProgram.h"
#include "kernels/indexing/Indexing.h"
#include <algorithm>
#include <cstring>
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

/// All that an item of a program uses, with the items that it holds.
static void
forEachBinding(const LayerProgram &program, const ProgramItem &item,
               llvm::function_ref<void(const BufferBinding &)> use) {
  if (item.kind == ProgramItem::Kind::Kernel) {
    llvm::for_each(program.calls()[item.index].bindings(), use);
    return;
  }
  if (item.kind == ProgramItem::Kind::Graph) {
    llvm::for_each(program.graphs()[item.index].inputs, use);
    llvm::for_each(program.graphs()[item.index].outputs, use);
    return;
  }
  use(item.flag.value);
  for (const std::vector<ProgramItem> *held : {&item.body, &item.otherwise})
    for (const ProgramItem &inner : *held)
      forEachBinding(program, inner, use);
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
    to.checksIndices = call.symbol() == kernels::CheckIndices::kSymbol;
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
  bound.findLives();
  return bound;
}

void BoundProgram::findLives() {
  struct Range {
    size_t first, last;
  };
  std::vector<std::optional<Range>> found(program.intermediates().size());
  lives.resize(program.items().size());
  for (auto [i, item] : llvm::enumerate(program.items()))
    forEachBinding(program, item, [&, at = i](const BufferBinding &b) {
      if (b.kind != BufferBinding::Kind::Intermediate)
        return;
      std::optional<Range> &range = found[b.index];
      range = Range{range ? range->first : at, at};
    });
  for (auto [i, range] : llvm::enumerate(found))
    if (range) {
      lives[range->first].begin.push_back(i);
      lives[range->last].end.push_back(i);
    }
}

/// One computation of a program.
class BoundProgram::Run {
public:
  Run(const BoundProgram &bound, ArrayRef<const char *> operands,
      ArrayRef<char *> results, const RunGraph &runGraph)
      : bound(bound), operands(operands), results(results), runGraph(runGraph),
        values(bound.program.intermediates().size()) {}

  bool run(const OnIntermediate &onIntermediate) {
    ArrayRef<Intermediate> intermediates = bound.program.intermediates();
    for (auto [item, lives] : llvm::zip(bound.program.items(), bound.lives)) {
      for (unsigned i : lives.begin)
        values[i] = AlignedBuffer(intermediates[i].info.sizeBytes());
      if (!run(item))
        return false;
      for (unsigned i : lives.end) {
        if (onIntermediate)
          onIntermediate(intermediates[i], values[i].ref());
        values[i] = {};
      }
    }
    return true;
  }
  IndexFault fault() const { return found; }

private:
  bool run(ArrayRef<ProgramItem> items) {
    return llvm::all_of(items, [&](const ProgramItem &i) { return runOne(i); });
  }

  bool runOne(const ProgramItem &item) {
    switch (item.kind) {
    case ProgramItem::Kind::Kernel: {
      const KernelCall &kernel = bound.program.calls()[item.index];
      call(kernel, bound.calls[item.index]);
      if (!bound.calls[item.index].checksIndices)
        return true;
      std::memcpy(&found, bytesOf(kernel["fault"]), sizeof found);
      return found.length == 0;
    }
    case ProgramItem::Kind::Graph:
      return call(bound.program.graphs()[item.index]);
    case ProgramItem::Kind::If:
      return run(isSet(item.flag) ? item.body : item.otherwise);
    case ProgramItem::Kind::While:
      for (uint32_t trips = 0; isSet(item.flag); ++trips)
        if (trips == kMaxTrips || !run(item.body))
          return false;
      return true;
    }
    llvm_unreachable("all kinds are listed");
  }

  using Kind = BufferBinding::Kind;
  static_assert(sizeof(IndexFault) == 8, "as the kernel writes it");

  /// Null of a constant.
  char *bytesOf(const BufferBinding &b) const {
    uint64_t offset = b.part ? b.part->offsetBytes : 0;
    switch (b.kind) {
    case Kind::Operand:
      return const_cast<char *>(operands[b.index]) + offset;
    case Kind::Result:
      return results[b.index] + offset;
    case Kind::Intermediate:
      return values[b.index].data() + offset;
    case Kind::Constant:
    case Kind::None:
      return nullptr;
    }
    llvm_unreachable("all kinds are listed");
  }

  /// Whether the first integer is not 0, which is whether a byte of it is not.
  bool isSet(const ProgramFlag &flag) const {
    return llvm::any_of(ArrayRef(bytesOf(flag.value), flag.sizeBytes),
                        [](char byte) { return byte != 0; });
  }

  void call(const KernelCall &call, const BoundCall &to) const {
    SmallVector<void *> pointers;
    for (auto [b, constant] : llvm::zip(call.bindings(), to.constants)) {
      char *tensor = bytesOf(b);
      pointers.push_back(tensor ? tensor : const_cast<char *>(constant));
    }
    to.function(call.params().data(), pointers.data(), /*task=*/0,
                /*taskCount=*/1);
  }

  bool call(const GraphCall &graph) const {
    SmallVector<const char *> inputs;
    for (const BufferBinding &b : graph.inputs)
      inputs.push_back(bytesOf(b));
    SmallVector<char *> outputs;
    for (const BufferBinding &b : graph.outputs)
      outputs.push_back(bytesOf(b));
    return runGraph(graph, inputs, outputs);
  }

  const BoundProgram &bound;
  ArrayRef<const char *> operands;
  ArrayRef<char *> results;
  const RunGraph &runGraph;
  std::vector<AlignedBuffer> values;
  IndexFault found;
};

bool BoundProgram::run(ArrayRef<const char *> operands,
                       ArrayRef<char *> results,
                       const OnIntermediate &onIntermediate,
                       const RunGraph &runGraph, IndexFault *fault) const {
  Run run(*this, operands, results, runGraph);
  bool isDone = run.run(onIntermediate);
  if (fault)
    *fault = run.fault();
  return isDone;
}
