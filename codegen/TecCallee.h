//===- TecCallee.h - The function that a step of TECs calls -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   TecCallee callee = {"yk_eltwise_int.4.0123....17.18", {17, 18}};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECCALLEE_H
#define YARROW_CODEGEN_TECCALLEE_H

#include <cstdint>
#include <string>
#include <vector>

namespace yarrow {

struct TecCallee {
  std::string name;                     ///< None of a decision.
  std::vector<uint32_t> openWords = {}; ///< Of a SpecializedKernel.
};

} // namespace yarrow

#endif // YARROW_CODEGEN_TECCALLEE_H
