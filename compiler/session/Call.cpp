//===- Call.cpp - One call of the library -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Call.h"
#include "support/diagnostics/Files.h"

#include <new>
#include <stdexcept>
#include <system_error>

using namespace yarrow;

/// What the system had not enough of; null of other exceptions.
static const char *exhaustionOf(const std::exception &exception) {
  if (dynamic_cast<const std::bad_alloc *>(&exception))
    return "no memory is left";
  if (dynamic_cast<const std::length_error *>(&exception))
    return "a size larger than any memory";
  if (dynamic_cast<const std::system_error *>(&exception)) // a thread
    return exception.what();
  return nullptr;
}

bool session::Call::run(const std::function<void()> &body) const {
  CancellationScope scope(cancellation ? cancellation
                                       : Cancellation::current());
  try {
    leaveIfCancelled();
    body();
    return true;
  } catch (const Cancelled &) {
    diags.report(diag::CallCancelled, {}, "the call was cancelled");
  } catch (const std::exception &exception) {
    const char *reason = exhaustionOf(exception);
    if (!reason || passesExhaustion)
      throw;
    diags
        .report(diag::ResourcesExhausted, {},
                "the system does not have enough memory or threads")
        .found(reason);
  }
  return false;
}
