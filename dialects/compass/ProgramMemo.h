//===- ProgramMemo.h - Programs of layers that do not change ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A search lowers the network many times, and asks for each layer's program
// every time. While a memo exists, its thread builds the program of each layer
// once. Layers must not be changed or erased meanwhile.
//
//   ProgramMemo memo;
//   auto a = programOf(op), b = programOf(op); // built once
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_PROGRAMMEMO_H
#define YARROW_DIALECTS_COMPASS_PROGRAMMEMO_H

#include "dialects/compass/LayerProgram.h"
#include "llvm/ADT/DenseMap.h"

namespace yarrow::compass {

class ProgramMemo {
public:
  ProgramMemo();
  ~ProgramMemo();
  ProgramMemo(const ProgramMemo &) = delete;
  ProgramMemo &operator=(const ProgramMemo &) = delete;

  /// Null if it is not known.
  const LayerProgram *find(mlir::Operation *op) const {
    auto it = programs.find(op);
    return it == programs.end() ? nullptr : &it->second;
  }
  void add(mlir::Operation *op, const LayerProgram &program) {
    programs.try_emplace(op, program);
  }
  /// Of this thread; null if there is none.
  static ProgramMemo *current();

private:
  llvm::DenseMap<mlir::Operation *, LayerProgram> programs;
  ProgramMemo *outer;
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_PROGRAMMEMO_H
