//===- SoftmaxPairs.cpp - Softmax of two values on the tensor engine ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// All integer forms of Softmax compute with differences to the greatest value
// alone. Of two values each result is therefore a function of one number, the
// value less the other one: of bytes a table of 512 entries, which the kernel
// itself has filled.
//
//===----------------------------------------------------------------------===//
#include "isa/CommandRules.h"
#include "isa/ElfLayout.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/norm/Softmax.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/EngineTypes.h"
#include "passes/lower/describe/Pointwise.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using kernels::DType;

static constexpr int kMostDifference = 255, kTableItems = 512;

namespace {
/// What lies where, and the results for differences from -256 on.
struct SoftmaxPair {
  kernels::SoftmaxShape shape;
  DType inType, outType;
  std::vector<char> table;
};
} // namespace

/// What the kernel makes of every difference; false if it is no function of it.
template <typename Kernel>
static bool fillTable(const KernelCall &call, const SoftmaxPair &pair,
                      std::vector<char> &table) {
  auto p = call.paramsOf<Kernel>();
  p.shape = {.outer = 2 * kMostDifference + 1, .axis = 2, .inner = 1};
  // Rows of the differences from -255 to 255, of the least value that is
  // possible and one above it.
  std::vector<char> rows;
  char least = pair.inType == DType::I8 ? char(-128) : char(0);
  for (int d = -kMostDifference; d <= kMostDifference; ++d) {
    rows.push_back(char(least + std::max(d, 0)));
    rows.push_back(char(least + std::max(-d, 0)));
  }
  uint32_t bytes = kernels::dtypeBytes(pair.outType);
  std::vector<char> results(rows.size() * bytes);
  std::vector<void *> buffers;
  for (auto [i, bound] : llvm::enumerate(call.bindings())) {
    if (call.bufferOf(i).isOutput)
      buffers.push_back(results.data());
    else if (bound.kind == compass::BufferBinding::Kind::Constant)
      buffers.push_back(const_cast<char *>(bound.view.bytes.data()));
    else
      buffers.push_back(rows.data());
  }
  call.getKernel().fn(&p, buffers.data(), /*task=*/0, /*taskCount=*/1);
  auto resultOf = [&](size_t row, size_t column) {
    return StringRef(&results[(2 * row + column) * bytes], bytes);
  };
  table.assign(bytes, 0); // of -256, which is none
  for (size_t row = 0; row < p.shape.outer; ++row) {
    if (resultOf(row, 0) != resultOf(p.shape.outer - 1 - row, 1))
      return false;
    llvm::append_range(table, resultOf(row, 0));
  }
  return true;
}

template <typename Kernel>
static bool describePair(const KernelCall &call, SoftmaxPair &pair) {
  auto p = call.paramsOf<Kernel>();
  pair.shape = p.shape;
  pair.inType = p.inType, pair.outType = p.outType;
  auto isKnown = [&](size_t i) {
    return call.bufferOf(i).isOutput || call.bufferOf(i).name == "input" ||
           call.bindings()[i].kind == compass::BufferBinding::Kind::Constant;
  };
  return p.shape.axis == 2 && isEngineType(p.outType) &&
         (p.inType == DType::I8 || p.inType == DType::U8) &&
         llvm::all_of(llvm::seq<size_t>(0, call.bindings().size()), isKnown) &&
         fillTable<Kernel>(call, pair, pair.table);
}

/// A value less its neighbour, both of \p type, in the table.
static Pointwise differenceOf(const SoftmaxPair &pair) {
  Pointwise f;
  f.stage = plainStage(pair.inType);
  isa::Conv &d = f.stage;
  d.hasResidual = true;
  d.mainType = d.residualType = pair.inType;
  d.outType = DType::I16;
  d.sumOp = isa::SumOp::Sub;
  isa::setSumScales(d, {.main = 1, .residual = 1, .sum = 1});
  d.sumMin = d.lutInputMin = -kTableItems / 2;
  d.sumMax = kTableItems / 2 - 1;
  d.hasLut = true;
  d.lutType = pair.outType;
  d.lutLog2Items = d.lutInputBits = 9;
  auto inner = int64_t(pair.shape.inner);
  f.axes = {{pair.shape.outer, 2 * inner, 2 * inner, 2 * inner},
            {pair.shape.inner, 1, 1, 1}};
  return f;
}

bool Lowering::lowerSoftmaxPairs(const Step &step) {
  const KernelCall &call = step.call;
  SoftmaxPair pair;
  bool isPair = call.is<kernels::SoftmaxLutInt>()
                    ? describePair<kernels::SoftmaxLutInt>(call, pair)
                : call.is<kernels::SoftmaxExpInt>()
                    ? describePair<kernels::SoftmaxExpInt>(call, pair)
                    : describePair<kernels::SoftmaxPow2Int>(call, pair);
  if (!options.fuseResidual || !isPair)
    return false;
  Tensor in = tensorOf(step, "input"), home = tensorOf(step, "output");
  // Single values are copied badly: from DDR the pairs come as a whole, or in
  // parts of which two fit.
  const uint64_t pairs = pair.shape.outer;
  uint64_t inPair = in.sizeBytes() / pairs, outPair = home.sizeBytes() / pairs;
  uint64_t each = (in.inSram ? 0 : inPair) + (home.inSram ? 0 : outPair);
  uint64_t fixed = pair.table.size() + 8 * isa::kBufferAlignBytes;
  uint64_t freeBytes = freeSramBytes() / 2;
  if (fixed + each > freeBytes)
    return false;
  uint64_t part = pairs;
  if (fixed + pairs * each > freeBytes)
    part = std::max<uint64_t>(1, (freeBytes - fixed) / 2 / each);
  Pointwise f = differenceOf(pair);
  auto canBe = [&](uint64_t count) {
    Pointwise some = f;
    some.axes.front().size = count;
    std::vector<PointPart> parts =
        partsOf(some.axes, /*hasSlopes=*/false, machine.macArray);
    return !parts.empty() && llvm::none_of(parts, [&](const PointPart &point) {
      return isa::refusalOf(commandOf(some, point)).has_value();
    });
  };
  constexpr uint64_t kMostParts = 64;
  uint64_t rest = pairs % part;
  if (pairs / part > kMostParts || !canBe(part) || (rest != 0 && !canBe(rest)))
    return false;
  uint64_t inStep = pair.shape.inner * uint64_t(f.inBytes()),
           outStep = pair.shape.inner * uint64_t(f.outBytes());
  bool isDone = true;
  for (uint64_t begin = 0; begin < pairs; begin += part) {
    uint64_t count = std::min(part, pairs - begin);
    f.axes.front().size = count;
    Tensor from = in, to = home;
    from.offsetBytes += begin * inPair, from.partBytes = count * inPair;
    to.offsetBytes += begin * outPair, to.partBytes = count * outPair;
    Tensor whole = stageIn(from), out = stageOut(to);
    for (uint64_t i : {0, 1}) {
      Tensor own = whole, other = whole, result = out;
      own.offsetBytes += i * inStep, other.offsetBytes += (1 - i) * inStep;
      result.offsetBytes += i * outStep;
      isDone &= emitPointwise(step, f, own, other, result, [&](StringRef name) {
        return newConstant(pair.table, name);
      });
    }
    finishOut(out, to);
  }
  return isDone;
}
