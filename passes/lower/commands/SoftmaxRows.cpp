//===- SoftmaxRows.cpp - Softmax on the tensor engine ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exponentials are tables of the difference to the greatest value of a row, and
// results functions of two operands: an exponential, and a number of its row.
// That number alone, a quotient or a logarithm of the sum, is left to the TECs.
//
//===----------------------------------------------------------------------===//
#include "isa/CommandRules.h"
#include "isa/ElfLayout.h"
#include "kernels/norm/Softmax.h"
#include "kernels/norm/SoftmaxExponents.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/EngineTypes.h"
#include "passes/lower/describe/SoftmaxForms.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;
using isa::SumOp;
using kernels::DType;

namespace yarrow::npu {

/// One of the two ways, for so many rows at once.
class SoftmaxRows {
public:
  SoftmaxRows(Lowering &lowering, const Step &step)
      : lowering(lowering), step(step),
        name(compass::layerNameOf(step.op).str()) {}
  virtual ~SoftmaxRows() = default;

  virtual std::optional<uint64_t> cycles(uint32_t rows) const = 0;
  /// SRAM of a row between input and result, and of all tables.
  virtual uint64_t rowBytes() const = 0;
  uint64_t tableBytes() const { return tables.size(); }
  virtual void emit(uint32_t rows, const Tensor &in, const Tensor &out) = 0;

protected:
  Tensor newTensor(uint64_t bytes, const char *what);
  /// The greatest values of rows.
  Tensor emitGreatest(const SoftmaxForms &forms, uint32_t rows, DType type,
                      const Tensor &in);
  /// A function with the table at \p tableOffset of the tables.
  void emitTable(Pointwise f, const Tensor &in, const Tensor &other,
                 const Tensor &to, size_t tableOffset);
  Tensor emitSums(const SoftmaxForms &forms, uint32_t rows, const Tensor &in,
                  const char *what);
  template <typename Kernel, typename Params>
  void emitKernel(const Params &params,
                  std::initializer_list<std::pair<const char *, Tensor>> bound);

  Lowering &lowering;
  const Step &step;
  std::string name;
  std::vector<char> tables; ///< All of them, one constant.
};

} // namespace yarrow::npu

/// What the machine takes for rows whose numbers a kernel finds.
static uint64_t kernelCycles(uint64_t rows, const isa::Machine &machine) {
  constexpr uint64_t kCall = 100, kEach = 4;
  return kCall + rows * kEach / machine.tecs;
}

Tensor SoftmaxRows::newTensor(uint64_t bytes, const char *what) {
  Tensor t;
  t.buffer = lowering.newSram(bytes, name + what);
  t.inSram = true;
  t.partBytes = bytes;
  return t;
}

Tensor SoftmaxRows::emitGreatest(const SoftmaxForms &forms, uint32_t rows,
                                 DType type, const Tensor &in) {
  uint64_t bytes = kernels::dtypeBytes(type);
  Tensor greatest = in;
  forms.forEachWidth([&](uint32_t width) {
    uint32_t half = isa::divideUp(width, 2);
    Tensor second = greatest, to = newTensor(rows * half * bytes, ".most");
    second.offsetBytes += (width - half) * bytes;
    lowering.emitPointwise(step, forms.halves(width), greatest, second, to, {});
    greatest = to;
  });
  return greatest;
}

void SoftmaxRows::emitTable(Pointwise f, const Tensor &in, const Tensor &other,
                            const Tensor &to, size_t tableOffset) {
  f.lutOffset = uint32_t(tableOffset);
  lowering.emitPointwise(step, f, in, other, to, [&](StringRef lut) {
    return lowering.newConstant(tables, lut);
  });
}

Tensor SoftmaxRows::emitSums(const SoftmaxForms &forms, uint32_t rows,
                             const Tensor &in, const char *what) {
  Tensor to = newTensor(rows * sizeof(int32_t), what);
  // The weights of the functions before.
  Value one = lowering.plainConstants(Pointwise(), 1, name + ".ones").loaded;
  lowering.emitAlone(forms.sums(),
                     {{"a", in.buffer}, {"b", one}, {"output", to.buffer}});
  return to;
}

template <typename Kernel, typename Params>
void SoftmaxRows::emitKernel(
    const Params &params,
    std::initializer_list<std::pair<const char *, Tensor>> bound) {
  LayerProgram program;
  KernelCall &call = program.call<Kernel>(params);
  SmallVector<Tensor> tensors;
  for (const auto &[buffer, tensor] : bound) {
    BufferBinding binding;
    binding.kind = BufferBinding::Kind::Intermediate;
    binding.index = unsigned(tensors.size());
    call[buffer] = binding;
    tensors.push_back(tensor);
  }
  lowering.lowerHelper(step, program, call, tensors);
}

//===--- By table ---------------------------------------------------------===//

namespace {
class SoftmaxByTable final : public SoftmaxRows {
public:
  /// The table has entries of 16 bits.
  SoftmaxByTable(Lowering &lowering, const Step &step,
                 const kernels::SoftmaxLutParams &p, std::vector<char> table)
      : SoftmaxRows(lowering, step), p(p) {
    tables = std::move(table);
  }

  std::optional<uint64_t> cycles(uint32_t rows) const override {
    SoftmaxForms forms = formsOf(rows);
    ChainCost cost(lowering.getMachine());
    forms.forEachWidth([&](uint32_t width) { cost.add(forms.halves(width)); });
    cost.add(exponentials(forms));
    cost.add(forms.sums());
    cost.add(results(forms));
    return cost.cycles();
  }
  uint64_t rowBytes() const override {
    uint64_t bytes = kernels::dtypeBytes(p.inType);
    return p.shape.axis * (bytes + 2) + 2 * sizeof(int32_t);
  }
  void emit(uint32_t rows, const Tensor &in, const Tensor &out) override {
    SoftmaxForms forms = formsOf(rows);
    Tensor greatest = emitGreatest(forms, rows, p.inType, in);
    Tensor powers =
        newTensor(uint64_t(rows) * p.shape.axis * 2, ".exponentials");
    emitTable(exponentials(forms), in, greatest, powers, /*tableOffset=*/0);
    Tensor sums = emitSums(forms, rows, powers, ".sums");
    Tensor quotients = newTensor(rows * sizeof(int32_t), ".quotients");
    emitKernel<kernels::SoftmaxReverse>(
        kernels::SoftmaxReverseParams{
            .count = rows, .scale = p.scale, .extraBits = p.extraBits},
        {{"sums", sums}, {"output", quotients}});
    lowering.emitPointwise(step, results(forms), powers, quotients, out, {});
  }

private:
  SoftmaxForms formsOf(uint32_t rows) const {
    return {p.inType, rows, p.shape.axis};
  }
  Pointwise exponentials(const SoftmaxForms &forms) const {
    return forms.differences(DType::U16, p.inBits, p.log2Size);
  }
  Pointwise results(const SoftmaxForms &forms) const {
    Pointwise f = forms.withNumbers(SumOp::Mul, DType::U16, DType::I32,
                                    p.outType, p.lo, p.hi);
    f.stage.wideSum = true;
    f.stage.sumShift = int8_t(p.shift + p.extraBits);
    f.stage.sumZeroPoint = p.zp;
    return f;
  }

  kernels::SoftmaxLutParams p;
};
} // namespace

/// The table as entries of 16 bits; empty if they have more.
static std::vector<char> wordsOf(const BufferBinding &table) {
  std::vector<char> words;
  for (int64_t i = 0, e = table.view.numElements(); i < e; ++i) {
    int64_t entry = table.view.intAt(i);
    if (entry < 0 || entry > UINT16_MAX)
      return {};
    words.push_back(char(entry));
    words.push_back(char(entry >> 8));
  }
  return words;
}

static std::unique_ptr<SoftmaxRows> byTable(Lowering &lowering,
                                            const Step &step) {
  auto p = step.call.paramsOf<kernels::SoftmaxLutInt>();
  const kernels::SoftmaxShape &s = p.shape;
  const BufferBinding &bound = step.call["table"];
  constexpr uint32_t kMostAxis = INT32_MAX / UINT16_MAX; // of sums
  if (p.numeratorFirst || s.inner != 1 || s.axis < 2 || s.axis > kMostAxis ||
      !isEngineType(p.inType) || !isEngineType(p.outType) ||
      !lowering.getMachine().hasWideScales() || p.inBits > 16 ||
      p.log2Size > p.inBits || p.extraBits < 0 || p.shift + p.extraBits < 0 ||
      p.shift + p.extraBits > 62 || bound.kind != BufferBinding::Kind::Constant)
    return nullptr;
  std::vector<char> table = wordsOf(bound);
  if (table.size() != size_t(2) << p.log2Size)
    return nullptr;
  // The greatest value's exponential is in every sum: quotients have 31 bits.
  int64_t last = bound.view.intAt(bound.view.numElements() - 1);
  if (last < 2 || (int64_t(p.scale) << p.extraBits) / last > INT32_MAX)
    return nullptr;
  return std::make_unique<SoftmaxByTable>(lowering, step, p, std::move(table));
}

//===--- By powers of two -------------------------------------------------===//

namespace {
/// FAST_EXP of bytes: exponents are kept negated, as shifts (SoftmaxExponents).
class SoftmaxByPowers final : public SoftmaxRows {
public:
  SoftmaxByPowers(Lowering &lowering, const Step &step,
                  const kernels::SoftmaxExpParams &p)
      : SoftmaxRows(lowering, step), p(p) {
    std::vector<char> highs, lows;
    for (int d = -255; d <= 0; ++d) {
      int64_t shift =
          std::min<int64_t>(-(d * int64_t(p.inputScale) >> p.inputShift),
                            kernels::SoftmaxExponents::kNothing);
      uint32_t power = (1u << p.pow2OutQ) >> shift;
      tables.push_back(char(shift));
      addWord(power >> 16, highs), addWord(power & 0xffff, lows);
    }
    llvm::append_range(tables, highs);
    llvm::append_range(tables, lows);
    for (int shift = 0; shift < 1 << kResultBits; ++shift)
      tables.push_back(
          char(std::clamp(shift < 16 ? 256 >> shift : 0, p.lo, p.hi)));
  }

  std::optional<uint64_t> cycles(uint32_t rows) const override {
    SoftmaxForms forms = formsOf(rows);
    ChainCost cost(lowering.getMachine());
    forms.forEachWidth([&](uint32_t width) { cost.add(forms.halves(width)); });
    for (DType type : {DType::U8, DType::U16, DType::U16})
      cost.add(forms.differences(type, 8, 8));
    cost.add(forms.sums());
    cost.add(forms.sums());
    cost.add(results(forms));
    return cost.cycles();
  }
  uint64_t rowBytes() const override {
    return p.shape.axis * 6 + 2 * sizeof(int32_t) + sizeof(int16_t);
  }
  void emit(uint32_t rows, const Tensor &in, const Tensor &out) override {
    SoftmaxForms forms = formsOf(rows);
    uint64_t elements = uint64_t(rows) * p.shape.axis;
    Tensor greatest = emitGreatest(forms, rows, p.inType, in);
    auto sumsOf = [&](size_t table, const char *what) {
      Tensor powers = newTensor(2 * elements, ".powers");
      emitTable(forms.differences(DType::U16, 8, 8), in, greatest, powers,
                table);
      return emitSums(forms, rows, powers, what);
    };
    Tensor high = sumsOf(kHighs, ".high"), low = sumsOf(kLows, ".low");
    Tensor logs = newTensor(rows * sizeof(int16_t), ".logarithms");
    emitKernel<kernels::SoftmaxLog>(
        kernels::SoftmaxLogParams{
            .count = rows, .pow2OutQ = p.pow2OutQ, .adjustQ = p.adjustQ},
        {{"high", high}, {"low", low}, {"output", logs}});
    // While the TECs take the logarithms.
    Tensor exponents = newTensor(elements, ".exponents");
    emitTable(forms.differences(DType::U8, 8, 8), in, greatest, exponents,
              kShifts);
    emitTable(results(forms), exponents, logs, out, kValues);
  }

private:
  static constexpr uint32_t kResultBits = 6;
  /// Where the tables are: of bytes, of two of words, of bytes.
  static constexpr size_t kShifts = 0, kHighs = 256, kLows = 768,
                          kValues = 1280;

  static void addWord(uint32_t word, std::vector<char> &table) {
    table.push_back(char(word)), table.push_back(char(word >> 8));
  }
  SoftmaxForms formsOf(uint32_t rows) const {
    return {p.inType, rows, p.shape.axis};
  }
  /// A shift and what the sum adds to it choose from a table.
  Pointwise results(const SoftmaxForms &forms) const {
    Pointwise f = forms.withNumbers(SumOp::Add, DType::U8, DType::I16,
                                    DType::I32, 0, (1 << kResultBits) - 1);
    isa::Conv &d = f.stage;
    d.hasLut = true;
    d.lutType = p.outType;
    d.lutInputBits = d.lutLog2Items = kResultBits;
    return f;
  }

  kernels::SoftmaxExpParams p;
};
} // namespace

static std::unique_ptr<SoftmaxRows> byPowers(Lowering &lowering,
                                             const Step &step) {
  auto p = step.call.paramsOf<kernels::SoftmaxExpInt>();
  const kernels::SoftmaxShape &s = p.shape;
  bool isSumOfWord =
      s.axis <= UINT16_MAX && uint64_t(s.axis) << p.pow2OutQ <= UINT32_MAX;
  if (!kernels::SoftmaxExponents::fit(p) || s.axis < 2 || !isSumOfWord)
    return nullptr;
  return std::make_unique<SoftmaxByPowers>(lowering, step, p);
}

//===----------------------------------------------------------------------===//

/// What the TECs take for rows (bench_kernels).
static uint64_t tecCycles(const kernels::SoftmaxShape &s,
                          const isa::Machine &machine) {
  constexpr uint64_t kCall = 100, kRow = 32, kValue = 2;
  return kCall + s.outer * (kRow + kValue * s.axis) / machine.tecs;
}

bool Lowering::lowerSoftmaxRows(const Step &step) {
  if (!options.fuseResidual)
    return false;
  bool isTable = step.call.is<kernels::SoftmaxLutInt>();
  std::unique_ptr<SoftmaxRows> softmax =
      isTable ? byTable(*this, step) : byPowers(*this, step);
  if (!softmax)
    return false;
  kernels::SoftmaxShape s =
      isTable ? step.call.paramsOf<kernels::SoftmaxLutInt>().shape
              : step.call.paramsOf<kernels::SoftmaxExpInt>().shape;
  Tensor in = tensorOf(step, "input"), home = tensorOf(step, "output");
  uint64_t inRow = in.sizeBytes() / s.outer,
           outRow = home.sizeBytes() / s.outer;
  uint64_t each = softmax->rowBytes() + (in.inSram ? 0 : inRow) +
                  (home.inSram ? 0 : outRow);
  uint64_t freeBytes = freeSramBytes() / 2;
  constexpr uint64_t kMostParts = 16, kBuffers = 24;
  uint64_t slack = softmax->tableBytes() + kBuffers * isa::kBufferAlignBytes;
  if (freeBytes < slack + each)
    return false;
  auto part = uint32_t(std::min<uint64_t>(s.outer, (freeBytes - slack) / each));
  uint64_t parts = isa::divideUp(s.outer, part);
  std::optional<uint64_t> cycles = softmax->cycles(part);
  if (parts > kMostParts || !cycles ||
      parts * (*cycles + kernelCycles(part, machine)) >= tecCycles(s, machine))
    return false;
  uint64_t need = part * each + slack;
  graph.intermediateBytes += need;
  constexpr uint64_t kMostShared = 256; // channels, of 5 bytes each
  sharePlainConstants(std::min<uint64_t>(s.axis, kMostShared));
  for (uint32_t begin = 0; begin < s.outer; begin += part) {
    uint32_t rows = std::min(part, s.outer - begin);
    Tensor from = in, to = home;
    from.offsetBytes += begin * inRow, from.partBytes = rows * inRow;
    to.offsetBytes += begin * outRow, to.partBytes = rows * outRow;
    Tensor staged = stageIn(from), out = stageOut(to);
    softmax->emit(rows, staged, out);
    finishOut(out, to);
  }
  graph.intermediateBytes -= need;
  return true;
}

void Lowering::lowerHelper(const Step &step, const LayerProgram &program,
                           const KernelCall &call, ArrayRef<Tensor> tensors) {
  std::vector<Tensor> own(tensors.begin(), tensors.end());
  std::swap(graph.intermediates, own);
  lowerKernel({step.op, program, call});
  std::swap(graph.intermediates, own);
}
