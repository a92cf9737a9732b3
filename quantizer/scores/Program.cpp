//===- Program.cpp - A metric that a program of the user's computes -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The program is started as it is, without a shell, with its arguments and, as
// the last one, a folder that holds
//
//   output_0.npy ...  float32 [samples, ...], an array for each output
//   label_0.npy ...   the labels of these samples, as they were given
//
// The last line that it prints is the number. It may be stopped like any other
// program; the folder is removed when it has ended.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "support/AtomicFile.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Measuring.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <cmath>
#include <filesystem>

using namespace yarrow;
namespace fs = std::filesystem;

namespace {

class Program : public Score {
public:
  Program(std::string path, std::vector<std::string> arguments)
      : path(std::move(path)), arguments(std::move(arguments)) {}
  ~Program() override {
    outputs.clear();
    std::error_code error;
    if (!folder.empty())
      fs::remove_all(folder, error);
  }

  std::string misfit(const ScoreContext &) const override {
    std::error_code error;
    auto mode = fs::status(path, error).permissions();
    if (error || (mode & fs::perms::owner_exec) == fs::perms::none)
      return "an executable program, unlike " + path;
    return "";
  }
  void begin(const ScoreContext &known) override { context = known; }

  std::vector<double> observe(const ScoredSample &sample) const override {
    std::vector<double> all;
    for (const ScoredTensor &output : sample.outputs)
      all.insert(all.end(), output.values.begin(), output.values.end());
    return all;
  }

  void add(std::span<const double> observation) override {
    if (folder.empty())
      open();
    std::size_t at = 0;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      std::size_t count = sizes[k];
      std::vector<float> values(observation.begin() + std::ptrdiff_t(at),
                                observation.begin() +
                                    std::ptrdiff_t(at + count));
      at += count;
      outputs[k]->append(std::as_bytes(std::span(values)));
    }
  }

  std::optional<double> result(DiagnosticEngine &diags) override {
    bool ok = !folder.empty() && !writeProblems.hasErrors();
    for (auto &file : outputs)
      ok &= file->commit();
    for (const Diagnostic &d : writeProblems.all())
      diags.add(d);
    return ok && writeLabels(diags) ? run(diags) : std::nullopt;
  }

private:
  std::string fileOf(const char *what, std::size_t k) const {
    return (fs::path(folder) / (what + std::to_string(k) + ".npy")).string();
  }

  void open() {
    llvm::SmallString<128> unique;
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory(
            "yarrow-" + context.network, unique)) {
      writeProblems
          .report(diag::FileUnwritable, {}, "cannot make a temporary folder")
          .found(error.message());
      return;
    }
    folder = unique.str().str();
    for (std::size_t k = 0; k < context.outputs.size(); ++k) {
      ScoreShape shape = context.outputs[k];
      sizes.push_back(1);
      for (int64_t size : shape)
        sizes.back() *= std::size_t(size);
      shape.insert(shape.begin(), int64_t(context.samples));
      outputs.push_back(
          std::make_unique<AtomicFile>(fileOf("output_", k), writeProblems));
      outputs.back()->append(npyHeader(NpyType::Float32, shape));
    }
  }

  bool writeLabels(DiagnosticEngine &diags) const {
    for (std::size_t k = 0; k < context.labelArrays.size(); ++k) {
      const NpyView &all = context.labelArrays[k];
      std::vector<int64_t> shape = all.shape;
      if (!shape.empty())
        shape[0] = int64_t(context.samples);
      if (!writeNpy(fileOf("label_", k), all.type, shape, all.data, diags))
        return false;
    }
    return true;
  }

  std::optional<double> run(DiagnosticEngine &diags) const {
    std::string printed = (fs::path(folder) / "printed.txt").string();
    std::vector<llvm::StringRef> words = {path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.push_back(folder);
    // Nothing to read, what it prints into a file, its errors to ours.
    std::optional<llvm::StringRef> streams[] = {
        llvm::StringRef(""), llvm::StringRef(printed), std::nullopt};
    std::string problem;
    int code = llvm::sys::ExecuteAndWait(path, words, std::nullopt, streams, 0,
                                         0, &problem);
    if (code != 0) {
      diags.report(diag::MetricProgram, {path}, "the metric's program failed")
          .found(code < 0 ? problem : "exit code " + std::to_string(code))
          .expected("exit code 0");
      return std::nullopt;
    }
    DiagnosticEngine unread;
    auto file = MappedFile::open(printed, unread);
    llvm::StringRef last =
        file ? llvm::StringRef(file->text()).rtrim().rsplit('\n').second
             : llvm::StringRef();
    if (last.empty() && file)
      last = llvm::StringRef(file->text()).trim();
    double value = 0;
    if (!last.trim().getAsDouble(value) && std::isfinite(value))
      return value;
    diags
        .report(diag::MetricProgram, {path},
                "the last line of the program's output is not a number")
        .found(last.empty() ? "nothing" : "'" + last.take_front(80).str() + "'")
        .expected("a number such as 0.742");
    return std::nullopt;
  }

  std::string path;
  std::vector<std::string> arguments;
  ScoreContext context;
  std::string folder;
  std::vector<std::size_t> sizes;
  DiagnosticEngine writeProblems;
  std::vector<std::unique_ptr<AtomicFile>> outputs;
};

} // namespace

std::unique_ptr<Score> scores::makeProgram(ScoreArguments &arguments) {
  std::string path = arguments.file("path");
  return std::make_unique<Program>(path, arguments.rest());
}
