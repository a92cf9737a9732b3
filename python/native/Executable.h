//===- Executable.h - A compiled network, for Python ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The bytes of an executable, checked, and runs of it on a simulated machine.
//
//   auto executable = Executable::open("aipu.bin");
//   Session session(executable, "", sim::kDefaultBudget);
//   Run run = session.run(data, {.isReal = true, .isTimed = true});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PYTHON_NATIVE_EXECUTABLE_H
#define YARROW_PYTHON_NATIVE_EXECUTABLE_H

#include "compiler/run/IoFiles.h"
#include "compiler/session/Compile.h"
#include "python/native/Arrays.h"
#include "runtime/SessionPool.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace yarrow::python {

class Executable {
public:
  static std::shared_ptr<Executable> open(const std::string &path);
  /// Throws Raised if \p bytes are no executable.
  static std::shared_ptr<Executable> make(std::string_view bytes,
                                          const std::string &name);
  explicit Executable(std::shared_ptr<const session::Executable> executable)
      : executable(std::move(executable)) {}
  void save(const std::string &path) const;

  std::string_view bytes() const { return executable->bytes(); }
  const std::shared_ptr<const runtime::Executable> &program() const {
    return executable->program();
  }
  /// Inputs, outputs, target, model, layers.
  std::string json() const;

  std::string summaryJson = "null"; ///< Of the compilation.
  std::string diagnosticsJson = "[]";

private:
  std::shared_ptr<const session::Executable> executable;
};

struct RunSettings {
  bool isReal = true;   ///< Outputs as float32, not as they are stored.
  bool isTimed = false; ///< Counts the cycles of the first sample.
  bool isView = false;  ///< Outputs are the device's memory (one sample).
  std::map<std::string, std::string> pictures = {}; ///< pictureOptionsOf.
  std::size_t resetEvery = 0; ///< Runs of a sequence; 0: all.
};

struct Run {
  pybind11::list outputs;
  std::string reportJson;
};

/// Devices with the program, as many as run at a time. Any number of threads
/// may call run(). A network that keeps a state has one device, and runs one
/// sample at a time.
class Session : public std::enable_shared_from_this<Session> {
public:
  /// \p machine names another machine than the executable's; or "".
  Session(std::shared_ptr<Executable> executable, const std::string &machine,
          uint64_t budget);
  Run run(const NamedArrays &data, const RunSettings &settings);

  /// An array for each state, as real numbers or as it is stored.
  pybind11::list states(bool isReal);
  /// An array for each state, in their order; None where one stays.
  void setStates(const pybind11::list &arrays);
  void resetStates();

private:
  struct Work;
  runtime::SessionPool &
  poolOf(const std::shared_ptr<const runtime::Executable> &variant);
  /// Calls \p use with the one device of a network that keeps a state.
  void withDevice(
      const std::function<bool(runtime::Session &, DiagnosticEngine &)> &use);
  bool runInOrder(runtime::SessionPool &pool, Work &work,
                  std::size_t resetEvery);
  runtime::SessionPool &poolFor(const std::vector<NpyView> &views,
                                std::shared_ptr<const runtime::Executable> &of);
  Run runInView(runtime::SessionPool &pool, Work &work);
  std::string timed(Work &work);

  std::shared_ptr<Executable> executable;
  std::optional<isa::Machine> machine;
  runtime::SimulationOptions options;
  std::mutex mutex;
  std::mutex runs; ///< Of a network that keeps a state, one after the other.
  /// By variant of the inputs' shapes.
  std::map<std::size_t, std::unique_ptr<runtime::SessionPool>> pools;
};

} // namespace yarrow::python

#endif // YARROW_PYTHON_NATIVE_EXECUTABLE_H
