//===- LayerPrices.cpp - What 16 bits cost each layer ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/LayerPrices.h"
#include "compiler/precision/LayerNoise.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/Graphs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;

/// One that reads \p value twice is one.
static void addReaders(mlir::Value value,
                       llvm::SmallSetVector<mlir::Operation *, 8> &dearer) {
  for (mlir::Operation *user : value.getUsers())
    if (recordOf(user) && user->getBlock() == value.getParentBlock() &&
        dearer.insert(user))
      for (mlir::Value result : resultsWithBitsOf(value, user))
        addReaders(result, dearer);
}

llvm::SmallSetVector<mlir::Operation *, 8>
yarrow::dearerWith(mlir::Operation *layer) {
  llvm::SmallSetVector<mlir::Operation *, 8> dearer;
  dearer.insert(layer);
  for (mlir::Value result : layer->getResults())
    addReaders(result, dearer);
  return dearer;
}

/// The names in a row: one layer, or several that are computed together.
static llvm::SmallVector<llvm::StringRef>
layersOf(const runtime::LayerReport &row) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(row.name).split(names, " + ");
  return names;
}

uint64_t yarrow::cyclesOfLayers(const std::vector<runtime::LayerReport> &rows,
                                const llvm::StringSet<> &layers) {
  uint64_t cycles = 0;
  for (const runtime::LayerReport &row : rows) {
    if (llvm::any_of(layersOf(row), [&](llvm::StringRef name) {
          return layers.contains(name);
        }))
      cycles += row.cycles;
  }
  return cycles;
}

/// Layers of one row share its cycles equally: the report does not divide them.
static llvm::StringMap<double> cyclesByLayer(const runtime::Report &report) {
  llvm::StringMap<double> cycles;
  for (const runtime::LayerReport &row : report.layers) {
    llvm::SmallVector<llvm::StringRef> names = layersOf(row);
    for (llvm::StringRef name : names)
      cycles[name] += double(row.cycles) / double(names.size());
  }
  return cycles;
}

std::optional<LayerPrices> yarrow::priceLayers(const PriceTask &task) {
  // Moves have a price as well.
  llvm::DenseMap<mlir::Operation *, unsigned> rows;
  std::vector<std::string> names;
  for (mlir::Operation &op :
       mainGraph(task.network).getBody().front().without_terminator())
    if (recordOf(&op)) {
      rows[&op] = unsigned(names.size());
      names.push_back(layerNameOf(&op).str());
    }
  constexpr std::size_t kNetworks = 3;
  task.progress(0, kNetworks);
  std::optional<runtime::Report> narrow = task.cost(task.narrow);
  if (!narrow)
    return std::nullopt;
  LayerPrices prices;
  llvm::StringMap<double> cycles[kNetworks] = {cyclesByLayer(*narrow)};
  for (std::size_t n = 1; n < kNetworks; ++n) {
    task.progress(n, kNetworks);
    auto network = task.widened(/*weights=*/n == 2);
    std::optional<runtime::Report> wide =
        network ? task.cost(*network) : std::nullopt;
    if (!wide)
      return std::nullopt;
    cycles[n] = cyclesByLayer(*wide);
    if (n == 1)
      prices.wideCycles = double(wide->cycles);
  }
  task.progress(kNetworks, kNetworks);
  prices.narrowCycles = double(narrow->cycles);
  for (const std::string &name : names) {
    double base = cycles[0].lookup(name), results = cycles[1].lookup(name),
           both = std::max(results, cycles[2].lookup(name));
    RowPrice row;
    row.results = std::max(0.0, results - base);
    row.both = std::max(row.results, both - base);
    row.weights = (both - results) / 2;
    prices.rows.push_back(row);
    prices.narrowOfRow.push_back(base);
  }
  prices.names = std::move(names);
  for (mlir::Operation *op : task.layers) {
    std::vector<unsigned> &touched = prices.touched.emplace_back();
    for (mlir::Operation *dearer : dearerWith(op))
      touched.push_back(rows.lookup(dearer));
  }
  return prices;
}

std::vector<double>
LayerPrices::moreOfRows(const runtime::Report &report) const {
  llvm::StringMap<double> cycles = cyclesByLayer(report);
  std::vector<double> more;
  for (auto [name, before] : llvm::zip_equal(names, narrowOfRow))
    more.push_back(cycles.lookup(name) - before);
  return more;
}
