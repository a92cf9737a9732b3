//===- Log.h - Reasons, on request ------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A result code cannot name the wrong operation. With YARROW_NNAPI_LOG in the
// environment, every refusal is logged to `stderr`, or appended to the file of
// this path. Without it, the library is silent.
//
//   return refuse(ANEURALNETWORKS_BAD_DATA, "setInput", "index 3 of 2 inputs");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_LOG_H
#define YARROW_API_NNAPI_LOG_H

#include "api/nnapi/include/yarrow/NeuralNetworksTypes.h"
#include "support/Diagnostics.h"
#include <string>
#include <string_view>

namespace yarrow::nnapi {

/// "nnapi: WHERE: WHAT". From any thread.
void notify(std::string_view where, std::string_view what);
/// All of \p diags.
void notify(std::string_view where, const DiagnosticEngine &diags);

/// Logs the reason and returns \p result.
ResultCode refuse(ResultCode result, std::string_view where,
                  std::string_view what);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_LOG_H
