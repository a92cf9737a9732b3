//===- Call.h - One call of the library ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a call of the library reports to and how you cancel it: diags collects
// its problems, the listener hears its progress, and the cancellation ends it
// early. A call never prints or exits, nor throws unless that is asked for; one
// that fails says why in diags.
//
//   DiagnosticEngine diags;
//   Cancellation stop;
//   session::Call call{diags, onProgress, &stop};
//   auto network = session::load({.path = "net.onnx"}, call);
//   stop.request(); // from another thread: E0112, and all is freed
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_CALL_H
#define YARROW_COMPILER_SESSION_CALL_H

#include "compiler/work/Work.h"
#include "support/Cancellation.h"

#include <functional>

namespace yarrow::session {

struct Call {
  DiagnosticEngine &diags;
  ProgressListener listener = {};
  /// Null: that of the thread, if it has one.
  const Cancellation *cancellation = nullptr;
  /// Processes that do it together; null for one.
  Ranks *ranks = nullptr;
  /// The files that the command reads and writes; may be null.
  FilePlan *files = nullptr;
  /// A process that ends by itself where memory or threads run out
  /// (compiler/driver/Process.h) gets the exception.
  bool passesExhaustion = false;

  /// The same call for a part of it, without progress, whose problems are
  /// looked at first.
  Call toldTo(DiagnosticEngine &own) const {
    return {own, {}, cancellation, ranks, files, passesExhaustion};
  }
  Work work() const { return {diags, listener, ranks, files}; }
  /// Runs \p body. False, and told, if it is given up or the system has no more
  /// memory or threads.
  bool run(const std::function<void()> &body) const;
};

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_CALL_H
