//===- Log.cpp - yarrow_log -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/compiler/Log.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <utility>

using namespace yarrow;
using namespace yarrow::capi;

LogCall::~LogCall() {
  if (!log)
    return;
  try {
    for (const Diagnostic &d : diags.all())
      log->messages.push_back({d, d.str(), std::string(d.id->code)});
  } catch (...) {
    log->lost = true;
  }
}

session::Call LogCall::call() {
  session::Call call{diags};
  if (!log)
    return call;
  call.cancellation = &*log->cancellation;
  if (log->listener)
    call.listener = [log = log](const StepProgress &progress) {
      std::string step(progress.step);
      std::size_t done = progress.isOver ? progress.total : progress.done;
      if (log->listener(log->user, step.c_str(), done, progress.total) != 0)
        log->cancellation->request();
    };
  return call;
}

yarrow_status LogCall::failed(yarrow_status status) const {
  auto has = [&](DiagId id) {
    return std::ranges::any_of(diags.all(),
                               [&](const Diagnostic &d) { return d.id == id; });
  };
  if (has(diag::CallCancelled))
    return YARROW_ERROR_CANCELLED;
  if (has(diag::ResourcesExhausted))
    return YARROW_ERROR_RESOURCES;
  if (has(diag::TargetInvalid))
    return YARROW_ERROR_TARGET;
  if (has(diag::UsageInvalid))
    return YARROW_ERROR_ARGUMENT;
  return status;
}

yarrow_status LogCall::wrongArgument(std::string what) {
  diags.report(diag::UsageInvalid, {}, std::move(what));
  return YARROW_ERROR_ARGUMENT;
}

static yarrow_severity severityOf(const Diagnostic &d) {
  if (d.isError())
    return YARROW_SEVERITY_ERROR;
  return diagSeverity(d.id) == "warning" ? YARROW_SEVERITY_WARNING
                                         : YARROW_SEVERITY_NOTE;
}

yarrow_status yarrow_log_create(yarrow_log **log) try {
  if (!log)
    return YARROW_ERROR_ARGUMENT;
  *log = new yarrow_log();
  return YARROW_OK;
} catch (...) {
  return YARROW_ERROR_RESOURCES;
}

void yarrow_log_close(yarrow_log *log) { delete log; }

void yarrow_log_clear(yarrow_log *log) {
  if (!log)
    return;
  log->messages.clear();
  log->lost = false;
  std::lock_guard lock(log->mutex);
  log->cancellation.emplace();
}

void yarrow_log_listen(yarrow_log *log, yarrow_listener listener, void *user) {
  if (!log)
    return;
  log->listener = listener;
  log->user = user;
}

void yarrow_log_cancel(yarrow_log *log) {
  if (!log)
    return;
  std::lock_guard lock(log->mutex);
  log->cancellation->request();
}

size_t yarrow_log_count(const yarrow_log *log) {
  return log ? log->messages.size() : 0;
}

yarrow_status yarrow_log_message(yarrow_log *log, size_t index,
                                 yarrow_message *message) {
  if (!log || !message || index >= log->messages.size())
    return YARROW_ERROR_ARGUMENT;
  const yarrow_log::Message &m = log->messages[index];
  const Diagnostic &d = m.diagnostic;
  *message = {severityOf(d),          m.code.c_str(),
              m.text.c_str(),         d.message.c_str(),
              d.place.file.c_str(),   d.place.line,
              d.place.layer.c_str(),  d.foundText.c_str(),
              d.expectedText.c_str(), d.hintText.c_str()};
  return YARROW_OK;
}

const char *yarrow_log_text(yarrow_log *log) try {
  if (!log)
    return "";
  log->allText.clear();
  if (log->lost)
    log->allText = "error E0109: no memory is left for messages\n";
  for (const yarrow_log::Message &m : log->messages)
    log->allText += m.text + "\n";
  return log->allText.c_str();
} catch (...) {
  return "error E0109: no memory is left\n";
}
