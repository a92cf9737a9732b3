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

static void reportExhausted(const char *reason, DiagnosticEngine &diags) {
  diags
      .report(diag::ResourcesExhausted, {},
              "the system does not have enough memory or threads")
      .found(reason);
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
  } catch (const std::bad_alloc &) {
    reportExhausted("no memory is left", diags);
  } catch (const std::length_error &) {
    reportExhausted("a size larger than any memory", diags);
  } catch (const std::system_error &error) { // a thread
    reportExhausted(error.what(), diags);
  }
  return false;
}
