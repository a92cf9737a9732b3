//===- Network.h - A network in memory ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A float or an integer network with the context that it lives in. Any number
// of threads may use it at a time: whoever goes on with it does so with a copy
// in a context of its own, whose constants are the network's. Nothing is copied
// of a network that its only owner hands over.
//
//   DiagnosticEngine diags;
//   auto network = session::load({.path = "net.onnx"}, {diags});
//   auto same = session::load({.path = "net.onnx", .bytes = content}, {diags});
//   auto executable = session::compile(std::move(network), {}, {diags});
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
#include "quantizer/prequantized/Prequantized.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

namespace yarrow::session {

/// What a network is loaded for.
enum class LoadFor {
  Anything,     ///< Known by what is called next.
  Quantization, ///< quantize(): a model that has scales in part is the float
                ///< network that it stands for, and a note tells.
  Execution,    ///< All but quantize().
  Inspection,   ///< To be looked at, as its file has it: computable or not.
};

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
  /// In the place of shapes, shapeRanges and states, with what more a
  /// configuration says: for each of several shapes, ascending.
  std::vector<graph::ImportOptions> imports = {};
  LoadFor use = LoadFor::Anything;
};

/// A network for inputs of each of several shapes, ascending; mostly of one.
using Variants = std::vector<mlir::OwningOpRef<mlir::ModuleOp>>;

class Network;

/// Null after errors.
std::shared_ptr<const Network> load(const ModelSource &source,
                                    const Call &call);

class Network {
public:
  /// What a step has made in \p context of \p constants, which it uses; null
  /// for a network that comes from elsewhere.
  static std::shared_ptr<const Network>
  make(std::unique_ptr<mlir::MLIRContext> context, Variants variants,
       std::shared_ptr<const Network> constants);

  const std::string &name() const { return modelName; }
  /// As it was given.
  const std::string &path() const { return source.path; }
  const std::string &weightsPath() const { return source.weights; }
  bool isQuantized() const { return hasIntegers; }
  /// Of a model that was read with integers of its own: its layers; else none.
  const PrequantizedResult &converted() const { return taken; }
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
  friend class OwnNetwork;
  friend std::shared_ptr<const Network> load(const ModelSource &, const Call &);
  Network() = default;
  /// Null after errors.
  static std::shared_ptr<Network>
  read(const ModelSource &source,
       const std::vector<graph::ImportOptions> &imports,
       DiagnosticEngine &diags);
  static std::shared_ptr<const Network>
  readForAnything(const ModelSource &source,
                  const std::vector<graph::ImportOptions> &imports,
                  DiagnosticEngine &diags);
  void take(Variants variants);

  /// Holds the constants, if they are another network's.
  std::shared_ptr<const Network> constantsOf;
  mutable std::unique_ptr<mlir::MLIRContext> context;
  mutable Variants networks; ///< None once an only owner has given them away.
  std::vector<graph::ImportedTensor> names;
  std::shared_ptr<const Network> incomplete;
  std::optional<Encodings> partial;
  std::optional<Diagnostic> partialNote;
  PrequantizedResult taken;
  ModelSource source; ///< Without content.
  std::string modelName;
  bool hasIntegers = false;
  mutable std::shared_mutex mutex;
};

/// A network that a step may change, in a context that nobody else uses: a
/// copy, or what its only owner hands over.
class OwnNetwork {
  std::shared_ptr<const Network> from; ///< Has names, and some constants.

public:
  explicit OwnNetwork(std::shared_ptr<const Network> given);
  /// A copy of \p network, which outlives it.
  explicit OwnNetwork(const Network &network);

  std::vector<mlir::ModuleOp> modules() const;
  /// Has some of the constants, and outlives them.
  const std::shared_ptr<const Network> &origin() const { return from; }
  /// The network that \p made has become, in the same context.
  std::shared_ptr<const Network> become(Variants made) &&;

  std::unique_ptr<mlir::MLIRContext> context;
  Variants variants;
};

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_NETWORK_H
