//===- RandomCommands.h - npu modules of random commands --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A block of copies, poolings and kernels on a few buffers, as a lowering could
// have made it: what is read has been written, and a buffer that loads fill is
// filled before it is read. And what the commands compute, in symbols: the
// value of a byte is the command that wrote it, its place there and all that
// the command had read.
//
//   RandomCommands commands(random, machine);
//   Values before = commands.valuesOfBuffers();
//   planMemory(*commands.module, commands.machine, {});
//   EXPECT_EQ(commands.valuesOfPlaces(), before);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_PASSES_RANDOMCOMMANDS_H
#define YARROW_TEST_UNIT_PASSES_RANDOMCOMMANDS_H

#include "dialects/npu/Commands.h"
#include "isa/ElfLayout.h"
#include "isa/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/Random.h"

#include <map>
#include <vector>

namespace yarrow::testing {

/// Of each command, in the order in which they were made: a digest of all that
/// it read.
using Values = std::vector<uint64_t>;

/// Bytes by a region or buffer and their place in it.
class Symbols {
public:
  using Key = std::pair<uint64_t, uint64_t>;

  uint64_t read(Key first, uint64_t sizeBytes) const {
    uint64_t digest = 0;
    for (uint64_t i = 0; i < sizeBytes; i += kGrain) {
      auto it = bytes.find({first.first, first.second + i});
      digest = mix(digest, it == bytes.end() ? 1 : it->second);
    }
    return digest;
  }
  void write(Key first, uint64_t sizeBytes, uint64_t value) {
    for (uint64_t i = 0; i < sizeBytes; i += kGrain)
      bytes[{first.first, first.second + i}] = mix(value, i);
  }
  static uint64_t mix(uint64_t a, uint64_t b) {
    return Random(a * 31 + b).next();
  }
  bool operator==(const Symbols &) const = default;

  /// All accesses begin and end at multiples of it.
  static constexpr uint64_t kGrain = 32;

private:
  std::map<Key, uint64_t> bytes;
};

class RandomCommands {
public:
  RandomCommands(Random &random, const isa::Machine &machine)
      : machine(machine), random(random), builder(&context) {
    context.loadDialect<mlir::func::FuncDialect, npu::NpuDialect>();
    mlir::Location loc = builder.getUnknownLoc();
    module = mlir::ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto func = mlir::func::FuncOp::create(builder, loc, npu::kMainFunction,
                                           builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(func.addEntryBlock());
    makeBuffers();
    for (uint32_t i = 0, n = random.between(4, 24); i < n; ++i)
      addCommand();
    mlir::func::ReturnOp::create(builder, loc);
  }

  mlir::Block &body() {
    return module->lookupSymbol<mlir::func::FuncOp>(npu::kMainFunction)
        .getBody()
        .front();
  }
  /// In the order of the text, which a plan changes.
  std::vector<mlir::Operation *> inOrder() {
    std::vector<mlir::Operation *> ops;
    for (mlir::Operation &op : body())
      if (npu::unitOf(&op))
        ops.push_back(&op);
    return ops;
  }

  /// As the text has it, buffers apart from one another.
  Values valuesOfBuffers() {
    return run([&](const npu::Access &a) {
      return Symbols::Key(uint64_t(a.buffer.getAsOpaquePointer()),
                          a.offsetBytes);
    });
  }
  /// As the text has it, in memory.
  Values valuesOfPlaces() { return run(placeOf); }

  /// Not if it is a load of what nobody reads: that may be done at any time.
  bool isUsed(mlir::Operation *op) {
    if (npu::unitOf(op) != isa::Unit::DmaLoad)
      return true;
    mlir::Value loaded = npu::accessesOf(op).back().buffer;
    for (mlir::Operation *reader : commands)
      for (const npu::Access &a : npu::accessesOf(reader))
        if (!a.isWrite && a.buffer == loaded)
          return true;
    return false;
  }

  static Symbols::Key placeOf(const npu::Access &a) {
    auto buffer = a.buffer.getDefiningOp<npu::BufferOp>();
    return {buffer.getRegion(),
            uint64_t(buffer.getAddress().value_or(0)) + a.offsetBytes};
  }

  mlir::MLIRContext context;
  isa::Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::Operation *> commands; ///< As they were made.
  std::vector<npu::BufferOp> buffers;

private:
  /// What of a buffer has been written.
  struct State {
    npu::BufferOp op;
    bool isLoaded = false; ///< By loads alone.
    bool isRead = false;
    std::vector<bool> written; ///< By half.
    /// Halves of DDR that loads into it read; none once it is read. They stay
    /// as they are until then, for a load goes to the first use of what it
    /// brings.
    std::vector<std::pair<const State *, size_t>> sources = {};
  };

  template <typename Key> Values run(Key keyOf) {
    Symbols symbols;
    std::map<mlir::Operation *, uint64_t> values;
    for (mlir::Operation *op : inOrder()) {
      uint64_t value = uint64_t(
          std::find(commands.begin(), commands.end(), op) - commands.begin());
      for (const npu::Access &a : npu::accessesOf(op))
        if (!a.isWrite)
          value = Symbols::mix(value, symbols.read(keyOf(a), a.sizeBytes));
      for (const npu::Access &a : npu::accessesOf(op))
        if (a.isWrite)
          symbols.write(keyOf(a), a.sizeBytes, value);
      values[op] = value;
    }
    Values list;
    for (mlir::Operation *op : commands)
      list.push_back(isUsed(op) ? values[op] : 0);
    return list;
  }

  void makeBuffers() {
    auto add = [&](unsigned region, uint64_t halves, bool isLoaded,
                   bool isWritten) {
      auto op = npu::createBuffer(builder, builder.getUnknownLoc(), region,
                                  halves * kHalf,
                                  "b" + std::to_string(buffers.size()));
      buffers.push_back(op);
      states.push_back(
          {op, isLoaded, false, std::vector<bool>(size_t(halves), isWritten)});
    };
    add(kInputRegion, 8, false, true);
    add(kInputRegion + 1, 8, false, false); // the output
    for (int i = 0; i < 2; ++i)
      add(isa::kWorkspaceRegion, 2, false, false);
    for (uint32_t i = 0, n = random.between(3, 10); i < n; ++i)
      add(isa::kSramRegion, random.between(1, 4), random.oneIn(2), false);
  }

  /// A half that may be read, or be written by a load or something else; -1 if
  /// there is none.
  struct Place {
    State *state = nullptr;
    size_t half = 0;
    uint64_t offset() const { return half * kHalf; }
  };
  bool isSram(State &s) { return s.op.getRegion() == isa::kSramRegion; }
  template <typename Predicate> Place choose(Predicate isGood) {
    std::vector<Place> places;
    for (State &state : states)
      for (size_t half = 0; half < state.written.size(); ++half)
        if (isGood(state, half))
          places.push_back({&state, half});
    return places.empty() ? Place() : random.of(places);
  }
  Place toRead(bool fromSram) {
    return choose([&](State &s, size_t half) {
      return isSram(s) == fromSram && s.written[half];
    });
  }
  bool isAwaited(const State &state, size_t half) const {
    for (const State &other : states)
      for (auto [source, ofSource] : other.sources)
        if (source == &state && ofSource == half)
          return true;
    return false;
  }
  Place toWrite(bool isLoad, bool intoSram) {
    return choose([&](State &s, size_t half) {
      return isSram(s) == intoSram && s.op.getRegion() != kInputRegion &&
             (!intoSram || s.isLoaded == isLoad) && !(isLoad && s.isRead) &&
             !isAwaited(s, half);
    });
  }

  void addCommand() {
    using isa::Unit;
    Unit unit = random.of({Unit::DmaLoad, Unit::DmaLoad, Unit::DmaStore,
                           Unit::TensorEngine, Unit::Tec});
    bool isLoad = unit == Unit::DmaLoad, isStore = unit == Unit::DmaStore;
    Place from = toRead(!isLoad), second = toRead(true),
          to = toWrite(isLoad, !isStore);
    if (!from.state || !to.state || (unit == Unit::Tec && !second.state) ||
        (from.state == to.state && from.half == to.half))
      return;
    to.state->written[to.half] = from.state->isRead = true;
    from.state->sources.clear();
    if (isLoad)
      to.state->sources.push_back({from.state, from.half});
    if (unit == Unit::Tec) {
      second.state->isRead = true;
      second.state->sources.clear();
      addKernel(from, second, to);
    } else if (unit == Unit::TensorEngine) {
      addPool(from, to);
    } else {
      addCopy(from, to, unit);
    }
  }

  void add(const isa::AnyDescriptor &descriptor, const char *source,
           const char *target, const Place &from, const Place &to) {
    commands.push_back(npu::createCommand(
        builder, builder.getUnknownLoc(), /*layer=*/0, descriptor,
        {{source, from.state->op}, {target, to.state->op}}));
  }
  void addCopy(const Place &from, const Place &to, isa::Unit queue) {
    isa::Copy c;
    c.elementBytes = 1, c.size0 = kHalf;
    c.size1 = c.size2 = c.size3 = c.size4 = 1;
    c.srcStride0 = c.dstStride0 = 1;
    c.src = uint32_t(from.offset()), c.dst = uint32_t(to.offset());
    add(c, "src", "dst", from, to);
    llvm::cast<npu::CopyOp>(commands.back()).setQueue(queue);
  }
  void addPool(const Place &from, const Place &to) {
    isa::Pool p;
    p.inHeight = p.inWidth = p.outHeight = p.outWidth = 1;
    p.kernelX = p.kernelY = p.strideX = p.strideY = 1;
    p.inChannels = p.outChannels = kHalf;
    p.inPixelStride = p.inRowStride = kHalf;
    p.outPixelStride = p.outRowStride = kHalf;
    p.input = uint32_t(from.offset()), p.output = uint32_t(to.offset());
    add(p, "input", "output", from, to);
  }
  void addKernel(const Place &a, const Place &b, const Place &to) {
    auto numbers = [&](std::initializer_list<int64_t> values) {
      return builder.getDenseI64ArrayAttr(values);
    };
    mlir::Value operands[] = {a.state->op, b.state->op, to.state->op};
    auto kernel = npu::KernelOp::create(
        builder, builder.getUnknownLoc(), operands,
        builder.getStringAttr("yk_eltwise_int"),
        builder.getDenseI8ArrayAttr({}), numbers({1, 1, 0, 2}),
        numbers(
            {int64_t(a.offset()), int64_t(b.offset()), int64_t(to.offset())}),
        numbers({kHalf, kHalf, kHalf}), mlir::DenseI64ArrayAttr());
    kernel->setAttr(npu::kLayerAttr, builder.getI64IntegerAttr(0));
    commands.push_back(kernel);
  }

  static constexpr int64_t kHalf = 64;
  static constexpr unsigned kInputRegion = 3;

  Random &random;
  mlir::OpBuilder builder;
  std::vector<State> states;
};

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_PASSES_RANDOMCOMMANDS_H
