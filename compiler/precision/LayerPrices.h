//===- LayerPrices.h - What 16 bits cost each layer -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Three simulated networks measure it: all layers at 8 bits, all results at 16,
// and all weights as well. The second network gives the extra cycles of a layer
// whose result or an input has 16 bits. Weights alone have no network: they
// need as many passes of the array as inputs do, so they count as half of their
// extra cycles next to wide inputs. Layers of the same row of the report
// ("conv + add") share its cycles.
//
//   auto prices = priceLayers({network, layers, narrow, widened, cost});
//   prices->rows[prices->touched[layer].front()].weights; // cycles
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_LAYERPRICES_H
#define YARROW_COMPILER_PRECISION_LAYERPRICES_H

#include "compiler/precision/BitsChoice.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/Report.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct PriceTask {
  mlir::ModuleOp network;                   ///< float
  llvm::ArrayRef<mlir::Operation *> layers; ///< Those that have a choice.
  mlir::ModuleOp narrow;                    ///< Quantized with 8 bits.
  /// The same with all results at 16 bits, and all weights if they are to.
  /// Null after errors.
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(bool weights)> widened;
  /// Nullopt after errors.
  std::function<std::optional<runtime::Report>(mlir::ModuleOp)> cost;
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct LayerPrices {
  double narrowCycles = 0;
  double wideCycles = 0; ///< With all results at 16 bits.
  std::vector<RowPrice> rows;
  std::vector<std::string> names;  ///< Of the rows' layers.
  std::vector<double> narrowOfRow; ///< Cycles with 8 bits.
  /// By layer of the task, as BitsLayer has them.
  std::vector<std::vector<unsigned>> touched;

  /// How many cycles more than with 8 bits each row took.
  std::vector<double> moreOfRows(const runtime::Report &report) const;
};

/// \p layer, and then what reads its results, also behind what has its bits:
/// those that its bits make dearer.
llvm::SmallSetVector<mlir::Operation *, 8> dearerWith(mlir::Operation *layer);

/// Of the rows that have one of \p layers, alone or beside others that are
/// computed with it ("conv + add").
uint64_t cyclesOfLayers(const std::vector<runtime::LayerReport> &rows,
                        const llvm::StringSet<> &layers);

/// Nullopt where a network cannot be compiled.
std::optional<LayerPrices> priceLayers(const PriceTask &task);

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_LAYERPRICES_H
