//===- TwinMaker.h - An operation of NNAPI as nodes of QNN ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the functions of Twins.def are given. Operands are asked for by the
// names that NNAPI's record has for them.
//
//   bool twinElu(TwinMaker &t) {
//     t.real("alpha", t.number("alpha"));
//     return t.node({t.tensor("input")});
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_QNN_TWINMAKER_H
#define YARROW_TEST_QNN_TWINMAKER_H

#include "parser/nnapi/OperationTable.h"
#include "test/qnn/Twin.h"

namespace yarrow::qnntwins {

using Dims = std::vector<std::int64_t>;

class TwinMaker {
public:
  TwinMaker(const vts::Case &recorded, Twin &twin, std::string &why)
      : why(why), recorded(recorded), model(*recorded.model), twin(twin) {}

  /// All operations of the case. False if one has no twin.
  bool make();

  std::string &why;
  /// Of the operation: QNN's operator, as Twins.def has it.
  std::string op;

  //===--- What NNAPI's operation has ---===//
  bool has(std::string_view input) const;
  const nnapi::Operand &operand(std::string_view input) const;
  const Dims &dims(std::string_view input);
  /// Whether its tensors are quantized, or integers.
  bool isQuantized() const;
  bool isInteger() const;
  std::int64_t scalar(std::string_view input, std::int64_t fallback = 0) const;
  double number(std::string_view input, double fallback = 0) const;
  /// Elements of a tensor that is constant, or an input of the case.
  std::optional<Dims> integersOf(std::string_view input);
  /// From the front.
  std::int64_t axis(std::string_view input, std::int64_t rank,
                    std::int64_t fallback = -1) const;

  //===--- Tensors of the graph ---===//
  /// That of an input; "" of one that is left out.
  std::string tensor(std::string_view input);
  /// A list of inputs.
  std::vector<std::string> tensors(std::string_view list);
  /// The same as static tensor, of an input of the case its recorded values.
  std::string constant(std::string_view input);
  std::vector<std::string> constants(std::span<const char *const> inputs);
  std::string output(std::size_t i = 0);
  std::size_t numOutputs() const { return operation->outputs.size(); }
  const Dims &outputDims(std::size_t i = 0);
  /// One between nodes, like the tensor \p other with the lengths \p dims.
  std::string between(const std::string &other, const Dims &dims,
                      const std::string &what);
  qnn::QnnTensor &at(const std::string &name) {
    return const_cast<qnn::QnnTensor &>(*twin.model.find(name));
  }
  /// The static tensor \p name with its axes in the order \p perm.
  std::string permuted(const std::string &name, const Dims &perm);
  /// A tensor that is left out.
  std::string null();

  //===--- Parameters of the next node ---===//
  void integer(const char *name, std::int64_t value,
               qnn::DataType type = qnn::DataType::UINT_32);
  void flag(const char *name, bool value) {
    integer(name, value, qnn::DataType::BOOL_8);
  }
  void real(const char *name, double value);
  void integers(const char *name, const Dims &dims, const Dims &values,
                qnn::DataType type = qnn::DataType::UINT_32);
  void reals(const char *name, const std::vector<float> &values);

  //===--- Nodes ---===//
  /// A node of \ref op that writes the operation's outputs, the fused
  /// activation behind it.
  bool node(std::vector<std::string> from);
  /// One of another operator that writes \p to.
  void add(const char *type, std::vector<std::string> from,
           std::vector<std::string> to);
  /// Notes why there is no twin.
  bool none(std::string reason) {
    why = std::move(reason);
    return false;
  }

private:
  bool makeOne(const nnapi::Operation &next);
  void findDims();
  bool isLeftOut(std::size_t input) const;
  std::string tensorAt(std::uint32_t index, bool isConstant = false);
  std::optional<std::size_t> indexOf(std::string_view input) const;
  /// The recorded value of an input of the case, or that of a constant.
  std::span<const std::byte> valueOf(std::uint32_t index) const;
  bool finish();

  const vts::Case &recorded;
  const nnapi::NnModel &model;
  Twin &twin;
  const nnapi::Operation *operation = nullptr;
  nnapi::FormMatch match;
  std::vector<qnn::QnnParam> params;
  std::vector<Dims> lengths; ///< By operand.
  std::size_t numMade = 0;   ///< Tensors that NNAPI has not.
};

#define TWIN(OPERATION, OP, FUNCTION) bool FUNCTION(TwinMaker &t);
#include "test/qnn/Twins.def"

} // namespace yarrow::qnntwins

#endif // YARROW_TEST_QNN_TWINMAKER_H
