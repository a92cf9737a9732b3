//===- Fallback.h - The evaluator where the NPU refuses ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A backend that compiles for one device and, for parts that this device
// refuses, for another one. Only with YARROW_NNAPI_FALLBACK=1; each use is
// reported.
//
//   auto backend = withFallback(npu, evaluatorBackend());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_FALLBACK_H
#define YARROW_API_NNAPI_FALLBACK_H

#include "api/nnapi/run/Backend.h"

namespace yarrow::nnapi {

std::shared_ptr<Backend> withFallback(std::shared_ptr<Backend> first,
                                      std::shared_ptr<Backend> second);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_FALLBACK_H
