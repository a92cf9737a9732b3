//===- GlobalMethod.h - Methods of global_calibration -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A method that adjusts a network over its layers, with its parameters; the
// records are in GlobalMethods.def.
//
//   std::optional<GlobalMethod> m = GlobalMethod::create("adaround", {1, 10});
//   m->value("epochs"); // 10
//   m->value("lr");     // 0.001, its default
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OPTIONS_GLOBALMETHOD_H
#define YARROW_QUANTIZER_OPTIONS_GLOBALMETHOD_H

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace yarrow {

/// Which method it is; GlobalMethodKind.h lists them, for those who must know.
enum class GlobalMethodKind : uint8_t;

struct GlobalMethod {
  /// What a method changes; they take turns in this order.
  enum class Stage { Network, Ranges, Rounding };

  struct Parameter {
    std::string name;
    double byDefault;
  };
  struct Record {
    GlobalMethodKind kind;
    std::string_view name;
    Stage stage;
    std::string_view parameters; ///< "batches=1,epochs=1"
    std::string_view doc;

    std::vector<Parameter> listParameters() const;
  };

  static std::span<const Record> records();
  /// Null if there is none; \p name is in lower case.
  static const Record *find(std::string_view name);
  /// "adaround, adaquant_zy, ..."
  static std::string names();

  /// \p values are those of the first parameters. Nullopt if there are more
  /// than the method has, or no such method.
  static std::optional<GlobalMethod> create(std::string_view name,
                                            std::span<const double> values);

  const Record *record = nullptr;
  std::vector<double> values; ///< One per parameter.
  /// Which layers; all if not set.
  std::function<bool(mlir::Operation *)> where;
  /// Then it is a warning if it is not kept, or finds no layer; of a recipe's
  /// methods the summary alone tells.
  bool isAsked = true;

  double value(std::string_view parameter) const;
  bool appliesTo(mlir::Operation *op) const { return !where || where(op); }
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_OPTIONS_GLOBALMETHOD_H
