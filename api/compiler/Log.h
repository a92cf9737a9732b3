//===- Log.h - yarrow_log -------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The diagnostics of the calls of a C program as its messages, and its listener
// as that of a call of compiler/session.
//
//   LogCall call(log);
//   auto network = session::load(source, call.call());
//   return network ? YARROW_OK : call.failed(YARROW_ERROR_FILE);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_COMPILER_LOG_H
#define YARROW_API_COMPILER_LOG_H

#include "api/compiler/include/yarrow/compiler.h"
#include "compiler/session/Call.h"

#include <deque>
#include <mutex>
#include <optional>
#include <string>

struct yarrow_log {
  /// A message, whose texts stay where they are.
  struct Message {
    yarrow::Diagnostic diagnostic;
    std::string text, code;
  };

  std::deque<Message> messages;
  bool lost = false; ///< There was no memory for some.
  std::string allText;
  yarrow_listener listener = nullptr;
  void *user = nullptr;
  std::mutex mutex; ///< Of the next member, but while a call uses it.
  /// As a cancellation is never taken back: another one after a clear.
  std::optional<yarrow::Cancellation> cancellation{std::in_place};
};

namespace yarrow::capi {

/// One call with a log, or without.
class LogCall {
public:
  explicit LogCall(yarrow_log *log) : log(log) {}
  /// What was reported becomes the log's.
  ~LogCall();
  LogCall(const LogCall &) = delete;
  LogCall &operator=(const LogCall &) = delete;

  DiagnosticEngine diags;

  session::Call call();
  /// What a call that has failed with these diagnostics answers: \p status,
  /// unless it was given up or the system has refused something.
  yarrow_status failed(yarrow_status status) const;
  /// Reports a wrong argument.
  yarrow_status wrongArgument(std::string what);

private:
  yarrow_log *log;
};

} // namespace yarrow::capi

#endif // YARROW_API_COMPILER_LOG_H
