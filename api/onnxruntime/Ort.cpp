//===- Ort.cpp - The functions of the ONNX Runtime that loaded us ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Ort.h"

#include <mutex>

using namespace yarrow;
using namespace yarrow::ort;

static Ort loaded;

const Ort &yarrow::ort::ortApi() { return loaded; }

static Function functionAt(const Table *table, std::size_t place) {
  return table ? reinterpret_cast<const Function *>(table)[place] : nullptr;
}

/// createStatus is the first function of every version.
static Status *refuse(const ApiBase &base, const std::string &text) {
  const Table *first = base.getApi(1);
  if (!first)
    return nullptr;
  auto create =
      reinterpret_cast<Status *(*)(int, const char *)>(functionAt(first, 0));
  return create(kNotImplemented, text.c_str());
}

Status *yarrow::ort::load(const ApiBase &base, bool &isLoaded) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  isLoaded = loaded.version != 0;
  if (isLoaded)
    return nullptr;
  const Table *api = base.getApi(kNeededVersion);
  if (!api) {
    const char *version = base.getVersion();
    return refuse(base, "the Yarrow provider needs ONNX Runtime 1." +
                            std::to_string(kNeededVersion) +
                            " or later, and this is ONNX Runtime " +
                            (version ? version : "of an unknown version"));
  }
  Ort functions;
  functions.version = kNeededVersion;
  for (std::uint32_t v = kNeededVersion + 1; v <= kProfilerVersion; ++v)
    if (const Table *newer = base.getApi(v)) {
      functions.version = v;
      api = newer;
    }
  using GetTable = const Table *(*)();
  const Table *ep = reinterpret_cast<GetTable>(functionAt(api, 317))();
  const Table *editor = reinterpret_cast<GetTable>(functionAt(api, 291))();
  const Table *api24 = functions.version >= 24 ? api : nullptr;
  const Table *ep25 = functions.version >= 25 ? ep : nullptr;
  if (!ep || !editor)
    return refuse(base, "this ONNX Runtime was built without providers in "
                        "libraries of their own or without the model editor, "
                        "which the Yarrow provider needs");
#define FUNCTION(table, place, name, result, parameters)                       \
  functions.name =                                                             \
      reinterpret_cast<result(*) parameters>(functionAt(table, place));
#include "api/onnxruntime/Functions.def"
  loaded = functions;
  isLoaded = true;
  return nullptr;
}

Failure yarrow::ort::failureOf(const DiagnosticEngine &diags,
                               const std::string &what) {
  std::string text = what;
  for (const Diagnostic &d : diags.all())
    if (d.isError())
      text += "\n" + d.str();
  return Failure(text);
}

void yarrow::ort::check(Status *status) {
  if (!status)
    return;
  std::string text = ortApi().getErrorMessage(status);
  ortApi().releaseStatus(status);
  throw Failure(text);
}

Status *yarrow::ort::guarded(const std::function<void()> &body) {
  try {
    body();
    return nullptr;
  } catch (const Failure &failure) {
    return ortApi().createStatus(failure.code, failure.what());
  } catch (const std::exception &error) {
    return ortApi().createStatus(kFail, error.what());
  }
}

void yarrow::ort::notify(const Logger *logger, LogLevel level,
                         const std::string &text) {
  if (!logger)
    return;
  if (Status *status = ortApi().loggerLogMessage(logger, level, text.c_str(),
                                                 "yarrow", 0, "provider"))
    ortApi().releaseStatus(status);
}

void yarrow::ort::notify(const Logger *logger, const DiagnosticEngine &diags) {
  for (const Diagnostic &d : diags.all())
    if (!d.isError())
      notify(logger, kInfo, d.str());
}
