//===- Session.cpp - Runs of an executable, for Python --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"
#include "compiler/run/EntriesInUse.h"
#include "compiler/run/Profile.h"
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
  std::lock_guard lock(mutex);
  auto &pool = pools[of->variant()];
  if (!pool)
    pool = std::make_unique<runtime::SessionPool>(of, options);
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
             const runtime::SimulationOptions &options,
             const SampleArrays &samples, IoBytes &outputs,
             DiagnosticEngine &diags) {
  const IoBytes inputs[] = {samples.inputsOf(0)};
  auto profile = profileSamples(program, options, inputs, {}, {},
                                std::span(&outputs, 1), diags);
  return profile ? std::optional(std::move(profile->report)) : std::nullopt;
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
  if (settings.isView && !settings.isTimed && runs == 1) {
    result = runInView(*pool, work);
  } else {
    py::gil_scoped_release released;
    std::size_t first = 0;
    if (hasEntriesInUse(*work.program))
      work.used.emplace(*work.program);
    if (settings.isTimed) {
      IoBytes outputs;
      auto measured = interruptible([&] {
        return profileFirst(work.program, options, *work.samples, outputs,
                            work.diags);
      });
      raiseIf(!measured, work.diags);
      addPerformance(report, *measured);
      for (std::size_t k = 0; k < outputs.size(); ++k)
        work.take(0, k, std::as_bytes(std::span(outputs[k])));
      if (work.used)
        work.used->add(outputs);
      first = 1;
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
    runInterruptible([&] { parallelFor(runs - first, runOne); });
    raiseIf(hasFailed, work.diags);
  }
  if (settings.isTimed || !settings.isView || runs != 1)
    for (const StackedArray &output : work.outputs)
      result.outputs.append(output.array);
  if (work.used)
    report.entriesInUse = work.used->json();
  report.diagnostics = Json::parse(jsonOf(work.diags));
  result.reportJson = report.text();
  return result;
}
