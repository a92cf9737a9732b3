//===- Evaluator.h - Runs a network on the host ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The reference evaluator: every layer of a module computed by its kernel on
// the host. Calibration, constant folding, accuracy and the checks between
// phases use it; the simulator must give the same bytes.
//
//   auto evaluator = Evaluator::create(module, diags);
//   std::vector<TensorBytes> outputs;
//   evaluator->run({input0}, outputs, [&](mlir::Value v, TensorBytesRef bytes)
//   {
//     ... every tensor as soon as it is computed ...
//   });
//
// To see how other values of one tensor change the outputs, only the layers
// after it are computed again:
//
//   evaluator->rerun(tensorsOfRun, {{value, otherBytes}}, outputs);
//
// One evaluator may run several samples at the same time from several threads.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NETWORK_EVALUATOR_H
#define YARROW_DIALECTS_COMPASS_NETWORK_EVALUATOR_H

#include "dialects/compass/BoundProgram.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <memory>
#include <vector>

namespace yarrow::compass {

using TensorBytes = std::vector<char>;
/// Tensors of @main in one run, as Evaluator::Callback has seen them.
using TensorsOfRun = llvm::DenseMap<mlir::Value, AlignedBuffer>;

/// Why a run ended early: a layer whose loop does not end
/// (BoundProgram::kMaxTrips), or one that has read an index out of bounds.
struct EvaluationStop {
  mlir::Operation *layer = nullptr; ///< Null: it did not.
  IndexFault index = {};
  explicit operator bool() const { return layer != nullptr; }
  void report(DiagnosticEngine &diags) const;
};

class Evaluator {
public:
  using Callback = std::function<void(mlir::Value, TensorBytesRef)>;
  using IntermediateCallback = std::function<void(
      mlir::Operation *, const Intermediate &, TensorBytesRef)>;

  /// Prepares every layer of @main. Reports layers without a kernel and
  /// returns null.
  static std::unique_ptr<Evaluator> create(mlir::ModuleOp module,
                                           DiagnosticEngine &diags);
  ~Evaluator();

  /// The inputs in input_index order and the outputs in return order.
  llvm::ArrayRef<mlir::Value> inputs() const;
  llvm::ArrayRef<mlir::Value> outputs() const;

  /// What the layers pass on between their kernels, by layer and name.
  std::vector<std::pair<mlir::Operation *, llvm::StringRef>>
  intermediates() const;

  /// Runs one sample. \p inputData has one entry per input, of the input's
  /// exact size (asserted). \p onTensor, if set, sees inputs, constants and
  /// every layer's results in order, those of sub-graphs each time that they
  /// are computed; \p onIntermediate what lies between the kernels of a layer,
  /// before the layer's results. There are no results where it stops.
  EvaluationStop run(llvm::ArrayRef<TensorBytesRef> inputData,
                     std::vector<TensorBytes> &outputData,
                     const Callback &onTensor = {},
                     const IntermediateCallback &onIntermediate = {}) const;

  /// The outputs of the run whose tensors, all of them, are \p kept, but for
  /// \p changed, which are others of the same size. Computes the layers that
  /// depend on them. Returns as run().
  EvaluationStop
  rerun(const TensorsOfRun &kept,
        llvm::ArrayRef<std::pair<mlir::Value, TensorBytesRef>> changed,
        std::vector<TensorBytes> &outputData) const;

private:
  struct Impl;
  explicit Evaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Computes one op on given operand data; results are in order. For constant
/// folding. Fails (with an error on the op) if no kernel computes it, or if it
/// calls sub-graphs.
llvm::LogicalResult evaluateOp(mlir::Operation *op,
                               llvm::ArrayRef<TensorBytesRef> operands,
                               std::vector<TensorBytes> &results);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NETWORK_EVALUATOR_H
