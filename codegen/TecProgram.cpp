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
#include <algorithm>
#include <functional>
#include <map>

namespace yarrow {

/// A kernel is specialized for so many different parameters of a program, and
/// for those of so many steps in any case. Above that, time and code size
/// matter more: each takes about 20 ms. The library's code reads its parameters
/// from DDR, which costs a step of a recurrent layer, of 8 values, 1,500
/// cycles.
static constexpr size_t kMaxSpecializations = 64, kManySteps = 16;

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
        .report(DiagId::CodegenFailed, {},
                what + " calls a kernel that does not exist")
        .hint("if it came with a plugin, --plugin FILE loads it")
        .suggest(step.symbol, names);
    return false;
  }
  bool isValid = true;
  auto expectEqual = [&](const char *thing, size_t found, size_t expected) {
    if (found == expected)
      return;
    diags
        .report(DiagId::CodegenFailed, {},
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
          .report(DiagId::CodegenFailed, {},
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
      diags.report(DiagId::CodegenFailed, {}, otherwise);
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
  std::vector<std::string> names;
  std::vector<SpecializedKernel> kernels;
};

} // namespace

namespace {
/// Steps of one kernel and parameters.
struct SameSteps {
  const TecStep *first;
  size_t count = 0;
  bool isSpecialized = false;
};
} // namespace

/// Steps with the same kernel and parameters share a specialized function:
/// first those that are most often.
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
  std::vector<std::string> names; // by place
  for (const SameSteps &same : all) {
    names.push_back(same.first->symbol);
    if (!same.isSpecialized)
      continue;
    callees.kernels.emplace_back(same.first->symbol, same.first->params,
                                 input.tecs);
    names.back() = callees.kernels.back().functionName;
  }
  auto place = placeOfStep.begin();
  for (const TecStep &step : input.steps)
    callees.names.push_back(step.flagBytes ? std::string() : names[*place++]);
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
  std::vector<char> main = compileTecMain(input, callees.names);

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
