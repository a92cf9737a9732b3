//===- Session.cpp - Runs of an executable, for Python --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"
#include "compiler/run/EntriesInUse.h"
#include "compiler/run/IoFiles.h"
#include "compiler/session/Run.h"
#include "compiler/work/Preflight.h"
#include "python/native/Executable.h"
#include "python/native/Interruptible.h"
#include "python/native/Raise.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace py = pybind11;
using namespace yarrow;
using namespace yarrow::python;
using Json = nlohmann::ordered_json;

/// A run of all samples.
struct yarrow::python::Session::Work {
  std::vector<NpyView> views;
  std::shared_ptr<const runtime::Executable> program;
  std::optional<SampleArrays> samples;
  DiagnosticEngine diags;
  std::vector<StackedArray> outputs;
  std::vector<StoredValues> stored; ///< Of the outputs.
  std::vector<bool> isReal;
  std::mutex mutex;
  std::optional<EntriesInUse> used; ///< Where outputs have a capacity.

  bool setInputs(runtime::Session &session, std::size_t run,
                 DiagnosticEngine &own) const;
  void take(std::size_t run, std::size_t k, std::span<const std::byte> bytes);
  bool runOne(runtime::SessionPool &pool, std::size_t run,
              DiagnosticEngine &own);
};

static StoredValues storedValuesOf(const IoDescription &tensor) {
  return {yarrow::npyTypeOf(tensor.type), false, tensor.scale,
          tensor.zeroPoint};
}

yarrow::python::Session::Session(std::shared_ptr<Executable> given,
                                 const std::string &machineName,
                                 uint64_t budget)
    : executable(std::move(given)) {
  DiagnosticEngine diags;
  if (!machineName.empty()) {
    machine = targetAt(machineName, {"machine"}, diags);
    raiseIf(!machine, diags);
    options.machine = &*machine;
  }
  options.budget = budget;
}

runtime::SessionPool &yarrow::python::Session::poolFor(
    const std::vector<NpyView> &views,
    std::shared_ptr<const runtime::Executable> &of) {
  of = session::variantFor(executable->program(), views);
  return poolOf(of);
}

runtime::SessionPool &yarrow::python::Session::poolOf(
    const std::shared_ptr<const runtime::Executable> &variant) {
  std::lock_guard lock(mutex);
  auto &pool = pools[variant->variant()];
  if (!pool)
    pool = std::make_unique<runtime::SessionPool>(variant, options);
  return *pool;
}

/// Inputs that the device takes as they are go there from the caller's arrays.
bool yarrow::python::Session::Work::setInputs(runtime::Session &session,
                                              std::size_t run,
                                              DiagnosticEngine &own) const {
  const auto &inputs = program->inputs();
  IoBytes converted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto bytes = bytesInPlace(views[i], storedValuesOf(inputs[i]),
                              inputs[i].sizeBytes, run);
    if (bytes.empty() && converted.empty())
      converted = samples->inputsOf(run);
    if (!session.setInput(
            i, bytes.empty() ? std::as_bytes(std::span(converted[i])) : bytes,
            own))
      return false;
  }
  return true;
}

void yarrow::python::Session::Work::take(std::size_t run, std::size_t k,
                                         std::span<const std::byte> bytes) {
  char *to = outputs[k].bytesOf(run);
  if (isReal[k])
    writeReal(bytes, stored[k], reinterpret_cast<float *>(to));
  else
    std::memcpy(to, bytes.data(),
                std::min(bytes.size(), outputs[k].bytesPerRun()));
}

bool yarrow::python::Session::Work::runOne(runtime::SessionPool &pool,
                                           std::size_t run,
                                           DiagnosticEngine &own) {
  auto session = pool.take(own);
  if (!session || !setInputs(*session, run, own) || !session->run(own))
    return false;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    take(run, k, session->output(k));
  if (used) {
    IoBytes bytes = outputsOf(*session);
    std::lock_guard lock(mutex);
    used->add(bytes);
  }
  pool.give(std::move(session));
  return true;
}

/// The first sample with cycles counted, as "performance" of a report.
static std::optional<runtime::Report>
profileFirst(const std::shared_ptr<const runtime::Executable> &program,
             const session::RunSettings &settings, const SampleArrays &samples,
             IoBytes &outputs, DiagnosticEngine &diags) {
  const IoBytes inputs[] = {samples.inputsOf(0)};
  auto runner = session::Runner::make(program, settings, diags);
  auto profiled = runner ? runner->profile(inputs, {}, {diags}) : std::nullopt;
  if (!profiled)
    return std::nullopt;
  outputs = std::move(profiled->outputs.front());
  return std::move(profiled->profile.report);
}

namespace {
/// A device whose memory arrays look at; it is given back after the last one.
struct Lease {
  std::shared_ptr<yarrow::python::Session> owner;
  runtime::SessionPool *pool = nullptr;
  std::unique_ptr<runtime::Session> session;

  ~Lease() {
    if (session)
      pool->give(std::move(session));
  }
};
} // namespace

/// One run, whose outputs that need no conversion stay where they are.
Run yarrow::python::Session::runInView(runtime::SessionPool &pool, Work &work) {
  auto lease = std::make_shared<Lease>();
  lease->owner = shared_from_this();
  lease->pool = &pool;
  {
    py::gil_scoped_release released;
    auto session = pool.take(work.diags);
    bool isGood = interruptible([&] {
      return session && work.setInputs(*session, 0, work.diags) &&
             session->run(work.diags);
    });
    raiseIf(!isGood, work.diags);
    lease->session = std::move(session);
  }
  Run result;
  for (std::size_t k = 0; k < work.stored.size(); ++k) {
    auto bytes = lease->session->output(k);
    if (work.isReal[k]) {
      work.take(0, k, bytes);
      result.outputs.append(work.outputs[k].array);
      continue;
    }
    py::capsule owner(new std::shared_ptr<Lease>(lease), [](void *pointer) {
      delete static_cast<std::shared_ptr<Lease> *>(pointer);
    });
    const py::array &like = work.outputs[k].array;
    py::array view(
        like.dtype(),
        std::vector<py::ssize_t>(like.shape(), like.shape() + like.ndim()),
        bytes.data(), owner);
    view.attr("setflags")(py::arg("write") = false);
    result.outputs.append(view);
  }
  return result;
}

bool yarrow::python::Session::runInOrder(runtime::SessionPool &pool, Work &work,
                                         std::size_t resetEvery) {
  std::lock_guard lock(runs);
  return interruptible([&] {
    for (std::size_t run = 0; run < work.samples->count(); ++run) {
      if (resetEvery && run % resetEvery == 0) {
        auto session = pool.take(work.diags);
        if (!session || !session->resetStates())
          return false;
        pool.give(std::move(session));
      }
      if (!work.runOne(pool, run, work.diags))
        return false;
    }
    return true;
  });
}

void yarrow::python::Session::withDevice(
    const std::function<bool(runtime::Session &, DiagnosticEngine &)> &use) {
  const auto &program = executable->program();
  if (program->states().empty())
    raiseUsage("the network has no state",
               "yarrow.Executable.states lists the states of a network");
  runtime::SessionPool &pool = poolOf(program);
  DiagnosticEngine diags;
  std::lock_guard lock(runs);
  auto session = pool.take(diags);
  bool isGood = session && use(*session, diags);
  if (session)
    pool.give(std::move(session));
  raiseIf(!isGood, diags);
}

py::list yarrow::python::Session::states(bool isReal) {
  const auto &tensors = executable->program()->states();
  std::vector<StackedArray> arrays;
  py::list result;
  for (const IoDescription &tensor : tensors) {
    StoredValues stored = storedValuesOf(tensor);
    arrays.emplace_back(tensor.shape, isReal ? NpyType::Float32 : stored.type,
                        1);
    result.append(arrays.back().array);
  }
  py::gil_scoped_release released;
  withDevice([&](runtime::Session &session, DiagnosticEngine &) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      StoredValues stored = storedValuesOf(tensors[i]);
      std::span<const std::byte> bytes = session.state(i);
      char *to = arrays[i].bytesOf(0);
      if (isReal && stored.type != NpyType::Float32)
        writeReal(bytes, stored, reinterpret_cast<float *>(to));
      else
        std::memcpy(to, bytes.data(), bytes.size());
    }
    return true;
  });
  return result;
}

void yarrow::python::Session::setStates(const py::list &arrays) {
  const auto &tensors = executable->program()->states();
  std::vector<std::optional<std::vector<char>>> values(tensors.size());
  for (std::size_t i = 0; i < tensors.size() && i < arrays.size(); ++i) {
    if (arrays[i].is_none())
      continue;
    session::DataTarget target;
    target.inputs = {{tensors[i].name, tensors[i].tensor}};
    target.shapes = {tensors[i].shape};
    session::Data given =
        dataOf({{"", py::reinterpret_borrow<py::object>(arrays[i])}});
    py::gil_scoped_release released;
    std::vector<NpyView> views = boundViews(given, target);
    DiagnosticEngine diags;
    auto samples = makeRunInputs(views, {tensors[i]}, diags);
    raiseIf(!samples, diags);
    if (samples->count() != 1)
      raiseUsage("more than one value for the state " + tensors[i].name);
    values[i] = samples->inputsOf(0)[0];
  }
  py::gil_scoped_release released;
  withDevice([&](runtime::Session &session, DiagnosticEngine &diags) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] &&
          !session.setState(i, std::as_bytes(std::span(*values[i])), diags))
        return false;
    return true;
  });
}

void yarrow::python::Session::resetStates() {
  py::gil_scoped_release released;
  withDevice([&](runtime::Session &session, DiagnosticEngine &) {
    return session.resetStates();
  });
}

/// Whether the data decide how much of an output is in use.
static bool hasEntriesInUse(const runtime::Executable &program) {
  const auto &outputs = program.provenance().outputs;
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const auto &output) { return output.countedBy >= 0; });
}

Run yarrow::python::Session::run(const NamedArrays &data,
                                 const RunSettings &settings) {
  Work work;
  session::DataTarget target;
  for (const IoDescription &input : executable->program()->inputs()) {
    target.inputs.push_back({input.name, input.tensor});
    target.shapes.push_back(input.shape);
  }
  session::Data given = dataOf(data, pictureOptionsOf(settings.pictures, data));
  runtime::SessionPool *pool = nullptr;
  {
    py::gil_scoped_release released;
    work.views = boundViews(given, target);
    pool = &poolFor(work.views, work.program);
    const isa::Machine &used = machine ? *machine : work.program->machine();
    warnOfIdleCores(used, work.program->usesSeveralCores(), work.diags);
    work.samples =
        makeRunInputs(work.views, work.program->inputs(), work.diags);
    raiseIf(!work.samples, work.diags);
  }
  std::size_t runs = work.samples->count();
  for (const IoDescription &tensor : work.program->outputs()) {
    StoredValues stored = storedValuesOf(tensor);
    bool isReal = settings.isReal && stored.type != NpyType::Float32;
    std::vector<int64_t> shape = tensor.shape;
    if (shape.empty())
      shape = {int64_t(numElements(tensor))};
    work.outputs.emplace_back(shape, isReal ? NpyType::Float32 : stored.type,
                              runs);
    work.stored.push_back(stored);
    work.isReal.push_back(isReal);
  }
  ReportDocument report("run");
  report.model = work.program->provenance().model;
  report.target = work.program->provenance().target;
  report.read["executable"] = work.program->name();
  report.pictures = picturesJson(given.pictures, filesOf(data));
  Run result;
  bool keepsState = !work.program->states().empty();
  if (settings.isView && !settings.isTimed && runs == 1 && !keepsState) {
    result = runInView(*pool, work);
  } else {
    py::gil_scoped_release released;
    std::size_t first = 0;
    if (hasEntriesInUse(*work.program))
      work.used.emplace(*work.program);
    if (settings.isTimed) {
      IoBytes outputs;
      auto measured = interruptible([&] {
        return profileFirst(work.program,
                            {.budget = options.budget, .simulated = machine},
                            *work.samples, outputs, work.diags);
      });
      raiseIf(!measured, work.diags);
      addPerformance(report, *measured);
      // The device that was timed began with the first states.
      first = keepsState ? 0 : 1;
      for (std::size_t k = 0; first && k < outputs.size(); ++k)
        work.take(0, k, std::as_bytes(std::span(outputs[k])));
      if (first && work.used)
        work.used->add(outputs);
    }
    std::atomic<bool> hasFailed = false;
    auto runOne = [&](std::size_t i) {
      DiagnosticEngine own;
      if (hasFailed || work.runOne(*pool, first + i, own))
        return;
      if (!hasFailed.exchange(true)) // the others would fail alike
        for (const Diagnostic &d : own.all())
          work.diags.add(d);
    };
    if (keepsState)
      hasFailed = !runInOrder(*pool, work, settings.resetEvery);
    else
      runInterruptible([&] { parallelFor(runs - first, runOne); });
    raiseIf(hasFailed, work.diags);
  }
  if (result.outputs.size() == 0)
    for (const StackedArray &output : work.outputs)
      result.outputs.append(output.array);
  if (work.used)
    report.entriesInUse = work.used->json();
  report.diagnostics = Json::parse(jsonOf(work.diags));
  result.reportJson = report.text();
  return result;
}
