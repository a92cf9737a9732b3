//===- GraphReader.h - One graph of IR text as a function -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The main graph and each sub-graph become a func.func of their own, with a
// compass.input for each input tensor and a return of the outputs. Graphs share
// what belongs to the file: its name, the weights, the diagnostics.
//
//   ReadState state{context, doc.fileName, bin, diags};
//   readGraph(state, builder, doc.header, doc.layers, "main");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_GRAPHREADER_H
#define YARROW_PARSER_COMPASS_GRAPHREADER_H

#include "mlir/IR/Builders.h"
#include "parser/compass/CompassLayerReader.h"

namespace yarrow::compass {

/// What the graphs of one file share.
struct ReadState {
  mlir::MLIRContext &context;
  const std::string &fileName;
  std::shared_ptr<const MappedFile> bin;
  DiagnosticEngine &diags;
  bool isCompat = false; ///< Compat.h
  std::vector<ConstantRange> constantRanges = {};
  unsigned tensorHints = 0; ///< Hints given so far.
};

/// The entries of a header as [[key, text], ...], without the digest.
mlir::ArrayAttr headerEntries(mlir::Builder &builder, const IrSection &header);

/// Appends the function \p name at the builder's place, with the header's
/// entries as kHeaderAttr. Problems are reported; then the function may hold
/// stand-ins and must not be used.
mlir::Operation *readGraph(ReadState &state, mlir::OpBuilder &builder,
                           const IrSection &header,
                           const std::vector<IrSection> &layers,
                           llvm::StringRef name);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_GRAPHREADER_H
