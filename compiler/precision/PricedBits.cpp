//===- PricedBits.cpp - 16 bits in some places, and their price -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/PricedBits.h"

#include "compiler/precision/LayerNoise.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Traits.h"
#include "quantizer/Quantizer.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;
using mlir::ModuleOp;

/// Networks that are compiled for a choice, until one keeps the price: what a
/// row costs depends on its neighbours.
static constexpr unsigned kMostPrices = 8;
/// Of what was asked for, where that was too dear: at most.
static constexpr double kLess = 0.8;
/// Of the cycles of the network with 8 bits: what counts as none.
static constexpr double kFree = 0.005;
static constexpr unsigned kMoreBits = 16;
/// Of the sums of such weights.
static constexpr unsigned kMoreBiasBits = 48;

PricedBits::PricedBits(const FinishedTask &finished, Cost cost)
    : finished(finished), cost(std::move(cost)),
      listed(layersWithBits(finished.network)), base(finished.now.options) {}

bool PricedBits::findPrices(BitsProblem &problem, const Progress &progress) {
  BitsChoice results = allResults(), both = results;
  for (unsigned i = 0; i < listed.size(); ++i)
    if (problem.layers[i].inWeights > 0)
      both.weights.push_back(i);
  DiagnosticEngine problems;
  PriceTask pricing{finished.network, listed, *finished.now.quantized};
  pricing.widened = [&](bool weights) {
    return quantizedCopy(finished.network, finished.calibration,
                         optionsFor(weights ? both : results), problems);
  };
  pricing.cost = [&](ModuleOp network) { return cost(network, problems); };
  pricing.progress = progress;
  prices = priceLayers(pricing);
  if (!prices)
    return false;
  problem.leastPrice = narrowCycles() / 2000;
  problem.prices = prices->rows;
  for (auto [entry, touched] : llvm::zip_equal(problem.layers, prices->touched))
    entry.touched = touched;
  return true;
}

BitsChoice PricedBits::allResults() const {
  BitsChoice choice;
  for (unsigned i = 0; i < listed.size(); ++i)
    choice.results.push_back(i);
  return choice;
}

QuantizerOptions PricedBits::optionsFor(const BitsChoice &choice) const {
  QuantizerOptions options = base;
  auto add = [&](const std::vector<unsigned> &chosen, auto apply) {
    LayerOverride over;
    for (unsigned i : chosen) {
      auto id = unsigned(
          listed[i]->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr).getInt());
      over.layerIds.push_back({id, id});
    }
    over.apply = apply;
    if (!chosen.empty())
      options.overrides.push_back(std::move(over));
  };
  add(choice.results, [](LayerOptions &o) {
    o.activationBits = std::max(o.activationBits, kMoreBits);
    o.widensConcat = true;
    o.settle();
  });
  add(choice.weights, [](LayerOptions &o) {
    o.weightBits = std::max(o.weightBits, kMoreBits);
    o.biasBits = std::max(o.biasBits, kMoreBiasBits);
    o.biasEffectiveBits = std::max(o.biasEffectiveBits, kMoreBiasBits);
  });
  return options;
}

std::optional<runtime::Report>
PricedBits::simulate(const BitsChoice &choice) const {
  DiagnosticEngine problems;
  auto network = quantizedCopy(finished.network, finished.calibration,
                               optionsFor(choice), problems);
  return network ? cost(*network, problems) : std::nullopt;
}

std::optional<AffordableBits>
PricedBits::chooseAffordable(BitsProblem &problem) const {
  // What was learned of rows may not be what was dear: less is asked for then.
  BitsProblem asked = problem;
  for (unsigned n = 0; n < kMostPrices; ++n) {
    asked.prices = problem.prices;
    asked.priceFactor = problem.priceFactor;
    AffordableBits found{chooseLayers(asked)};
    if (found.choice.isEmpty())
      return std::nullopt;
    std::optional<runtime::Report> report = simulate(found.choice);
    if (!report)
      return std::nullopt;
    found.cycles = double(report->cycles);
    double spent = found.cycles - narrowCycles();
    problem.correctPrices(found.choice, prices->moreOfRows(*report), spent);
    if (spent <= problem.budget)
      return found;
    asked.budget *= std::min(kLess, problem.budget / spent);
  }
  return std::nullopt;
}

/// What \p layer makes by its weights and one other layer reads, value by
/// value: on its way from the accumulators to a function or a sum in the same
/// command.
static bool isHidden(mlir::Operation *layer) {
  mlir::Value result = layer->getResult(0);
  return layer->hasTrait<trait::Linear>() && result.hasOneUse() &&
         isElementwise(*result.user_begin());
}

std::optional<AffordableBits>
PricedBits::chooseFree(const BitsProblem &problem) const {
  AffordableBits free;
  std::vector<unsigned> &results = free.choice.results;
  for (unsigned i = 0; i < listed.size(); ++i)
    if (isHidden(listed[i]) && problem.layers[i].removable > 0)
      results.push_back(i);
  double most = (1 + kFree) * narrowCycles();
  // Once to see what is dearer, once without that.
  for (unsigned n = 0; n < 2 && !results.empty(); ++n) {
    std::optional<runtime::Report> report = simulate(free.choice);
    if (!report)
      return std::nullopt;
    free.cycles = double(report->cycles);
    if (free.cycles <= most)
      return free;
    std::vector<double> more = prices->moreOfRows(*report);
    llvm::erase_if(results, [&](unsigned i) {
      return llvm::any_of(prices->touched[i], [&](unsigned row) {
        return more[row] > kFree * prices->narrowOfRow[row];
      });
    });
  }
  return std::nullopt;
}
