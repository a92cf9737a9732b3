//===- Network.h - A network in memory ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A float or an integer network with the context that it lives in. Any number
// of threads may use it at a time: whoever goes on with it does so with a copy
// in a context of its own, whose constants are the network's.
//
//   DiagnosticEngine diags;
//   auto network = session::load({.path = "net.onnx"}, {diags});
//   auto same = session::load({.path = "net.onnx", .bytes = content}, {diags});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_NETWORK_H
#define YARROW_COMPILER_SESSION_NETWORK_H

#include "compiler/data/DataSet.h"
#include "compiler/session/Call.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "parser/graph/ImportOptions.h"
#include "parser/graph/ImportedTensor.h"
#include "quantizer/encodings/EncodingsFile.h"
#include "quantizer/prequantized/PrequantizedOptions.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

namespace yarrow::session {

/// Files, or what stands for them.
struct ModelSource {
  /// With bytes: what messages call it, and what the network's name is made of.
  std::string path = {};
  std::string weights = {}; ///< "": the file beside it, if the format has one.
  /// The content of the model and of its weights; both are copied.
  std::optional<std::span<const std::byte>> bytes = {}, weightBytes = {};
  /// For lengths that the model leaves open: "x=1,3,224,224".
  std::vector<std::string> shapes = {};
  /// For several: "x=1,3,160..224/32,160..224/32". An executable has a program
  /// for each, and the inputs of a run choose.
  std::vector<std::string> shapeRanges = {};
  /// Pairs of tensors that are a state, "past=present", or "none".
  std::vector<std::string> states = {};
  PrequantizedOptions given = {}; ///< Of models that are quantized already.
};

/// A network for inputs of each of several shapes, ascending; mostly of one.
using Variants = std::vector<mlir::OwningOpRef<mlir::ModuleOp>>;

class Network;

/// Null after errors.
std::shared_ptr<const Network> load(const ModelSource &source,
                                    const Call &call);

class Network {
public:
  /// What a step has made in \p context of \p constants, which it uses.
  static std::shared_ptr<const Network>
  make(std::unique_ptr<mlir::MLIRContext> context, Variants variants,
       std::shared_ptr<const Network> constants);

  const std::string &name() const { return modelName; }
  /// As it was given.
  const std::string &path() const { return source.path; }
  const std::string &weightsPath() const { return source.weights; }
  bool isQuantized() const { return hasIntegers; }
  std::vector<InputName> inputNames() const;
  /// Batch first; the largest ones.
  std::vector<std::vector<int64_t>> inputShapes() const;
  std::size_t numVariants() const { return networks.size(); }
  /// Of a model that was imported: where its tensors are.
  const std::vector<graph::ImportedTensor> &imported() const { return names; }

  /// The float network that stands for a model which has scales in part, with
  /// these scales: quantize() completes them. Null of other networks.
  const std::shared_ptr<const Network> &toComplete() const {
    return incomplete;
  }
  /// Scales that quantize() keeps, and its note about them; null and empty if
  /// there are none.
  const Encodings *scales() const { return partial ? &*partial : nullptr; }
  const std::optional<Diagnostic> &noteOfScales() const { return partialNote; }

  /// Who computes with its layers shares the lock, who changes its context has
  /// it alone.
  mlir::ModuleOp module() const { return *networks.back(); }
  std::shared_mutex &lock() const { return mutex; }
  /// The network in \p other, for each shape, with its own constants. It
  /// outlives that.
  Variants copyInto(mlir::MLIRContext &other) const;

private:
  friend std::shared_ptr<const Network> load(const ModelSource &, const Call &);
  Network() = default;
  /// As it is quantized, or as it is compiled without being quantized: they
  /// differ if a model has scales in part. Null after errors.
  enum class ReadAs { ToQuantize, ToCompile };
  static std::shared_ptr<Network>
  read(const ModelSource &source,
       const std::vector<graph::ImportOptions> &imports, ReadAs use,
       DiagnosticEngine &diags);
  void take(Variants variants);

  /// Holds the constants, if they are another network's.
  std::shared_ptr<const Network> constantsOf;
  std::unique_ptr<mlir::MLIRContext> context;
  mutable Variants networks; ///< Never none.
  std::vector<graph::ImportedTensor> names;
  std::shared_ptr<const Network> incomplete;
  std::optional<Encodings> partial;
  std::optional<Diagnostic> partialNote;
  ModelSource source; ///< Without content.
  std::string modelName;
  bool hasIntegers = false;
  mutable std::shared_mutex mutex;
};

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_NETWORK_H
