//===- LayerBuilder.h - Layers of the dialect by their records --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Makes layers by the name of their record. Keys take the form of the record,
// and the operator itself infers shapes. Problems are reported as the layer's
// verifier does, at the place of the foreign node.
//
//   LayerBuilder builder(mlirBuilder, names);
//   builder.setPlace("conv1", "net.onnx", "node Conv_3");
//   Value y = builder.layer("Softmax", {x}, {{"axis", 1}});
//   builder.nameLayers({y});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_LAYERBUILDER_H
#define YARROW_PARSER_GRAPH_LAYERBUILDER_H

#include "dialects/compass/Tensors.h"
#include "mlir/IR/Builders.h"
#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <initializer_list>
#include <variant>

namespace yarrow::graph {

/// A key of a layer with its value.
struct Key {
  using Rows = std::vector<std::vector<int64_t>>;
  std::string name;
  std::variant<int64_t, double, bool, std::string, std::vector<int64_t>, Rows,
               std::vector<double>, std::vector<std::string>,
               mlir::ElementsAttr>
      value;

  Key(std::string name, int64_t v) : name(std::move(name)), value(v) {}
  Key(std::string name, int v) : name(std::move(name)), value(int64_t(v)) {}
  Key(std::string name, double v) : name(std::move(name)), value(v) {}
  Key(std::string name, bool v) : name(std::move(name)), value(v) {}
  Key(std::string name, const char *v)
      : name(std::move(name)), value(std::string(v)) {}
  template <typename T>
  Key(std::string name, T v) : name(std::move(name)), value(std::move(v)) {}
};
using Keys = std::vector<Key>;

/// The names that layers and tensors of one module have. Layers keep those of
/// the foreign nodes, in the letters that IR text has.
class LayerNames {
public:
  /// \p wish, or with `_` behind it if another layer has the name.
  std::string take(std::string wish);

private:
  llvm::StringSet<> used;
};

class LayerBuilder {
public:
  LayerBuilder(mlir::OpBuilder &builder, LayerNames &names)
      : builder(builder), names(names) {}

  mlir::OpBuilder &builder;

  /// Of the layers from now on.
  void setPlace(std::string layerName, std::string file, std::string node);
  mlir::Location location() const;
  Place place() const { return {file + ": " + node}; }

  /// A layer whose shapes are inferred; its results have \p elements, by
  /// default one of the element type of the first operand. Null values after an
  /// error.
  llvm::SmallVector<mlir::Value>
  layers(llvm::StringRef type, mlir::ValueRange operands, const Keys &keys,
         llvm::ArrayRef<compass::DType> elements = {});
  /// The same with declared types.
  llvm::SmallVector<mlir::Value> declared(llvm::StringRef type,
                                          mlir::ValueRange operands,
                                          const Keys &keys,
                                          mlir::TypeRange types);
  /// The first result of either.
  mlir::Value layer(llvm::StringRef type, mlir::ValueRange operands,
                    const Keys &keys = {});
  mlir::Value layerOf(llvm::StringRef type, mlir::ValueRange operands,
                      const Keys &keys, compass::DType element);

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value cast(mlir::Value x, compass::DType element);
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value constantOf(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<float> values);
  mlir::Value constantOf(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int32_t> values);
  mlir::ElementsAttr floats(llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<float> values);

  /// Names the layers made since setPlace: that of \p results[0] as the place
  /// says, others after it.
  void nameLayers(llvm::ArrayRef<mlir::Value> results);
  /// Those layers.
  llvm::ArrayRef<mlir::Operation *> recent() const { return made; }
  /// They are gone, or belong to an earlier node.
  void forgetRecent() { made.clear(); }

private:
  mlir::Operation *create(llvm::StringRef type, mlir::ValueRange operands,
                          const Keys &keys,
                          llvm::ArrayRef<compass::DType> elements,
                          mlir::TypeRange types);

  LayerNames &names;
  std::string layerName, file, node;
  llvm::SmallVector<mlir::Operation *> made;
};

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
compass::DType elementOf(mlir::Value value);
bool isFloat(mlir::Value value);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_LAYERBUILDER_H
