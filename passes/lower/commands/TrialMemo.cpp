//===- TrialMemo.cpp - What trials need not find again --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/TrialMemo.h"

using namespace yarrow;
using namespace yarrow::npu;

namespace {

/// Lists numbers.
class KeyMaker {
public:
  template <typename... Numbers> void add(Numbers... numbers) {
    (key.push_back(uint64_t(numbers)), ...);
  }
  std::vector<uint64_t> key;
};

} // namespace

/// Of a layer, all that its tiles and their commands' costs depend on: all but
/// the numbers that it computes with.
static void addLayer(const ConvLayer &c, KeyMaker &to) {
  isa::Conv base = c.base;
  base.forEachMember([&](auto, auto &member) { to.add(int64_t(member)); });
  to.add(c.batch, c.inH, c.inW, c.inC, c.outH, c.outW, c.outC, c.groups,
         c.depthwise, c.inElem, c.outElem, c.weightElem, c.residualElem,
         c.isInputPlanar, c.outPitchBytes, c.filterElements,
         c.requant.perChannel, c.hasResidual, c.hasPhaseBiases, c.tileRows,
         c.tileSpan, c.tileStep, c.phaseRows, c.phaseColumns, c.fold.kernelX,
         c.fold.padLeft, c.fold.columns, c.fold.isPadded, c.phases.size());
  for (const ConvPhase &phase : c.phases)
    to.add(phase.row, phase.column, phase.startY, phase.startX, phase.kernelY,
           phase.kernelX, phase.columns);
}

ConvTiling TrialMemo::tilingOf(const ConvLayer &layer,
                               const TilingLimits &limits,
                               const ConvResidents &resident,
                               const isa::Machine &machine) {
  assert(!limits.range && "of a whole layer");
  KeyMaker maker;
  maker.add(limits.sramBytes, limits.weightPartBytes, limits.inputBands,
            resident.isInputInSram, resident.input, resident.output,
            resident.residual, resident.weights);
  addLayer(layer, maker);
  auto [it, isNew] = tilings.try_emplace(std::move(maker.key));
  if (isNew)
    it->second = chooseTiling(layer, limits, resident, machine);
  return it->second;
}
