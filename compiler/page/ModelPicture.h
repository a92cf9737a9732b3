//===- ModelPicture.h - A network before any build --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The picture of a network as it was read: every layer, with a place for each,
// and on a machine which units would compute it. Nothing is run, so there are
// no cycles in it.
//
//   PagePicture picture = modelPicture(module);
//   if (auto integers = quantizedSomehow(module))
//     placeLayers(*integers, machine, picture, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_MODELPICTURE_H
#define YARROW_COMPILER_PAGE_MODELPICTURE_H

#include "compiler/page/PageData.h"
#include "mlir/IR/BuiltinOps.h"

namespace yarrow {

/// The layers of all graphs of \p network, and the inputs and outputs of its
/// main one. Layers that nothing computes say so.
PagePicture modelPicture(mlir::ModuleOp network);

/// Says in \p picture where its layers are computed on \p machine: in \p
/// lowered, an integer form of its network after the phase lower, layers may
/// have become parts of others. False if it has no commands.
bool placeLayers(mlir::ModuleOp lowered, const isa::Machine &machine,
                 PagePicture &picture);

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_MODELPICTURE_H
