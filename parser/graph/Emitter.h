//===- Emitter.h - Nodes of an import graph as layers -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operators' functions use it to make the layers of a node. A tensor has
// its axes in the order of the foreign format, or with channels last; the
// emitter makes the other form once, on demand. A node that can compute in
// either order uses the one that its channelsLast says.
//
//   LogicalResult emitSoftmax(NodeEmitter &n) {
//     auto axis = n.axis("axis", -1);
//     if (failed(axis)) return failure();
//     return n.out(0, n.layer("Softmax", {n.in(0)}, {{"axis", *axis}}));
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_EMITTER_H
#define YARROW_PARSER_GRAPH_EMITTER_H

#include "dialects/compass/Layers.h"
#include "mlir/IR/BuiltinOps.h"
#include "parser/graph/DetectionOptions.h"
#include "parser/graph/DropIdentities.h"
#include "parser/graph/ImportGraph.h"
#include "parser/graph/ImportedTensor.h"
#include "parser/graph/LayerBuilder.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace yarrow::graph {

/// The axes of a tensor with channels last: [0,2,3,1]; and back: [0,3,1,2].
std::vector<int64_t> lastPerm(size_t rank);
std::vector<int64_t> firstPerm(size_t rank);
template <typename T>
std::vector<T> permuted(const std::vector<T> &list,
                        const std::vector<int64_t> &perm) {
  std::vector<T> result;
  for (int64_t i : perm)
    result.push_back(list[size_t(i)]);
  return result;
}

/// The element type of IR for one of a foreign format: 64 bits become 32, truth
/// values bytes, and all floats are computed in float32.
compass::DType irElement(ElementType type);

/// What all graphs of one import share.
struct ImportState {
  mlir::MLIRContext &context;
  DiagnosticEngine &diags;
  mlir::ModuleOp module;
  std::string file;
  LayerNames names;
  /// Constants that were narrowed or permuted, by their bytes and form, and
  /// what owns the bytes.
  std::map<std::pair<const void *, std::string>,
           std::pair<mlir::ElementsAttr, std::shared_ptr<const void>>>
      made;
  llvm::StringSet<> narrowed; ///< Tensors told as W1012.
  unsigned numSubgraphs = 0;
  std::int64_t mostTrips = 100; ///< Of a loop without a constant count.
  /// What the main graph's outputs go through; null if they stay.
  const DetectionOptions *detection = nullptr;
  std::vector<ImportedTensor> *imported = nullptr; ///< ImportOptions::names
  /// Constants that a model stores in integers, as real numbers.
  std::map<const Tensor *, Constant> real;
  /// How the model stores what it quantizes itself (Stored.h).
  llvm::DenseMap<mlir::Value, Quantization> stored{};
  /// Nodes of the main graph whose first result is an input as it is (Fold.h).
  std::map<const Node *, Tensor *> unchanged{};
  PassedOn passedOn{};
};

class Emitter {
public:
  /// \p isTrial: for shapes and values alone.
  Emitter(ImportState &state, mlir::OpBuilder &builder, const Graph &graph,
          bool isTrial = false);

  /// A tensor in the format's own order of axes, or with channels last. Null if
  /// the node that writes it could not be emitted.
  mlir::Value plain(const Tensor *tensor);
  mlir::Value last(const Tensor *tensor);
  void define(const Tensor *tensor, mlir::Value value, bool isLast);
  bool isKnown(const Tensor *tensor) const {
    return tensor->constant || forms.contains(tensor);
  }
  void forget(const Tensor *tensor) { forms.erase(tensor); }

  /// A constant as an attribute, its axes permuted by \p perm and then, if
  /// \p shape is not empty, reshaped. Shared by all who ask for the same.
  /// Real numbers of a constant that the model stores in integers.
  mlir::ElementsAttr attribute(const Tensor &tensor,
                               const std::vector<int64_t> &perm = {},
                               const Shape &shape = {});
  /// The same as the model stores it.
  mlir::ElementsAttr storedAttribute(const Tensor &tensor,
                                     const std::vector<int64_t> &perm = {},
                                     const Shape &shape = {});

  /// What was defined of a tensor, in the order that is there; null if nothing.
  mlir::Value defined(const Tensor *tensor) const {
    auto it = forms.find(tensor);
    if (it == forms.end())
      return {};
    return it->second.last ? it->second.last : it->second.plain;
  }

  /// The same in the format's own order if it is there; else with channels last
  /// (true).
  std::pair<mlir::Value, bool> formOf(const Tensor *tensor) const {
    auto it = forms.find(tensor);
    if (it == forms.end())
      return {};
    return it->second.plain ? std::pair(it->second.plain, false)
                            : std::pair(it->second.last, true);
  }

  bool isForm(const Tensor *tensor, mlir::Value value) const {
    auto it = forms.find(tensor);
    return it != forms.end() &&
           (it->second.plain == value || it->second.last == value);
  }

  /// Whether both are one value in the same order of axes.
  bool areSame(const Tensor *a, const Tensor *b) const {
    auto x = forms.find(a), y = forms.find(b);
    if (x == forms.end() || y == forms.end())
      return false;
    const Forms &one = x->second, &other = y->second;
    return (one.plain && one.plain == other.plain) ||
           (one.last && one.last == other.last);
  }

  ImportState &state;
  const Graph &graph;
  LayerBuilder build;
  const bool isTrial;

private:
  struct Forms {
    mlir::Value plain, last;
  };
  mlir::ElementsAttr constantAs(const Tensor &tensor, compass::DType to,
                                const std::vector<int64_t> &perm,
                                const Shape &shape);
  /// Notes how \p tensor, of which \p value is a form, is stored.
  void noteStored(const Tensor *tensor, mlir::Value value) {
    if (tensor->quantization && value && !isTrial)
      state.stored.try_emplace(value, *tensor->quantization);
  }
  llvm::DenseMap<const Tensor *, Forms> forms;
  friend class NodeEmitter;
};

class NodeEmitter {
public:
  NodeEmitter(Emitter &emitter, Node &node)
      : node(node), emitter(emitter), build(emitter.build) {}

  Node &node;
  Emitter &emitter;
  LayerBuilder &build;

  //===--- What the node has ---===//
  bool has(size_t i) const { return node.input(i) != nullptr; }
  bool isTaken(size_t output) const { return node.output(output) != nullptr; }
  const Tensor &tensor(size_t i) const { return *node.inputs[i]; }
  const Shape &shape(size_t i) const { return *tensor(i).shape; }
  int64_t rank(size_t i) const { return int64_t(shape(i).size()); }
  ElementType type(size_t i) const { return *tensor(i).type; }
  bool isFloat(size_t i) const;
  /// Real numbers of one that the model stores in integers.
  const Constant *constant(size_t i) const;
  /// The integers of a constant input; reports one that is not constant.
  llvm::FailureOr<std::vector<int64_t>> integers(size_t i, const char *what);
  llvm::FailureOr<std::vector<double>> numbers(size_t i, const char *what);
  /// An axis from the front; reports one that the rank does not have.
  llvm::FailureOr<int64_t> wrapped(int64_t axis, int64_t rank);
  /// Attribute \p key as an axis of input 0 in this node's order of axes.
  llvm::FailureOr<int64_t> axis(const char *key, int64_t fallback,
                                size_t input = 0);
  /// Axis \p axis of \p rank in this node's order.
  int64_t placed(int64_t axis, int64_t rank) const;
  /// A list with an entry for each axis in this node's order.
  template <typename T> std::vector<T> placedList(std::vector<T> list) const {
    return node.channelsLast && list.size() > 2
               ? permuted(list, lastPerm(list.size()))
               : list;
  }

  //===--- Values ---===//
  mlir::Value plain(size_t i) { return emitter.plain(node.inputs[i]); }
  mlir::Value last(size_t i) { return emitter.last(node.inputs[i]); }
  /// In this node's order of axes.
  mlir::Value in(size_t i) { return node.channelsLast ? last(i) : plain(i); }
  /// The same with axes of length 1 in front up to \p rank axes.
  mlir::Value ranked(size_t i, int64_t rank);
  /// The same with further axes of length 1 anywhere.
  mlir::Value shaped(size_t i, const Shape &wanted);
  /// An input that is a constant, as an attribute; reports one that is none.
  mlir::ElementsAttr weights(size_t i, const std::vector<int64_t> &perm = {},
                             const Shape &shape = {});
  /// Whether the layer multiplies the model's own integers: input 0 and the
  /// constant input 1 are stored as such.
  bool multipliesStored() const;
  /// Weights and biases of a layer that multiplies, as real numbers: no others
  /// does the layer take while tensors are real (\ref noteStored).
  mlir::ElementsAttr productWeights(const std::vector<int64_t> &perm = {},
                                    const Shape &shape = {});
  mlir::ElementsAttr productBiases(size_t i, int64_t outputs);
  /// \p value, which has elements of input \p i alone and is stored as that.
  mlir::Value storedAsInput(size_t i, mlir::Value value) {
    if (value)
      emitter.noteStored(&tensor(i), value);
    return value;
  }
  /// Gives \p product, the layer with these weights, the model's integers if it
  /// multiplies those, and their scales and zero points.
  mlir::Value noteStored(mlir::Value product, size_t bias);

  mlir::Value layer(llvm::StringRef type, mlir::ValueRange operands,
                    const Keys &keys = {}) {
    return build.layer(type, operands, keys);
  }

  //===--- Results ---===//
  llvm::LogicalResult out(size_t i, mlir::Value value) {
    return define(i, value, node.channelsLast);
  }
  llvm::LogicalResult outPlain(size_t i, mlir::Value value) {
    return define(i, value, false);
  }
  llvm::LogicalResult outLast(size_t i, mlir::Value value) {
    return define(i, value, true);
  }
  llvm::LogicalResult outConstant(size_t i, Constant value);

  //===--- Problems ---===//
  Place place() const;
  /// A form that is not imported, and what is no node of the operator.
  llvm::LogicalResult refuse(const std::string &what, const std::string &found,
                             const std::string &expected,
                             const std::string &hint = "");
  llvm::LogicalResult bad(const std::string &what, const std::string &found,
                          const std::string &expected);
  /// A value between the node's layers, which the model stores as \p q.
  void noteStoredAs(mlir::Value value, const Quantization &q) {
    if (value && !emitter.isTrial)
      emitter.state.stored.try_emplace(value, q);
  }
  /// Gives the layer that computes \p value what the node says of its rounding,
  /// which in a model that is quantized is its format's.
  void printRounding(mlir::Value value);

private:
  /// Of the last productWeights.
  std::vector<int64_t> weightsPerm = {};
  Shape weightsShape = {};
  llvm::LogicalResult define(size_t i, mlir::Value value, bool isLast);
  /// \p value, or a layer that stores it in another form if the node gives an
  /// input as it is and the model stores it otherwise.
  mlir::Value storedAs(const Tensor &output, mlir::Value value);
};

std::string shapeText(const Shape &shape);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_EMITTER_H
