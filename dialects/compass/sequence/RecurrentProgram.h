//===- RecurrentProgram.h - What programs of recurrent layers share -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A recurrent layer is products on the tensor engine and elementwise kernels
// and tables between them, over rows of named values: one row for each entry of
// the batch, step by step. Products that do not depend on the state are
// computed for all steps at once. The cells are in files of their own
// (LstmProgram.cpp, GruProgram.cpp):
//
//   Rows fromX = allSteps("products_of_x", 4 * cells, DType::F32);
//   product(sequence(), weights({{0, 4 * cells}}, 0, inputs), bias, fromX);
//   forEachStep([&](int64_t t, bool isLast) {
//     Rows sums = value("sums", 4 * cells, DType::F32);
//     binary(BinaryOp::Add, ofStep(fromX, t), fromState, sums);
//     ...
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SEQUENCE_RECURRENTPROGRAM_H
#define YARROW_DIALECTS_COMPASS_SEQUENCE_RECURRENTPROGRAM_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/sequence/RecurrentFunctions.h"
#include "kernels/arithmetic/Eltwise.h"

namespace yarrow::compass {

/// Where a value lies: rows of `length` elements, `stride` elements apart.
struct Rows {
  BufferBinding binding;
  DType type;
  int64_t count, length, stride;

  bool isDense() const { return stride == length; }
};

/// Neighbouring rows of weights or biases: those of a gate or of several.
struct GateRows {
  int64_t first, count;
};

/// The right shift of a product of 16 bits is cut in two: its first part keeps
/// the sum within 32 bits.
struct SplitShift {
  int64_t early = 0, late = 0;
};

class RecurrentProgram {
protected:
  using BinaryOp = kernels::BinaryOp;
  using Requant = kernels::Requant;

  RecurrentProgram(mlir::Operation *op, LayerProgram &program);

  /// Whether the types of an integer layer are those that its tables take.
  llvm::LogicalResult checkIntegers() const;
  bool isWide() const { return kernels::dtypeBytes(type) == 2; }

  //===--- values ---===//
  /// Of the step that is being built; a dynamic name for one that is to be
  /// observed apart from those of other steps.
  Rows value(std::string name, int64_t length, DType valueType);
  /// [batch * steps, length]
  Rows allSteps(const char *name, int64_t length, DType valueType);
  /// The layer's input in the same form.
  Rows sequence() const;
  /// The rows of step \p t of what allSteps or sequence gave.
  Rows ofStep(const Rows &all, int64_t t) const;
  /// Columns [first, first + length).
  static Rows columns(const Rows &rows, int64_t first, int64_t length);
  static Rows rowsOf(const Rows &rows, int64_t first, int64_t count);
  static Rows rowOf(const Rows &rows, int64_t row);
  /// Operand \p index, zeros if it is absent.
  Rows firstState(unsigned index) const;
  Rows zeroStates(int64_t count) const;

  //===--- constants ---===//
  /// Columns of rows of `weights`, dense, or packed for kernels of floats.
  BufferBinding weights(llvm::ArrayRef<GateRows> gates, int64_t firstColumn,
                        int64_t columns) const;
  /// Entries of `biases` in their type.
  BufferBinding floatBiases(llvm::ArrayRef<GateRows> gates) const;
  static BufferBinding noFloatBiases(int64_t count);
  static BufferBinding int32s(llvm::ArrayRef<int64_t> values);
  static BufferBinding noBiases(int64_t count);
  /// For requantization per channel: uint16 and int8.
  static BufferBinding multipliers(llvm::ArrayRef<int64_t> values);
  static BufferBinding shifts(llvm::ArrayRef<int64_t> values);
  /// The same for every row.
  static Rows sameRow(BufferBinding values, int64_t rowCount);
  llvm::SmallVector<int64_t> integersOf(TensorKey key,
                                        llvm::ArrayRef<GateRows> parts) const;

  //===--- kernels ---===//
  /// \p requant of integers: with perChannel, by \p scale and \p shift.
  void product(const Rows &in, const BufferBinding &weights,
               const BufferBinding &bias, const Rows &out,
               const Requant &requant = {}, const BufferBinding &scale = {},
               const BufferBinding &shift = {});
  void binary(BinaryOp how, const Rows &a, const Rows &b, const Rows &out,
              const Requant &requant = {}, int32_t zpA = 0);
  void function(const RecurrentFunction &fn, const Rows &in, const Rows &out);
  /// -bound .. bound; \p in itself without a bound.
  Rows clipped(const char *name, std::optional<double> bound, const Rows &in);
  void table(TensorKey key, const Rows &in, const Rows &out);
  void requantize(const Rows &in, const Rows &out, const Requant &requant);
  /// Copies \p rows to the results that \p word of out_sequence names: to row
  /// \p t of each sequence if there is one, else as a whole.
  void store(llvm::StringRef word, const Rows &rows,
             std::optional<int64_t> t = std::nullopt);
  bool isResult(llvm::StringRef word) const;

  /// RNE(v * scale / 2^shift), clipped to \p outType's range.
  static Requant requantOf(DType outType, int64_t scale, int64_t shift);
  /// The same, clipped to -q .. q: what states are stored as.
  static Requant symmetricOf(DType outType, int64_t scale, int64_t shift);
  /// The same by a multiplier and a shift for each column.
  static Requant byColumn(Requant requant) {
    requant.perChannel = 1;
    requant.scaleType = DType::U16;
    return requant;
  }
  /// scale / 2^shift as a multiplier of 2^32, with which a kernel may saturate
  /// sums at 32 bits (RecurrentCells.h, areHigh), if there is one.
  static std::optional<int64_t> highMultiplier(int64_t scale, int64_t shift,
                                               DType outType);
  /// Whether a shift is one that kernels take; an error if it is not.
  llvm::LogicalResult checkShifts(llvm::ArrayRef<int64_t> shifts,
                                  llvm::StringRef key) const;

  /// Steps in the order in which they are taken: of step \p t of the sequence.
  void forEachStep(llvm::function_ref<void(int64_t t, bool isLast)> body);

  mlir::Operation *op;
  LayerProgram &program;
  int64_t batch, steps, inputs, cells;
  DType type;        ///< Of the states.
  unsigned step = 0; ///< How many were taken before.
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_SEQUENCE_RECURRENTPROGRAM_H
