//===- SupportedOperations.h - What a device computes of a model -*- C++ -*-==//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Asked of the compiler, operation by operation: each is made into a model of
// its own, whose inputs are what others compute, and compiled on the host. A
// device computes on its TECs whatever has a kernel (docs/architecture.md), so
// what compiles is supported. Where lengths, or constants that layers are made
// of, are known at the run only, the operation's form decides.
//
//   std::vector<bool> can = supportedOperations(network, *evaluator);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_SUPPORTEDOPERATIONS_H
#define YARROW_API_NNAPI_SUPPORTEDOPERATIONS_H

#include "api/nnapi/run/Backend.h"

namespace yarrow::nnapi {

/// Of each operation, in the order of \p network, which was checked.
std::vector<bool> supportedOperations(const NnModel &network, Backend &backend);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_SUPPORTEDOPERATIONS_H
