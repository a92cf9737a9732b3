//===- SvdQuant.cpp - Ranges without a tensor's weakest directions --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tensor as rows of channels, without the directions of its least singular
// values, has its noise taken out: its range is that of what is left (modes 1
// and 2), or the calibrated one (mode 0), times the factor by which rounding
// costs least (modes 0 and 1). The Compass Optimizer filters the figures of
// batches over time; here all rows count alike (docs/quantization.md, Methods).
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/math/Eigen.h"
#include "quantizer/math/EvenSteps.h"
#include "quantizer/math/QuantParams.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// Rows of a tensor's channels, over samples.
struct ChannelRows {
  mlir::Value value;
  std::vector<float> values;
  std::size_t channels = 1;
};

/// Of a sample; and channels from which on the directions take too long.
constexpr std::size_t kRowsOfSample = 128, kMostChannels = 256, kSamples = 16;

} // namespace

static Matrix denoised(const ChannelRows &rows, double thresh) {
  std::size_t count = rows.values.size() / rows.channels;
  Matrix x(count, rows.channels), gram(rows.channels, rows.channels);
  for (std::size_t r = 0; r < count; ++r)
    std::copy_n(rows.values.data() + r * rows.channels, rows.channels,
                x.row(r));
  addProduct(x.transposed(), x, gram, ProductPart::Upper);
  mirrorUpper(gram);
  EigenSystem system = eigenSystem(gram);
  std::vector<double> sorted = system.values;
  std::sort(sorted.begin(), sorted.end());
  auto cut =
      std::size_t(std::clamp(thresh, 0.0, 1.0) * double(sorted.size() - 1));
  // Onto the directions that are kept, and back.
  Matrix projection(rows.channels, rows.channels);
  for (std::size_t k = 0; k < rows.channels; ++k)
    if (system.values[k] >= sorted[cut])
      for (std::size_t i = 0; i < rows.channels; ++i)
        for (std::size_t j = 0; j < rows.channels; ++j)
          projection.at(i, j) +=
              system.vectors.at(k, i) * system.vectors.at(k, j);
  Matrix kept(count, rows.channels);
  addProduct(x, projection, kept);
  return kept;
}

static FloatRange rangeOfValues(const Matrix &x) {
  FloatRange range;
  for (std::size_t r = 0; r < x.rows; ++r)
    for (float value : x.rowOf(r)) {
      range.min = std::min(range.min, value);
      range.max = std::max(range.max, value);
    }
  return range;
}

/// \p range times the factor with the least square error of \p values.
static FloatRange fitted(FloatRange range, std::span<const float> values,
                         const LayerOptions &options, const GlobalMethod &m) {
  double least = std::numeric_limits<double>::infinity();
  FloatRange best = range;
  for (double candidate :
       evenSteps(m.value("alpha"), m.value("beta"), m.value("nsteps"))) {
    auto factor = float(candidate);
    FloatRange tried{range.min * factor, range.max * factor};
    LinearParams p =
        linearParams(tried.min, tried.max, options.activationMethod.mode,
                     options.activationBits, tried.min < 0);
    double error = 0;
    for (float x : values) {
      double e = double(quantizeValue(x, p) + p.zp) / p.scale - x;
      error += e * e;
    }
    if (error < least)
      least = error, best = tried;
  }
  return best;
}

static std::vector<ChannelRows> collectRows(const MethodInput &input) {
  std::vector<ChannelRows> list;
  llvm::DenseMap<mlir::Value, std::size_t> numbers;
  mlir::ModuleOp(input.network).walk([&](mlir::Operation *op) {
    if (!recordOf(op) || !input.method.appliesTo(op))
      return;
    for (mlir::Value v : op->getResults()) {
      TensorInfo info = describe(v);
      if (info.dtype != DType::F32 || info.shape.empty() ||
          !input.calibration.hasSeen(v))
        continue;
      numbers[v] = list.size();
      list.push_back({v, {}, std::size_t(info.shape.back())});
    }
  });
  SampledNetwork network;
  if (!network.create(input.network, input.samples, input.diags))
    return {};
  std::size_t count = std::min(kSamples, network.samples->count());
  for (std::size_t s = 0; s < count; ++s) {
    std::vector<TensorBytes> outputs;
    network.run(network.samples->spread(s, count), outputs,
                [&](mlir::Value v, TensorBytesRef bytes) {
                  auto it = numbers.find(v);
                  if (it == numbers.end())
                    return;
                  ChannelRows &rows = list[it->second];
                  FloatValues values(v, bytes);
                  std::size_t all = values.get().size() / rows.channels;
                  std::size_t some = std::min(all, kRowsOfSample);
                  for (std::size_t i = 0; i < some; ++i) {
                    auto from = values.get().begin() +
                                std::ptrdiff_t(i * all / some * rows.channels);
                    rows.values.insert(rows.values.end(), from,
                                       from + std::ptrdiff_t(rows.channels));
                  }
                });
  }
  return list;
}

bool yarrow::chooseDenoisedRanges(const MethodInput &input) {
  auto mode = int(input.method.value("mode"));
  // Mode 3 is of weights, with random inputs.
  if (mode < 0 || mode > 2)
    return false;
  std::vector<ChannelRows> list = collectRows(input);
  std::vector<FloatRange> ranges(list.size());
  parallelFor(list.size(), [&](std::size_t i) {
    const ChannelRows &rows = list[i];
    LayerOptions options = optionsOf(rows.value.getDefiningOp(), input.options);
    bool isSymmetric = options.activationMethod.mode != RangeMode::Asymmetric;
    ranges[i] = input.calibration.range(rows.value, options.activationBits,
                                        isSymmetric);
    if (rows.values.empty() || rows.channels > kMostChannels)
      return;
    if (mode > 0)
      ranges[i] = rangeOfValues(denoised(rows, input.method.value("thresh")));
    if (mode < 2)
      ranges[i] = fitted(ranges[i], rows.values, options, input.method);
  });
  for (std::size_t i = 0; i < list.size(); ++i)
    input.calibration.setRange(list[i].value, ranges[i]);
  return !list.empty();
}
