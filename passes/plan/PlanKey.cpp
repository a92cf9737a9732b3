//===- PlanKey.cpp - What the choice of a plan depends on -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/PlanKey.h"
#include "dialects/compass/Tensors.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/Target.h"
#include "support/Digest.h"
#include "support/Packing.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Fields that are numbers to compute with: neither what a command costs nor
/// what it touches depends on them.
static bool isNumber(StringRef field) {
  static const llvm::StringSet<> numbers = {
      "padValue",      "scale",      "shift",         "clipRoundBits",
      "clipMin",       "clipMax",    "slope",         "slopeShift",
      "outZeroPoint",  "outMin",     "outMax",        "inZeroPoint",
      "aZeroPoint",    "bZeroPoint", "mainZeroPoint", "residualZeroPoint",
      "sumZeroPoint",  "mainScale",  "residualScale", "sumScale",
      "sumShift",      "sumMin",     "sumMax",        "lutInputMin",
      "winogradShift", "fillValue"};
  field.consume_back("High"); // the other half of one
  return numbers.contains(field);
}

namespace {

/// Writes what counts of the ops, in order.
class KeyWriter {
public:
  void add(Block &block) {
    for (Operation &op : block)
      add(&op);
    out(std::string("end"));
  }
  Packer out;

private:
  void add(Operation *op) {
    out(op->getName().getStringRef().str());
    for (Value v : op->getOperands())
      out(buffers.lookup(v));
    for (Value v : op->getResults())
      buffers.try_emplace(v, unsigned(buffers.size()) + 1);
    if (auto descriptor = descriptorOf(op))
      std::visit([&](const auto &d) { addFields(d); }, *descriptor);
    if (std::optional<Unit> unit = unitOf(op))
      out(unsigned(*unit));
    for (const Access &a : accessesOf(op))
      out(buffers.lookup(a.buffer))(a.offsetBytes)(a.sizeBytes)(a.isWrite);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](BufferOp b) { out(b.getRegion())(b.getSizeBytes()); })
        .Case([&](KernelOp kernel) { out(kernel.getSymbol().str()); })
        .Case([&](IfOp i) { addFlag(i); })
        .Case([&](WhileOp w) { addFlag(w); });
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block);
  }
  template <typename D> void addFields(const D &d) {
    d.forEachField([&](std::string_view name, int64_t value, auto) {
      if (!isNumber(StringRef(name.data(), name.size())))
        out(value);
    });
  }
  template <typename OpT> void addFlag(OpT op) {
    out(uint64_t(op.getOffset()))(uint64_t(op.getSizeBytes()));
  }

  llvm::DenseMap<Value, unsigned> buffers;
};

} // namespace

std::string npu::planKeyOf(ModuleOp module, func::FuncOp lowered,
                           const isa::Machine &machine) {
  KeyWriter writer;
  writer.out(machine.toJson());
  writer.out(isOptimized(module))(isFootprintWanted(module));
#define OPTIMIZATION(ID, NAME, DOC)                                            \
  writer.out(isEnabled(module, Optimization::ID));
#include "dialects/npu/Optimizations.def"
  for (Block &block : lowered.getBody())
    writer.add(block);
  const std::string &bytes = writer.out.bytes;
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  return llvm::utohexstr(hash.high64) + "-" + llvm::utohexstr(hash.low64) +
         "-" + std::to_string(bytes.size());
}

uint64_t npu::constantsDigestOf(func::FuncOp lowered) {
  Digest digest;
  for (auto buffer : lowered.getOps<BufferOp>())
    if (std::optional<ElementsAttr> data = buffer.getData()) {
      ArrayRef<char> bytes = compass::viewConstant(*data)->bytes;
      digest.add({bytes.data(), bytes.size()});
    }
  return digest.value();
}
