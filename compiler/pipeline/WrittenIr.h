//===- WrittenIr.h - An IR that is read again ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a quantizer writes is for others to read, days later and by other
// programs: it is read again at once, as `yarrow check` and `yarrow compile`
// read it, and what they would refuse does not stay.
//
//   if (!writeCheckedIr(*quantized, "net_o.txt", "net_o.bin", "net.onnx",
//                       diags))
//     return failure(); // neither file is there
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_WRITTENIR_H
#define YARROW_COMPILER_PIPELINE_WRITTENIR_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"

#include <string>

namespace yarrow {

/// Writes \p module, which was made of the file \p origin, and reads it again
/// for execution. After errors, which name layers of \p origin, neither file is
/// left.
bool writeCheckedIr(mlir::ModuleOp module, const std::string &txtPath,
                    const std::string &binPath, const std::string &origin,
                    DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_WRITTENIR_H
