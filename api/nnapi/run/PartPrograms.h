//===- PartPrograms.h - Programs of a part, by lengths and values ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiles a part for the lengths that its inputs have in a run and for the
// values that its layers are made of, and keeps the programs that were used
// last. Threads that ask for the same one wait for the first to compile it.
//
//   PartPrograms programs(partOf(model, step), frozen, backend);
//   auto program = programs.find(inputs, diags);
//   program->program->run(...);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_PARTPROGRAMS_H
#define YARROW_API_NNAPI_RUN_PARTPROGRAMS_H

#include "api/nnapi/run/Backend.h"
#include <list>
#include <map>
#include <mutex>
#include <set>

namespace yarrow::nnapi {

/// A program of a part.
struct PartProgram {
  std::shared_ptr<Program> program; ///< Null after \ref problems.
  /// Which of the part's inputs the program takes: the others are constants in
  /// it, or left out.
  std::vector<std::size_t> inputs = {};
  std::vector<Diagnostic> problems = {};
};

class PartPrograms {
public:
  /// How many are kept.
  static constexpr std::size_t kMost = 8;

  /// \p frozen: which of the part's inputs are constants of programs.
  PartPrograms(NnModel part, std::set<std::size_t> frozen,
               std::shared_ptr<Backend> backend)
      : part(std::move(part)), frozen(std::move(frozen)),
        backend(std::move(backend)) {}

  /// Null after errors. No value has a length of 0; one without bytes is left
  /// out.
  std::shared_ptr<const PartProgram> find(std::span<const Value> inputs,
                                          DiagnosticEngine &diags);
  const NnModel &model() const { return part; }

  /// The part with the inputs' lengths, and those that are frozen as constants;
  /// \p kept gets the numbers of the others.
  NnModel bind(std::span<const Value> inputs,
               std::vector<std::size_t> &kept) const;

private:
  struct Entry {
    std::string key;
    std::shared_ptr<const PartProgram> program;
    std::once_flag once;
  };
  std::string keyOf(std::span<const Value> inputs) const;
  std::shared_ptr<const PartProgram> compile(std::span<const Value> inputs);

  const NnModel part;
  const std::set<std::size_t> frozen;
  const std::shared_ptr<Backend> backend;
  std::mutex mutex;
  std::list<std::shared_ptr<Entry>> entries; ///< Last used first.
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_PARTPROGRAMS_H
