//===- NnapiImport.h - Models of NNAPI as IR --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto module = nnapi::importNnModel(context, model, {}, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_NNAPIIMPORT_H
#define YARROW_PARSER_NNAPI_NNAPIIMPORT_H

#include "parser/graph/Import.h"
#include "parser/nnapi/NnModel.h"

namespace yarrow::nnapi {

/// \p model as readNnModel() (NnGraph.h) wants it. A model with quantized
/// operands becomes a module of their integers (quantizer/prequantized). Null
/// after errors.
mlir::OwningOpRef<mlir::ModuleOp>
importNnModel(mlir::MLIRContext &context, const NnModel &model,
              const graph::ImportOptions &options, DiagnosticEngine &diags);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_NNAPIIMPORT_H
