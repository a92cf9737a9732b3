//===- StageProof.cpp - Whether output stages are what they mean ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/StageProof.h"

#include "prove/OtherStages.h"
#include "support/Digest.h"
#include "support/Format.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Proofs.h"
#include <atomic>
#include <cstring>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

StageProof::StageProof(const runtime::Executable &executable,
                       Problems &problems, Certificate &certificate,
                       const StageOptions &options)
    : e(executable), problems(problems), certificate(certificate),
      options(options), constantProof(executable, problems, certificate) {}

/// What is left of commands when shape, places and waits are forgotten.
static MatMul stageOf(const MatMul &product) {
  MatMul stage;
  stage.outType = product.outType;
  stage.wideScale = product.wideScale;
  stage.halfUp = product.halfUp;
  stage.scale = product.scale;
  stage.scaleHigh = product.scaleHigh;
  stage.shift = product.shift;
  stage.outZeroPoint = product.outZeroPoint;
  stage.outMin = product.outMin;
  stage.outMax = product.outMax;
  return stage;
}
static Pool stageOf(const Pool &pool) {
  Pool stage;
  stage.inType = pool.inType;
  stage.outType = pool.outType;
  stage.method = pool.method;
  stage.wideScale = pool.wideScale;
  stage.inZeroPoint = pool.inZeroPoint;
  stage.outZeroPoint = pool.outZeroPoint;
  stage.outMin = pool.outMin;
  stage.outMax = pool.outMax;
  return stage;
}

template <typename D>
static uint64_t digestOfStage(const D &stage, std::span<const SumRange> sums) {
  std::vector<uint32_t> words;
  stage.encode(words);
  Digest digest;
  digest.add({reinterpret_cast<const char *>(words.data()), words.size() * 4});
  digest.add({reinterpret_cast<const char *>(sums.data()),
              sums.size() * sizeof(SumRange)});
  return digest.value();
}

static int64_t at32(const std::vector<uint8_t> &bytes, size_t index) {
  uint32_t word = 0;
  std::memcpy(&word, &bytes[4 * index], sizeof word);
  return word;
}

static std::string_view viewOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

void StageProof::notShown(int64_t layer, std::string_view what,
                          std::string_view why) {
  const auto &layers = e.provenance().layers;
  bool isKnown = layer >= 0 && size_t(layer) < layers.size();
  certificate.addNotShown(what, why, isKnown ? layers[size_t(layer)].name : "");
}

/// Tiles of a layer have the same weights: they are looked at once.
const SumBounds &StageProof::boundsOf(const Conv &conv,
                                      std::span<const uint8_t> weights) {
  const int64_t form[] = {int64_t(conv.inType),
                          int64_t(conv.weightType),
                          conv.packedWeights,
                          conv.depthwise,
                          int64_t(conv.winograd),
                          conv.hasTapShifts,
                          conv.winogradShift,
                          conv.kernelY,
                          conv.kernelX,
                          conv.inChannels,
                          conv.groups,
                          conv.outChannels,
                          conv.padValue};
  Digest digest;
  digest.add({reinterpret_cast<const char *>(form), sizeof form});
  digest.add(viewOf(weights));
  auto [bounds, isNew] = knownBounds.try_emplace(digest.value());
  if (isNew)
    bounds->second = sumBounds(conv, weights);
  return bounds->second;
}

/// False if nothing is known of the partial sums that a command goes on from.
bool StageProof::joinPartials(const Conv &conv,
                              std::vector<SumRange> &sums) const {
  for (const Partials &p : partials)
    if (p.begin == int64_t(conv.partials) && p.sums.size() == sums.size()) {
      for (size_t c = 0; c < sums.size(); ++c)
        sums[c] = sums[c] + p.sums[c];
      return true;
    }
  return false;
}

/// What a command writes over is no longer what it was.
void StageProof::notePartials(const StreamCommand &command,
                              const std::vector<SumRange> &sums) {
  const auto *conv = std::get_if<Conv>(&*command.descriptor);
  for (const ByteAccess &access : bytesOf(*command.descriptor)) {
    if (!access.isWrite || access.bytes.region != kSramRegion)
      continue;
    int64_t begin = access.bytes.begin(), end = access.bytes.end();
    std::erase_if(partials, [&](const Partials &p) {
      return p.begin < end && begin < p.end;
    });
    if (conv && conv->accumulateOut && !sums.empty())
      partials.push_back({begin, end, sums});
  }
}

void StageProof::add(const StreamCommand &command, const KnownBytes &sram) {
  if (!command.descriptor) {
    if (!e.provenance().steps[command.index].writes.empty())
      partials.clear();
    return;
  }
  if (const auto *conv = std::get_if<Conv>(&*command.descriptor))
    return addConv(command, *conv, sram);
  if (const auto *product = std::get_if<MatMul>(&*command.descriptor))
    addProduct(command, *product, sram);
  else if (const auto *pool = std::get_if<Pool>(&*command.descriptor);
           pool && pool->method == PoolMethod::Avg)
    addPool(command, *pool, sram);
  notePartials(command, {});
}

/// The values of an operand: of its type, or those that it has if it is a
/// constant, as the ones of a sum are.
static SumRange valuesOf(const ByteSet &set, ElementType type,
                         const KnownBytes &sram) {
  SumRange all = typeRange(type), some = {INT64_MAX, INT64_MIN};
  uint32_t bytes = elementBytes(type);
  set.forEachRun([&](int64_t begin, int64_t end) {
    auto known = sram.read(uint64_t(begin), uint64_t(end - begin));
    if (!known) {
      some = all;
      return;
    }
    for (size_t i = 0; i < known->size(); i += bytes) {
      int64_t value = 0;
      std::memcpy(&value, &(*known)[i], bytes);
      if (all.least < 0) // sign
        value =
            int64_t(uint64_t(value) << (64 - 8 * bytes)) >> (64 - 8 * bytes);
      some.least = std::min(some.least, value);
      some.greatest = std::max(some.greatest, value);
    }
  });
  return some;
}

void StageProof::addProduct(const StreamCommand &command, const MatMul &product,
                            const KnownBytes &sram) {
  ++certificate.stages.commands;
  std::vector<ByteAccess> accesses = bytesOf(*command.descriptor);
  SumRange sums =
      sumBounds(product, valuesOf(accesses[0].bytes, product.aType, sram),
                valuesOf(accesses[1].bytes, product.bType, sram));
  certificate.stages.largestSum =
      std::max(certificate.stages.largestSum, sums.magnitude());
  if (sums.magnitude() > largestSum(product.aType))
    problems.report(diag::ProofSum, command.layer,
                    nameOf(command) + " has sums beyond the accumulators",
                    std::to_string(sums.magnitude()),
                    "at most " + std::to_string(largestSum(product.aType)));
  else
    ++certificate.stages.boundedCommands;
  MatMul stage = stageOf(product);
  if (seen.insert(digestOfStage(stage, {&sums, 1})).second)
    tasks.push_back({[stage, sums, everySum = options.everySum] {
                       return compareStage(stage, sums, everySum);
                     },
                     command.layer, nameOf(command)});
}

void StageProof::addPool(const StreamCommand &command, const Pool &pool,
                         const KnownBytes &sram) {
  ++certificate.stages.commands;
  std::vector<uint32_t> areas = areasOf(pool);
  uint64_t recordBytes = uint64_t(pool.kernelY) * pool.kernelX * 4;
  auto records = sram.read(pool.reciprocals, recordBytes);
  if (!records)
    return notShown(command.layer, "the averages",
                    "their reciprocals are computed");
  SumRange values = typeRange(pool.inType) + pool.inZeroPoint;
  int64_t largest =
      values.magnitude() * int64_t(uint64_t(pool.kernelY) * pool.kernelX);
  certificate.stages.largestSum =
      std::max(certificate.stages.largestSum, largest);
  ++certificate.stages.boundedCommands; // the engine adds in 64 bits
  Pool stage = stageOf(pool);
  std::vector<uint8_t> copy(records->begin(), records->end());
  for (uint32_t area : areas) {
    if (area == 0) // padding alone
      continue;
    SumRange record = {int64_t(area), at32(copy, area - 1)};
    if (seen.insert(digestOfStage(stage, {&record, 1})).second)
      tasks.push_back(
          {[stage, copy, area] { return compareStage(stage, copy, area); },
           command.layer, nameOf(command)});
  }
}

/// The constants of the stage; none if one of them is computed.
static std::optional<StageConstants> constantsOf(const Conv &conv,
                                                 const KnownBytes &sram) {
  StageConstants constants;
  bool isKnown = true;
  auto read = [&](bool isRead, uint64_t offset, uint64_t sizeBytes,
                  std::vector<uint8_t> &to) {
    if (!isRead)
      return;
    if (auto bytes = sram.read(offset, sizeBytes))
      to.assign(bytes->begin(), bytes->end());
    else
      isKnown = false;
  };
  uint64_t channels = conv.outChannels;
  read(true, conv.bias, channels * (conv.wideBias ? 8 : 4), constants.bias);
  read(conv.perChannel, conv.scales, channels * (conv.wideScale ? 4 : 2),
       constants.scales);
  read(conv.perChannel, conv.shifts, channels, constants.shifts);
  read(hasSlopes(conv), conv.slopes, channels * 2, constants.slopes);
  read(conv.hasLut, conv.lut,
       (uint64_t(1) << (conv.lutLog2Items & 31)) * elementBytes(conv.lutType),
       constants.lut);
  if (!isKnown)
    return std::nullopt;
  return constants;
}

/// The same stage of commands of other shapes and places is the same.
static Conv stageOf(Conv conv) {
  for (uint32_t *place :
       {&conv.input, &conv.weights, &conv.bias, &conv.scales, &conv.shifts,
        &conv.slopes, &conv.output, &conv.partials, &conv.residual, &conv.lut,
        &conv.inRowStride, &conv.inPixelStride, &conv.outRowStride,
        &conv.outPixelStride, &conv.residualRowStride,
        &conv.residualPixelStride})
    *place = 0;
  conv.waits = {};
  conv.inHeight = conv.inWidth = conv.outHeight = conv.outWidth = 1;
  conv.kernelY = conv.kernelX = conv.strideY = conv.strideX = 1;
  conv.dilationY = conv.dilationX = conv.groups = 1;
  conv.padTop = conv.padLeft = 0;
  conv.padValue = 0;
  conv.inChannels = conv.outChannels;
  conv.depthwise = conv.packedWeights = conv.hasTapShifts = false;
  conv.winograd = WinogradMode::None;
  conv.winogradShift = 0;
  return conv;
}

static uint64_t digestOfJob(const StageJob &job) {
  std::vector<uint32_t> words;
  job.conv.encode(words);
  Digest digest;
  digest.add({reinterpret_cast<const char *>(words.data()), words.size() * 4});
  for (const auto *bytes :
       {&job.constants.bias, &job.constants.scales, &job.constants.shifts,
        &job.constants.slopes, &job.constants.lut})
    digest.add(viewOf(*bytes));
  digest.add({reinterpret_cast<const char *>(job.sums.data()),
              job.sums.size() * sizeof(SumRange)});
  return digest.value();
}

bool StageProof::checkSums(const StreamCommand &command, const Conv &conv,
                           const std::vector<SumRange> &sums, int64_t largest) {
  for (const SumRange &range : sums)
    largest = std::max(largest, range.magnitude());
  certificate.stages.largestSum =
      std::max(certificate.stages.largestSum, largest);
  if (largest <= largestSum(conv.inType))
    return true;
  problems.report(diag::ProofSum, command.layer,
                  nameOf(command) + " has sums beyond the accumulators",
                  std::to_string(largest),
                  "at most " + std::to_string(largestSum(conv.inType)));
  return false;
}

void StageProof::addConv(const StreamCommand &command, const Conv &conv,
                         const KnownBytes &sram) {
  ++certificate.stages.commands;
  auto weights = sram.read(conv.weights, weightBytesOf(conv));
  if (!weights) {
    notShown(command.layer, "the sums", "the weights are computed");
    return notePartials(command, {});
  }
  const SumBounds &bounds = boundsOf(conv, *weights);
  StageJob job{.conv = stageOf(conv),
               .sums = bounds.channels,
               .layer = command.layer,
               .name = nameOf(command)};
  if (conv.accumulateIn && !joinPartials(conv, job.sums)) {
    notShown(command.layer, "the sums",
             "partial sums do not come from a checked command");
    return notePartials(command, {});
  }
  bool fits = checkSums(command, conv, job.sums, bounds.largest);
  notePartials(command, fits ? job.sums : std::vector<SumRange>());
  if (!fits || conv.accumulateOut) {
    certificate.stages.boundedCommands += fits;
    return;
  }
  auto constants = constantsOf(conv, sram);
  if (!constants)
    return notShown(command.layer, "the output stage",
                    "its constants are computed");
  job.constants = std::move(*constants);
  std::vector<SumRange> withBias;
  withBias.reserve(job.sums.size());
  std::vector<StageChannel> channels = channelsOf(job.conv, job.constants);
  for (size_t c = 0; c < channels.size(); ++c)
    withBias.push_back(job.sums[c] + channels[c].bias);
  if (!checkSums(command, conv, withBias, 0))
    return;
  ++certificate.stages.boundedCommands;
  constantProof.check(command, conv, *weights, channels,
                      tableOf(job.conv, job.constants));
  if (seen.insert(digestOfJob(job)).second)
    addJob(job, job);
}

void StageProof::addJob(StageJob engine, StageJob meant) {
  Task task{{}, meant.layer, meant.name, meant.conv.outChannels};
  task.compare = [engine = std::move(engine), meant = std::move(meant),
                  everySum = options.everySum] {
    return compareStage(engine, meant, everySum);
  };
  tasks.push_back(std::move(task));
}

void StageProof::run() {
  std::vector<StageFinding> findings(tasks.size());
  std::atomic<size_t> done = 0;
  parallelFor(tasks.size(), [&](size_t i) {
    findings[i] = tasks[i].compare();
    ++done;
    if (options.progress)
      options.progress(done, tasks.size());
  });
  for (size_t i = 0; i < tasks.size(); ++i) {
    const StageFinding &f = findings[i];
    const Task &task = tasks[i];
    certificate.stages.stages += task.numStages;
    certificate.stages.sums += f.tried;
    if (!f.overflow.empty())
      problems.report(diag::ProofSum, task.layer,
                      task.name + " has products beyond 62 bits", f.overflow,
                      "at most 2^62");
    if (!f.difference.empty())
      problems.report(
          diag::ProofStage, task.layer,
          task.name +
              ": the engine's output stage differs from the defined function",
          f.difference + " gives " + std::to_string(f.found),
          std::to_string(f.expected));
    if (!f.notTried.empty())
      notShown(task.layer, "all of the output stages", f.notTried);
  }
  tasks.clear();
}
