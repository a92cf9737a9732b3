//===- Ort.h - The functions of the ONNX Runtime that loaded us -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Functions.def as members, filled when the library is registered, and what
// every call of them needs: a status becomes an exception, an exception a
// status.
//
//   Status *compute(...) {
//     return guarded([&] {
//       const char *name;
//       check(ortApi().nodeGetName(node, &name));
//     });
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_ORT_H
#define YARROW_API_ONNXRUNTIME_ORT_H

#include "api/onnxruntime/Abi.h"
#include "support/Diagnostics.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace yarrow::ort {

struct Ort {
#define FUNCTION(table, place, name, result, parameters)                       \
  result(*name) parameters = nullptr;
#include "api/onnxruntime/Functions.def"
  /// The newest version that this library knows and ONNX Runtime has.
  std::uint32_t version = 0;
};

/// Filled by the first load() that succeeds.
const Ort &ortApi();
/// A status that says why, if \p base lacks the version that is needed; null
/// if even that cannot be made, else nothing is wrong. \p isLoaded tells which.
Status *load(const ApiBase &base, bool &isLoaded);

/// A call that failed, or something that ONNX Runtime shall hear of.
struct Failure : std::runtime_error {
  explicit Failure(const std::string &text, StatusCode code = kProviderFail)
      : std::runtime_error(text), code(code) {}
  StatusCode code;
};
/// All errors of \p diags in one text.
Failure failureOf(const DiagnosticEngine &diags, const std::string &what);

/// Throws a Failure unless \p status is null, and releases it.
void check(Status *status);
/// Null, or what \p body threw.
Status *guarded(const std::function<void()> &body);

/// The objects of a list whose length another function gives.
template <typename Object, typename From>
std::vector<const Object *>
listOf(Status *(*count)(const From *, std::size_t *),
       Status *(*get)(const From *, const Object **, std::size_t),
       const From *from) {
  std::size_t size = 0;
  check(count(from, &size));
  std::vector<const Object *> list(size);
  if (size)
    check(get(from, list.data(), size));
  return list;
}

/// A text that ONNX Runtime owns; "" for null.
template <typename From>
std::string textOf(Status *(*get)(const From *, const char **),
                   const From *from) {
  const char *text = nullptr;
  check(get(from, &text));
  return text ? text : "";
}

/// Into the log of a session or of the environment, as the provider's.
void notify(const Logger *logger, LogLevel level, const std::string &text);
/// Warnings and notes.
void notify(const Logger *logger, const DiagnosticEngine &diags);

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_ORT_H
