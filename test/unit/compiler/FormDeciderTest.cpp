//===- FormDeciderTest.cpp - A form made up, among layers -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/FormDecider.h"
#include "compiler/pipeline/Context.h"
#include "dialects/compass/Compass.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"

using namespace yarrow;
using ::testing::HasSubstr;

namespace {

const char *kThreeLayers = R"(
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %a = compass.exp(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("gains")
  %b = compass.exp(%a) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("loses")
  %c = compass.exp(%b) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("other")
  return %c : tensor<1x4xf32>
})";

constexpr FormFamily kHalves = {.name = "Halving",
                                .layers = "layers",
                                .unsuitable = "it is the other one",
                                .unwanted = "nobody wants it",
                                .given = "it is halved",
                                .direct = "cannot be halved",
                                .others = "are others"};

/// Marks layers; "other" is no candidate.
class HalvedForm : public LayerForm {
public:
  std::string name() const override { return "half"; }
  const FormFamily &family() const override { return kHalves; }
  bool isExact() const override { return true; }
  bool isOn(const isa::Machine &) const override { return true; }
  std::string whyNotOn(const isa::Machine &, bool) const override { return ""; }
  bool concerns(mlir::Operation *layer) const override {
    return layer->getNumOperands() == 1 && layer->getNumResults() == 1;
  }
  bool isCandidate(mlir::Operation *layer) const override {
    return compass::layerNameOf(layer) != "other";
  }
  bool isIn(mlir::Operation *layer) const override {
    return layer->hasAttr("half");
  }
  mlir::OwningOpRef<mlir::ModuleOp> apply(const FormInput &,
                                          const std::vector<FormLayer> &layers,
                                          DiagnosticEngine &) const override {
    for (const FormLayer &layer : layers)
      layer.direct->setAttr("half",
                            mlir::UnitAttr::get(layer.direct->getContext()));
    return nullptr;
  }
};

/// Every layer takes 100 cycles; halved, "gains" takes 60 and "loses" 130.
std::optional<runtime::Report> cyclesOf(mlir::ModuleOp network) {
  runtime::Report report;
  network.walk([&](compass::CompassOp layer) {
    mlir::Operation *op = layer;
    runtime::LayerReport row;
    row.name = compass::layerNameOf(op).str();
    row.cycles = !op->hasAttr("half") ? 100 : row.name == "gains" ? 60 : 130;
    report.cycles += row.cycles;
    report.layers.push_back(row);
  });
  return report;
}

struct Chosen {
  FormDecision decision;
  mlir::OwningOpRef<mlir::ModuleOp> network;
};

Chosen choose(mlir::MLIRContext &context, FormUse use, bool isWanted = true) {
  static const HalvedForm half;
  static const isa::Machine machine = [] {
    isa::Machine m;
    m.name = "M";
    return m;
  }();
  Chosen result;
  auto direct = mlir::parseSourceString<mlir::ModuleOp>(
      kThreeLayers, mlir::ParserConfig(&context, false));
  FormSearchTask search{{use}, machine, cyclesOf};
  FormDecider decider({&half}, /*isInteger=*/true, search, result.decision);
  decider.addRows(*direct, [&](auto &, auto *) { return isWanted; });
  mlir::OwningOpRef<mlir::ModuleOp> halved = direct->clone();
  std::vector<FormLayer> layers;
  for (auto [number, layer] : llvm::enumerate(decider.layersOf(*halved)))
    if (decider.isAllowed(number, 1))
      layers.push_back({layer, nullptr});
  DiagnosticEngine diags;
  half.apply({}, layers, diags);
  if (decider.hasCandidates())
    result.network = decider.choose({*direct, *halved}, nullptr);
  return result;
}

} // namespace

TEST(FormDecider, AnyFormIsChosenWhereItPays) {
  auto context = makeContext();
  Chosen chosen = choose(*context, FormUse::Auto);
  const std::vector<FormRow> &rows = chosen.decision.rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].chosen, 1u);
  EXPECT_EQ(rows[0].reason, "saves the network 40 cycles");
  EXPECT_EQ(rows[1].chosen, 0u);
  EXPECT_THAT(rows[1].reason, HasSubstr("half costs the network 30 cycles"));
  EXPECT_FALSE(rows[2].isSuitable);
  EXPECT_EQ(rows[2].reason, "it is the other one");
  EXPECT_EQ(chosen.decision.directCycles, 300u);
  EXPECT_EQ(chosen.decision.cycles, 260u);
  unsigned numHalved = 0;
  chosen.network->walk(
      [&](mlir::Operation *op) { numHalved += op->hasAttr("half"); });
  EXPECT_EQ(numHalved, 1u);
  EXPECT_THAT(chosen.decision.table(200),
              HasSubstr("Halving on M: 1 of 3 layers, network 300 -> 260 "
                        "cycles\n1 more are others\n"));
}

TEST(FormDecider, AllTakesEveryCandidate) {
  auto context = makeContext();
  Chosen chosen = choose(*context, FormUse::All);
  EXPECT_EQ(chosen.decision.cycles, 290u);
  EXPECT_EQ(chosen.decision.rows[1].reason, "asked for in all layers");
}

TEST(FormDecider, NothingIsChangedThatNobodyWants) {
  auto context = makeContext();
  Chosen chosen = choose(*context, FormUse::Auto, /*isWanted=*/false);
  EXPECT_FALSE(chosen.network);
  EXPECT_EQ(chosen.decision.rows[0].reason, "nobody wants it");
}
