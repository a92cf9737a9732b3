//===- GroupSums.cpp - Sums over groups by the tensor engine --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/GroupSums.h"
#include "isa/Cost.h"
#include "kernels/norm/NormLoops.h"

#include <optional>

using namespace yarrow;
using namespace yarrow::npu;
using kernels::DType;
using kernels::kGroupBlock;

namespace {

/// Groups and their terms; strides count elements.
struct GroupPlaces {
  uint32_t runs = 1, groups = 1, terms = 1;
  uint64_t runStride = 0, groupStride = 0, termStride = 0;
};

/// One of the bytes of an element, as a type.
struct BytePlane {
  DType type;
  uint32_t offset;
};

class ProductMaker {
public:
  ProductMaker(DType type, const GroupPlaces &at, GroupSums &sums)
      : type(type), bytes(kernels::dtypeBytes(type)), at(at), sums(sums) {}

  void addSums(bool areRows);
  void addSquares();

private:
  /// A product of whole numbers, as they are.
  static isa::MatMul plainProduct() {
    isa::MatMul d;
    isa::setScale(d, 1);
    d.outType = DType::I32;
    d.outMin = INT32_MIN, d.outMax = INT32_MAX;
    d.batch = d.rows = d.columns = 1;
    return d;
  }
  void addBlocks(uint32_t run, BytePlane a, BytePlane b, uint64_t output);
  void addBlock(isa::MatMul d, uint64_t first, uint32_t groups, BytePlane a,
                BytePlane b, uint64_t output);

  DType type;
  uint32_t bytes;
  const GroupPlaces &at;
  GroupSums &sums;
};

} // namespace

static std::optional<GroupPlaces> placesOf(const kernels::NormShape &s) {
  GroupPlaces at;
  uint32_t kept = countOf(s.kept), reduced = countOf(s.reduced);
  if (s.kept.rank > 1 || s.reduced.rank > 1)
    return std::nullopt;
  uint64_t keptStride = s.kept.rank ? s.kept.strides[0] : 0;
  uint64_t reducedStride = s.reduced.rank ? s.reduced.strides[0] : 0;
  if (s.groupColumns != 0) {
    at.runs = kept, at.groups = s.inner, at.terms = reduced;
    at.runStride = keptStride, at.groupStride = 1;
    at.termStride = reducedStride;
    return at;
  }
  // The terms of a row touch.
  if (reduced != 1 && reducedStride != s.inner)
    return std::nullopt;
  at.groups = kept, at.terms = reduced * s.inner;
  at.groupStride = keptStride, at.termStride = 1;
  return at;
}

void ProductMaker::addSums(bool areRows) {
  GroupProduct product{plainProduct()};
  isa::MatMul &d = product.command;
  d.inner = at.terms;
  uint64_t group = at.groupStride * bytes, term = at.termStride * bytes;
  if (areRows) {
    // One 1, which is all that is read of the ones.
    product.isOnesB = true;
    d.aType = type, d.bType = DType::I8;
    d.rows = at.groups;
    d.aRowStride = uint32_t(group), d.aInnerStride = uint32_t(term);
    d.outRowStride = sizeof(int32_t);
  } else {
    product.isOnesA = true;
    d.aType = DType::I8, d.bType = type;
    d.batch = at.runs, d.columns = at.groups;
    d.bBatchStride = uint32_t(at.runStride * bytes);
    d.bInnerStride = uint32_t(term), d.bColumnStride = uint32_t(group);
    d.outRowStride = d.outBatchStride = at.groups * sizeof(int32_t);
  }
  sums.products.push_back(product);
}

void ProductMaker::addBlock(isa::MatMul d, uint64_t first, uint32_t groups,
                            BytePlane a, BytePlane b, uint64_t output) {
  d.rows = d.columns = groups;
  d.inner = at.terms;
  d.aType = a.type, d.bType = b.type;
  d.a = uint32_t(first * bytes + a.offset);
  d.b = uint32_t(first * bytes + b.offset);
  d.aRowStride = d.bColumnStride = uint32_t(at.groupStride * bytes);
  d.aInnerStride = d.bInnerStride = uint32_t(at.termStride * bytes);
  d.aBatchStride = d.bBatchStride = kGroupBlock * d.aRowStride;
  d.output = uint32_t(output);
  d.outRowStride = kGroupBlock * sizeof(int32_t);
  d.outBatchStride = kGroupBlock * d.outRowStride;
  sums.products.push_back({d});
}

void ProductMaker::addBlocks(uint32_t run, BytePlane a, BytePlane b,
                             uint64_t output) {
  uint64_t first = run * at.runStride;
  uint32_t whole = at.groups / kGroupBlock, rest = at.groups % kGroupBlock;
  isa::MatMul d = plainProduct();
  if (whole != 0) {
    d.batch = whole;
    addBlock(d, first, kGroupBlock, a, b, output);
  }
  d.batch = 1;
  constexpr uint64_t kBlockBytes = kGroupBlock * kGroupBlock * sizeof(int32_t);
  if (rest != 0)
    addBlock(d, first + uint64_t(whole) * kGroupBlock * at.groupStride, rest, a,
             b, output + whole * kBlockBytes);
}

void ProductMaker::addSquares() {
  BytePlane low{DType::U8, 0};
  BytePlane high{type == DType::I16 ? DType::I8 : DType::U8, 1};
  BytePlane own{type, 0};
  // In the order of GroupGainsParams.
  llvm::SmallVector<std::pair<BytePlane, BytePlane>, 3> planes;
  if (bytes == 1)
    planes = {{own, own}};
  else
    planes = {{high, high}, {high, low}, {low, low}};
  uint64_t runBytes = uint64_t(kernels::groupBlocks(at.groups)) * kGroupBlock *
                      kGroupBlock * sizeof(int32_t);
  for (auto [a, b] : planes)
    for (uint32_t run = 0; run < at.runs; ++run, sums.squareBytes += runBytes)
      addBlocks(run, a, b, sums.squareBytes);
  // Nothing is written behind the last group's product with itself.
  if (uint32_t rest = at.groups % kGroupBlock) {
    uint32_t written = (rest - 1) * (kGroupBlock + 1) + 1;
    sums.squareBytes -= (kGroupBlock * kGroupBlock - written) * sizeof(int32_t);
  }
}

bool npu::describeGroupSums(const kernels::LayerNormIntParams &norm,
                            const isa::Machine &machine, GroupSums &sums) {
  std::optional<GroupPlaces> at = placesOf(norm.shape);
  constexpr uint32_t kMostRuns = 4; // each takes commands of its own
  if (!at || at->runs > kMostRuns || at->terms > kernels::kMostGroupTerms)
    return false;
  sums.params.layer = norm;
  sums.params.runs = at->runs;
  sums.params.groups = at->groups;
  sums.params.terms = at->terms;
  sums.sumBytes = uint64_t(at->runs) * at->groups * sizeof(int32_t);
  ProductMaker maker(norm.inType, *at, sums);
  maker.addSums(/*areRows=*/norm.shape.groupColumns == 0);
  maker.addSquares();
  uint64_t cycles = 0;
  for (const GroupProduct &product : sums.products)
    cycles += isa::costOf(product.command, machine).aloneCycles();
  // What a TEC adds up in a cycle, a value and its square, and what of a row
  // or column it spends beside that.
  constexpr uint64_t kValuesPerCycle = 2, kCyclesPerGroup = 30;
  uint64_t groups = uint64_t(at->runs) * at->groups;
  uint64_t byTecs =
      groups * (at->terms / kValuesPerCycle + kCyclesPerGroup) / machine.tecs;
  return cycles < byTecs;
}
