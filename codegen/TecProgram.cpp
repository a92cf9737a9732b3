//===- TecProgram.cpp - The program of the vector cores -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecProgram.h"

#include "codegen/TecKernels.h"
#include "codegen/TecLinker.h"
#include "codegen/TecMain.h"
#include "kernels/TecLibrary.h"
#include "kernels/registry/Registry.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Compiler.h"
#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

namespace yarrow {

/// A kernel is specialized for so many different parameters of a program, and
/// for those of so many steps in any case. Above that, time and code size
/// matter more: each takes about 20 ms. The library's code reads its parameters
/// from DDR, which costs a step of a recurrent layer, of 8 values, 1,500
/// cycles.
static constexpr size_t kMaxSpecializations = 64, kManySteps = 16;
/// Of the rest, so many steps that are alike share a function: what it takes to
/// compile it is little beside reading parameters from DDR, in every step and
/// every run.
static constexpr size_t kManyAlike = 4;

static bool checkStep(const TecProgramInput &input, size_t index,
                      DiagnosticEngine &diags) {
  const TecStep &step = input.steps[index];
  std::string what =
      "TEC step " + std::to_string(index) + " (" + step.symbol + ")";
  const kernels::KernelInfo *kernel = kernels::findKernel(step.symbol);
  if (!kernel && !step.flagBytes) {
    std::vector<std::string> names;
    for (const kernels::KernelInfo &known : kernels::allKernels())
      names.emplace_back(known.symbol);
    diags
        .report(diag::CodegenFailed, {},
                what + " calls a kernel that does not exist")
        .hint("if it comes from a plugin, load it with --plugin FILE")
        .suggest(step.symbol, names);
    return false;
  }
  bool isValid = true;
  auto expectEqual = [&](const char *thing, size_t found, size_t expected) {
    if (found == expected)
      return;
    diags
        .report(diag::CodegenFailed, {},
                what + " does not fit its kernel: " + thing)
        .found(std::to_string(found))
        .expected(std::to_string(expected));
    isValid = false;
  };
  expectEqual("bytes of parameters", step.params.size(),
              kernel ? kernel->paramsBytes : 0);
  if (!kernel)
    expectEqual("number of buffers", step.buffers.size(), 1);
  else if (!kernel->isVariadic())
    expectEqual("number of buffers", step.buffers.size(),
                kernel->buffers.size());
  for (const TecBuffer &buffer : step.buffers)
    if (!buffer.isNull && buffer.region >= input.regionCount) {
      diags
          .report(diag::CodegenFailed, {},
                  what + " uses a region that does not exist")
          .found(std::to_string(buffer.region))
          .expected("less than " + std::to_string(input.regionCount));
      isValid = false;
    }
  return isValid;
}

static bool checkInput(const TecProgramInput &input, DiagnosticEngine &diags) {
  bool isValid = true;
  auto expect = [&](bool holds, const std::string &otherwise) {
    if (!holds)
      diags.report(diag::CodegenFailed, {}, otherwise);
    isValid &= holds;
  };
  expect(input.tecs > 0, "a TEC program needs at least one TEC");
  expect(!input.groups.empty(), "a TEC program needs at least one group");
  size_t numPrograms = std::max<size_t>(input.variants.size(), 1);
  for (const TecGroup &group : input.groups)
    expect(group.programs.size() == numPrograms,
           "a group of a TEC program needs a program for each variant");
  expect(input.regionCount <= isa::kMaxRegions,
         "the program has " + std::to_string(input.regionCount) +
             " memory regions; the machine has " +
             std::to_string(isa::kMaxRegions));
  for (size_t i = 0; i < input.steps.size(); ++i)
    isValid &= checkStep(input, i, diags);
  return isValid;
}

namespace {

/// Which function each step calls, and the objects that define them.
struct Callees {
  std::vector<TecCallee> ofSteps;
  std::vector<SpecializedKernel> kernels;
};

/// Steps of one kernel and parameters.
struct SameSteps {
  const TecStep *first;
  size_t count = 0;
  bool isSpecialized = false;
  std::optional<size_t> alike = {}; ///< Number of the AlikeSteps.
};

/// Steps of one kernel whose parameters are the same but for a few words.
struct AlikeSteps {
  const TecStep *first;
  size_t count = 0;
  std::vector<uint32_t> openWords = {};

  /// Whether \p step may be one of them: the words that are open then.
  std::optional<std::vector<uint32_t>> openWith(const TecStep &step) const;
};

} // namespace

/// As many as there are registers for arguments beside buffers and task.
static constexpr size_t kMostOpenWords = 6;

std::optional<std::vector<uint32_t>>
AlikeSteps::openWith(const TecStep &step) const {
  constexpr size_t kWordBytes = 4;
  size_t size = step.params.size();
  if (step.symbol != first->symbol || size != first->params.size() ||
      size % kWordBytes)
    return std::nullopt;
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < size / kWordBytes; ++i) {
    auto wordOf = [&](const TecStep &one) {
      return std::string_view(one.params.data() + i * kWordBytes, kWordBytes);
    };
    if (wordOf(step) != wordOf(*first) ||
        std::ranges::find(openWords, i) != openWords.end())
      open.push_back(i);
  }
  return open.size() <= kMostOpenWords ? std::optional(open) : std::nullopt;
}

/// Groups steps that are not specialized by themselves. Those of a recurrent
/// layer have multipliers of their own in each time step.
static std::vector<AlikeSteps> groupAlike(std::vector<SameSteps> &all) {
  std::vector<AlikeSteps> groups;
  std::map<std::string, std::vector<size_t>> bySymbol;
  for (SameSteps &same : all) {
    if (same.isSpecialized)
      continue;
    std::vector<size_t> &known = bySymbol[same.first->symbol];
    for (size_t i : known)
      if (auto open = groups[i].openWith(*same.first)) {
        groups[i].openWords = *open;
        same.alike = i;
        break;
      }
    if (!same.alike) {
      same.alike = groups.size();
      known.push_back(groups.size());
      groups.push_back({same.first});
    }
    groups[*same.alike].count += same.count;
  }
  return groups;
}

/// Steps with the same kernel and parameters share a specialized function:
/// first those that are most often. Those that have none share one with others
/// that are alike.
static Callees chooseCallees(const TecProgramInput &input) {
  std::map<std::pair<std::string, std::vector<char>>, size_t> places;
  std::vector<SameSteps> all; // in the order of the program
  std::vector<size_t> placeOfStep;
  for (const TecStep &step : input.steps) {
    if (step.flagBytes)
      continue;
    auto [it, isNew] =
        places.try_emplace({step.symbol, step.params}, all.size());
    if (isNew)
      all.push_back({&step});
    ++all[it->second].count;
    placeOfStep.push_back(it->second);
  }
  std::vector<SameSteps *> byCount;
  for (SameSteps &same : all)
    byCount.push_back(&same);
  std::ranges::stable_sort(byCount, std::greater(), &SameSteps::count);
  std::map<std::string, size_t> specializations;
  size_t most =
      kMaxSpecializations * std::max<size_t>(input.variants.size(), 1);
  for (SameSteps *same : byCount) {
    const std::string &symbol = same->first->symbol;
    bool isWorthIt =
        specializations[symbol]++ < most || same->count >= kManySteps;
    // The library, whose code takes any parameters, has none of plugins.
    same->isSpecialized =
        kernels::findPluginKernel(symbol) || (input.optimize && isWorthIt);
  }
  Callees callees;
  auto specialize = [&](const TecStep &step, std::vector<uint32_t> openWords) {
    const SpecializedKernel &kernel = callees.kernels.emplace_back(
        step.symbol, step.params, input.tecs, std::move(openWords));
    return TecCallee{kernel.functionName, kernel.openWords};
  };
  std::vector<TecCallee> ofGroups;
  for (const AlikeSteps &group : groupAlike(all))
    ofGroups.push_back(input.optimize && group.count >= kManyAlike
                           ? specialize(*group.first, group.openWords)
                           : TecCallee{group.first->symbol});
  std::vector<TecCallee> ofPlaces;
  for (const SameSteps &same : all)
    ofPlaces.push_back(same.isSpecialized ? specialize(*same.first, {})
                                          : ofGroups[*same.alike]);
  auto place = placeOfStep.begin();
  for (const TecStep &step : input.steps)
    callees.ofSteps.push_back(step.flagBytes ? TecCallee()
                                             : ofPlaces[*place++]);
  return callees;
}

std::optional<TecProgram> buildTecProgram(const TecProgramInput &input,
                                          DiagnosticEngine &diags) {
  if (!checkInput(input, diags))
    return std::nullopt;
  Callees callees = chooseCallees(input);
  std::vector<std::shared_ptr<const std::vector<char>>> kernelObjects(
      callees.kernels.size());
  BuildCache cache(input.cache, "kernel");
  parallelFor(callees.kernels.size(), [&](size_t i) {
    kernelObjects[i] = callees.kernels[i].compile(cache);
  });
  std::vector<char> main = compileTecMain(input, callees.ofSteps);

  std::vector<std::span<const char>> objects = {main};
  for (const auto &object : kernelObjects)
    objects.emplace_back(*object);
  // The code is the same then, but not the ELF around it.
  if (!input.isTrial || !defineAll(objects)) {
    std::span<const uint8_t> library = kernels::tecLibraryObject();
    objects.emplace_back(reinterpret_cast<const char *>(library.data()),
                         library.size());
  }
  std::optional<LinkedTec> linked = linkTec(objects, diags);
  if (!linked)
    return std::nullopt;

  TecProgram program;
  for (size_t i = 0; i < input.steps.size(); ++i) {
    LinkedTec::Symbol symbol = linked->functions.at(tecStepName(input, i));
    program.stepRanges.push_back(
        {symbol.offset, symbol.offset + symbol.sizeBytes});
  }
  program.text = std::move(linked->image);
  program.elf = std::move(linked->elf);
  return program;
}

} // namespace yarrow
