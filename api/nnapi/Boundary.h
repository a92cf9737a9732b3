//===- Boundary.h - Where C begins ------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every function of the library runs its body through guarded(): exceptions do
// not reach the client. Missing memory and threads become result codes.
//
//   int ANeuralNetworksModel_finish(ANeuralNetworksModel *model) {
//     if (!model)
//       return ANEURALNETWORKS_UNEXPECTED_NULL;
//     return guarded([&] { return model->object->finish(); });
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_BOUNDARY_H
#define YARROW_API_NNAPI_BOUNDARY_H

#include "api/nnapi/include/yarrow/NeuralNetworksTypes.h"
#include <memory>

namespace yarrow::nnapi {

/// For a handler of exceptions: the code of the exception.
ResultCode resultOfException() noexcept;

template <typename Body> ResultCode guarded(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return resultOfException();
  }
}

/// Sets the target of a result pointer to null until a result exists: after
/// errors a client does not find a handle to free. False if \p result is null.
template <typename T> bool clear(T **result) noexcept {
  if (result)
    *result = nullptr;
  return result != nullptr;
}

/// Makes a handle: \p body returns a code, and the handle's object if that is
/// NO_ERROR. \p handle was cleared.
template <typename Handle, typename Object, typename Body>
ResultCode makeHandle(Handle **handle, Body body) noexcept {
  return guarded([&] {
    std::shared_ptr<Object> object;
    ResultCode result = body(object);
    if (result == ANEURALNETWORKS_NO_ERROR)
      *handle = new Handle{std::move(object)};
    return result;
  });
}

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_BOUNDARY_H
