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

using Rows = llvm::DenseMap<mlir::Operation *, unsigned>;

/// The rows of what reads \p value, also behind what has its bits; one that
/// reads it twice is one.
static void addTouched(mlir::Value value, const Rows &rows,
                       llvm::SmallSetVector<unsigned, 8> &touched) {
  for (mlir::Operation *user : value.getUsers()) {
    auto row = rows.find(user);
    if (row != rows.end() && touched.insert(row->second))
      for (mlir::Value result : resultsWithBitsOf(value, user))
        addTouched(result, rows, touched);
  }
}

static llvm::StringMap<double> cyclesByLayer(const runtime::Report &report) {
  llvm::StringMap<double> cycles;
  for (const runtime::LayerReport &layer : report.layers)
    cycles[layer.name] += double(layer.cycles);
  return cycles;
}

std::optional<LayerPrices> yarrow::priceLayers(const PriceTask &task) {
  // Moves have a price as well.
  Rows rows;
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
    llvm::SmallSetVector<unsigned, 8> touched;
    touched.insert(rows.lookup(op));
    for (mlir::Value result : op->getResults())
      addTouched(result, rows, touched);
    prices.touched.emplace_back(touched.begin(), touched.end());
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
