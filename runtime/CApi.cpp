//===- CApi.cpp - The public C interface ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/include/yarrow/yarrow.h"

#include "runtime/CHandles.h"
#include "runtime/Report.h"
#include "runtime/SimulatedDevice.h"
#include "runtime/Trace.h"
#include "support/ReportDocument.h"
#include <algorithm>
#include <cstring>
#include <exception>
#include <sstream>
#include <system_error>

using namespace yarrow;
using namespace yarrow::runtime;

struct yarrow_session {
  std::unique_ptr<Session> session;
  Recorder recorder;
  bool isTraced = false;
  std::string text; ///< What the last yarrow_report or yarrow_trace returned.
};

static thread_local std::string lastError;
/// Instead of lastError, where there is no memory for a text.
static thread_local const char *lastLiteral = nullptr;

static yarrow_status fail(yarrow_status status, std::string message) {
  lastError = std::move(message);
  lastLiteral = nullptr;
  return status;
}
static yarrow_status fail(yarrow_status status, const DiagnosticEngine &diags) {
  std::ostringstream os;
  diags.print(os);
  return fail(status, os.str());
}
/// For the handlers of exceptions: what the system has refused.
static yarrow_status exhausted() {
  try {
    throw;
  } catch (const std::system_error &) {
    lastLiteral = "error E0109: the system has no more threads";
  } catch (...) { // bad_alloc, length_error
    lastLiteral = "error E0109: no memory is left";
  }
  return YARROW_ERROR_RESOURCES;
}
static yarrow_status nullArgument() {
  return fail(YARROW_ERROR_ARGUMENT, "an argument is NULL");
}

yarrow_status yarrow_open(const char *path,
                          yarrow_executable **executable) try {
  if (!path || !executable)
    return nullArgument();
  *executable = nullptr;
  DiagnosticEngine diags;
  auto model = Executable::open(path, diags);
  if (!model)
    return fail(YARROW_ERROR_FILE, diags);
  *executable = new yarrow_executable{std::move(model)};
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_open_memory(const void *data, size_t size_bytes,
                                 yarrow_executable **executable) try {
  if (!data || !executable)
    return nullArgument();
  *executable = nullptr;
  DiagnosticEngine diags;
  std::string_view bytes(static_cast<const char *>(data), size_bytes);
  auto model = Executable::copyOf(bytes, "the executable", diags);
  if (!model)
    return fail(YARROW_ERROR_FILE, diags);
  *executable = new yarrow_executable{std::move(model)};
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_content(const yarrow_executable *executable,
                             const void **data, size_t *size_bytes) try {
  if (!executable || !data || !size_bytes)
    return nullArgument();
  std::string_view bytes = executable->model->content();
  *data = bytes.data();
  *size_bytes = bytes.size();
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

void yarrow_close(yarrow_executable *executable) { delete executable; }

size_t yarrow_num_inputs(const yarrow_executable *executable) {
  return executable ? executable->model->inputs().size() : 0;
}
size_t yarrow_num_outputs(const yarrow_executable *executable) {
  return executable ? executable->model->outputs().size() : 0;
}

size_t yarrow_num_variants(const yarrow_executable *executable) {
  return executable ? executable->model->variants().size() : 0;
}
yarrow_status yarrow_choose_variant(yarrow_executable *executable,
                                    size_t index) try {
  if (!executable)
    return nullArgument();
  if (index >= executable->model->variants().size())
    return fail(YARROW_ERROR_ARGUMENT,
                "the executable has no variant " + std::to_string(index));
  if (index == executable->model->variant())
    return YARROW_OK;
  auto chosen = executable->model->withVariant(index);
  executable->earlier.push_back(executable->model);
  executable->model = std::move(chosen);
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

static yarrow_status describe(const std::vector<IoDescription> &list,
                              size_t index, yarrow_tensor *tensor) {
  if (index >= list.size())
    return fail(YARROW_ERROR_ARGUMENT,
                "the network has no tensor " + std::to_string(index));
  const IoDescription &io = list[index];
  *tensor = {};
  tensor->name = io.name.c_str();
  tensor->type = yarrow_type(io.type);
  if (io.shape.size() <= YARROW_MAX_RANK) {
    tensor->rank = uint32_t(io.shape.size());
    std::copy(io.shape.begin(), io.shape.end(), tensor->shape);
  }
  tensor->size_bytes = io.sizeBytes;
  tensor->scale = io.scale;
  tensor->zero_point = io.zeroPoint;
  return YARROW_OK;
}

yarrow_status yarrow_input(const yarrow_executable *executable, size_t index,
                           yarrow_tensor *tensor) try {
  if (!executable || !tensor)
    return nullArgument();
  return describe(executable->model->inputs(), index, tensor);
} catch (...) {
  return exhausted();
}
yarrow_status yarrow_output(const yarrow_executable *executable, size_t index,
                            yarrow_tensor *tensor) try {
  if (!executable || !tensor)
    return nullArgument();
  return describe(executable->model->outputs(), index, tensor);
} catch (...) {
  return exhausted();
}

size_t yarrow_num_states(const yarrow_executable *executable) {
  return executable ? executable->model->states().size() : 0;
}

yarrow_status yarrow_state(const yarrow_executable *executable, size_t index,
                           yarrow_tensor *tensor) try {
  if (!executable || !tensor)
    return nullArgument();
  return describe(executable->model->states(), index, tensor);
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_create_session(const yarrow_executable *executable,
                                    const yarrow_options *options,
                                    yarrow_session **session) try {
  if (!executable || !session)
    return nullArgument();
  *session = nullptr;
  DiagnosticEngine diags;
  SimulationOptions simulation;
  std::optional<isa::Machine> machine;
  if (options) {
    if (options->target) {
      machine = isa::findTarget(options->target, diags);
      if (!machine)
        return fail(YARROW_ERROR_TARGET, diags);
      simulation.machine = &*machine;
    }
    simulation.timed = options->timed;
    if (options->instruction_budget)
      simulation.budget = options->instruction_budget;
  }
  auto made = std::make_unique<yarrow_session>();
  made->session = simulatedSession(executable->model, simulation, diags);
  if (!made->session)
    return fail(YARROW_ERROR_TARGET, diags);
  made->isTraced = options && options->trace;
  if (made->isTraced)
    made->session->device().observe(&made->recorder);
  *session = made.release();
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

void yarrow_close_session(yarrow_session *session) { delete session; }

yarrow_status yarrow_set_input(yarrow_session *session, size_t index,
                               const void *data, size_t size_bytes) try {
  if (!session || (!data && size_bytes))
    return nullArgument();
  DiagnosticEngine diags;
  std::span bytes(static_cast<const std::byte *>(data), size_bytes);
  if (!session->session->setInput(index, bytes, diags))
    return fail(YARROW_ERROR_ARGUMENT, diags);
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_run(yarrow_session *session) try {
  if (!session)
    return nullArgument();
  DiagnosticEngine diags;
  session->recorder.clear();
  if (session->session->run(diags))
    return YARROW_OK;
  return fail(session->session->hasInputs() ? YARROW_ERROR_FAULT
                                            : YARROW_ERROR_ARGUMENT,
              diags);
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_get_output(yarrow_session *session, size_t index,
                                void *data, size_t size_bytes) try {
  if (!session || (!data && size_bytes))
    return nullArgument();
  const auto &outputs = session->session->executable().outputs();
  if (index >= outputs.size())
    return fail(YARROW_ERROR_ARGUMENT,
                "the network has no output " + std::to_string(index));
  if (size_bytes != outputs[index].sizeBytes)
    return fail(YARROW_ERROR_ARGUMENT,
                "output " + std::to_string(index) + " has " +
                    std::to_string(outputs[index].sizeBytes) + " bytes, not " +
                    std::to_string(size_bytes));
  if (!session->session->hasOutputs())
    return fail(YARROW_ERROR_ARGUMENT, "there is no output: the session has "
                                       "not run yet, or its last run failed");
  std::span<const std::byte> output = session->session->output(index);
  if (output.size() != size_bytes)
    return fail(YARROW_ERROR_FAULT, "the device and its memory are lost");
  if (size_bytes) // an empty output may have no address
    std::memcpy(data, output.data(), size_bytes);
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_set_state(yarrow_session *session, size_t index,
                               const void *data, size_t size_bytes) try {
  if (!session || (!data && size_bytes))
    return nullArgument();
  DiagnosticEngine diags;
  std::span bytes(static_cast<const std::byte *>(data), size_bytes);
  if (!session->session->setState(index, bytes, diags))
    return fail(YARROW_ERROR_ARGUMENT, diags);
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_get_state(yarrow_session *session, size_t index,
                               void *data, size_t size_bytes) try {
  if (!session || (!data && size_bytes))
    return nullArgument();
  const auto &states = session->session->executable().states();
  if (index >= states.size())
    return fail(YARROW_ERROR_ARGUMENT,
                "the network has no state " + std::to_string(index));
  if (size_bytes != states[index].sizeBytes)
    return fail(YARROW_ERROR_ARGUMENT,
                "state " + std::to_string(index) + " has " +
                    std::to_string(states[index].sizeBytes) + " bytes, not " +
                    std::to_string(size_bytes));
  std::span<const std::byte> state = session->session->state(index);
  if (state.size() != size_bytes)
    return fail(YARROW_ERROR_FAULT, "the device and its memory are lost");
  if (size_bytes)
    std::memcpy(data, state.data(), size_bytes);
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

yarrow_status yarrow_reset_states(yarrow_session *session) try {
  if (!session)
    return nullArgument();
  if (!session->session->resetStates())
    return fail(YARROW_ERROR_FAULT, "the device and its memory are lost");
  return YARROW_OK;
} catch (...) {
  return exhausted();
}

uint64_t yarrow_cycles(const yarrow_session *session) {
  return session ? session->session->counters().cycles : 0;
}
uint64_t yarrow_instructions(const yarrow_session *session) {
  return session ? session->session->counters().instructions : 0;
}

template <typename Fn>
static const char *makeText(yarrow_session *session, Fn fn) try {
  if (!session || !session->isTraced) {
    nullArgument();
    return nullptr;
  }
  session->text = fn(session->session->executable(),
                     session->session->machine(), session->recorder.run());
  return session->text.c_str();
} catch (...) {
  exhausted();
  return nullptr;
}
const char *yarrow_report(yarrow_session *session) {
  return makeText(session,
                  [](auto &...parts) { return makeReport(parts...).text(); });
}
const char *yarrow_report_json(yarrow_session *session) {
  return makeText(session, [](auto &...parts) {
    Report report = makeReport(parts...);
    ReportDocument document("run");
    document.model = report.model;
    document.target = report.target;
    document.performance = report.json();
    return document.text();
  });
}
const char *yarrow_trace(yarrow_session *session) {
  return makeText(session, [](auto &...parts) { return traceJson(parts...); });
}

const char *yarrow_last_error(void) {
  return lastLiteral ? lastLiteral : lastError.c_str();
}
