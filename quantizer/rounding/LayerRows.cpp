//===- LayerRows.cpp - What the outputs of a layer are sums of ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/LayerRows.h"

#include "quantizer/rounding/DepthwiseMoments.h"
#include "support/ThreadPool.h"

#include <algorithm>

using namespace yarrow;

LayerRows::LayerRows(const JointLayer &layer)
    : layer(layer), map(layer.floatOp) {}

/// Of a range: up to here all terms are one, and more are cut into even parts
/// of no more. A matrix of them has 4 MB.
static constexpr std::size_t kMostTerms = 2048, kPartTerms = 1024;

std::vector<TermRange> LayerRows::ranges() const {
  std::size_t all = terms();
  std::size_t parts =
      all <= kMostTerms ? 1 : (all + kPartTerms - 1) / kPartTerms;
  std::vector<TermRange> ranges;
  for (std::size_t i = 0; i < parts; ++i) {
    std::size_t first = all * i / parts;
    ranges.push_back({first, all * (i + 1) / parts - first});
  }
  return ranges;
}

std::vector<Matrix> LayerRows::gather(InputsOf inputs, std::size_t begin,
                                      std::size_t end, std::size_t perSample,
                                      TermRange range) const {
  std::vector<Matrix> rows;
  gatherInto(rows, inputs, begin, end, perSample, range);
  return rows;
}

void LayerRows::gatherInto(std::vector<Matrix> &rows, InputsOf inputs,
                           std::size_t begin, std::size_t end,
                           std::size_t perSample, TermRange range) const {
  std::size_t count = (end - begin) * perSample;
  if (rows.empty() || rows.front().rows != count) {
    rows.clear();
    for (std::size_t g = 0; g < groups(); ++g)
      rows.emplace_back(count, range.count);
  }
  parallelFor(end - begin, [&](std::size_t i) {
    FloatValues x = operand(inputs, begin + i);
    std::vector<float> whole(range.count == terms() ? 0 : terms());
    for (std::size_t p = 0; p < perSample; ++p)
      for (std::size_t g = 0; g < groups(); ++g) {
        std::span<float> row = rows[g].rowOf(i * perSample + p);
        map.gather(x.get(), p * pixels() / perSample, g,
                   whole.empty() ? row : std::span(whole));
        if (!whole.empty())
          std::copy_n(whole.data() + range.first, range.count, row.data());
      }
  });
}

/// Sums of columns, in double: they are what means are made of.
static void addColumns(const Matrix &rows, std::vector<double> &sums) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j)
      sums[j] += rows.at(i, j);
}

/// Sums of products to moments around the means.
static void center(Matrix &products, double count,
                   const std::vector<float> &rowMean,
                   const std::vector<float> &columnMean) {
  for (std::size_t i = 0; i < products.rows; ++i)
    for (std::size_t j = 0; j < products.columns; ++j)
      products.at(i, j) = float(double(products.at(i, j)) / count -
                                double(rowMean[i]) * columnMean[j]);
}

std::vector<InputMoments> LayerRows::moments(InputsOf inputs,
                                             TermRange range) const {
  return moments(inputs, range, /*hasSecond=*/true);
}

std::vector<InputMoments> LayerRows::means() const {
  return moments(InputsOf::Integers, {0, terms()}, /*hasSecond=*/false);
}

LayerRows::Chunks LayerRows::chunksFor(TermRange range) const {
  // Four times as many rows as terms make a matrix of full rank stable; more
  // are taken as long as they cost less than so many products, and no more
  // elements are gathered. A depthwise layer has few terms.
  constexpr double kMostProducts = 7e8, kMostElements = 4e6;
  constexpr std::size_t kLeastRows = 4096;
  constexpr std::size_t kChunkElements = std::size_t(2) << 20;
  std::size_t samples = layer.numSamples;
  double count = double(range.count);
  double more = map.isDepthwise()
                    ? 0
                    : std::min(kMostProducts / count, kMostElements) /
                          (count * double(groups()));
  auto wanted = std::size_t(std::max({4 * count, double(kLeastRows), more}));
  std::size_t chunkRows =
      std::max<std::size_t>(64, kChunkElements / (range.count * groups()));
  std::size_t perSample = std::clamp<std::size_t>(
      (wanted + samples - 1) / samples, 1, std::min(pixels(), chunkRows));
  return {perSample, std::max<std::size_t>(1, chunkRows / perSample)};
}

std::vector<InputMoments> LayerRows::depthwiseMoments(InputsOf inputs) const {
  auto [perSample, chunk] = chunksFor({0, terms()});
  bool isCross = inputs == InputsOf::Integers;
  std::size_t width = map.taps() * map.channels();
  DepthwiseMoments sums(map.taps(), map.channels(), isCross);
  std::vector<float> floats, integers;
  auto gatherTaps = [&, perSample = perSample](InputsOf of, std::size_t begin,
                                               std::size_t end,
                                               std::vector<float> &rows) {
    rows.resize((end - begin) * perSample * width);
    parallelFor(end - begin, [&](std::size_t i) {
      FloatValues x = operand(of, begin + i);
      for (std::size_t p = 0; p < perSample; ++p)
        map.gatherTaps(
            x.get(), p * pixels() / perSample,
            std::span(rows).subspan((i * perSample + p) * width, width));
    });
  };
  for (std::size_t begin = 0; begin < layer.numSamples; begin += chunk) {
    std::size_t end = std::min(layer.numSamples, begin + chunk);
    gatherTaps(InputsOf::Floats, begin, end, floats);
    if (isCross)
      gatherTaps(InputsOf::Integers, begin, end, integers);
    sums.add(floats, integers);
  }
  return sums.finish();
}

std::vector<InputMoments> LayerRows::moments(InputsOf inputs, TermRange range,
                                             bool hasSecond) const {
  if (hasSecond && map.isDepthwise() && range.count == terms())
    return depthwiseMoments(inputs);
  auto [perSample, chunk] = chunksFor(range);
  std::size_t samples = layer.numSamples, numTerms = range.count;
  // The means of both are wanted where nothing else is.
  bool hasIntegers = inputs == InputsOf::Integers || !hasSecond;
  bool isCross = hasSecond && hasIntegers;
  std::vector<InputMoments> result(groups());
  std::vector<std::vector<double>> floatSums(groups()), intSums(groups());
  for (std::size_t g = 0; g < groups(); ++g) {
    if (hasSecond)
      result[g].second = Matrix(numTerms, numTerms);
    if (isCross)
      result[g].cross = Matrix(numTerms, numTerms);
    floatSums[g].resize(numTerms);
    intSums[g].resize(numTerms);
  }
  std::vector<Matrix> floats, integers;
  for (std::size_t begin = 0; begin < samples; begin += chunk) {
    std::size_t end = std::min(samples, begin + chunk);
    gatherInto(floats, InputsOf::Floats, begin, end, perSample, range);
    if (hasIntegers)
      gatherInto(integers, InputsOf::Integers, begin, end, perSample, range);
    parallelFor(groups(), [&](std::size_t g) {
      addColumns(floats[g], floatSums[g]);
      if (hasIntegers)
        addColumns(integers[g], intSums[g]);
      if (!hasSecond)
        return;
      const Matrix &x = isCross ? integers[g] : floats[g];
      Matrix columns = x.transposed();
      addProduct(columns, x, result[g].second, ProductPart::Upper);
      // The other way around, which is of the same products and sums: there is
      // one matrix to transpose.
      if (isCross)
        addProduct(columns, floats[g], result[g].cross);
    });
  }
  double rows = double(samples * perSample);
  for (InputMoments &m : result)
    m.count = samples * perSample;
  parallelFor(groups(), [&](std::size_t g) {
    InputMoments &m = result[g];
    for (std::size_t j = 0; j < numTerms; ++j) {
      m.floatMean.push_back(float(floatSums[g][j] / rows));
      m.intMean.push_back(
          float((hasIntegers ? intSums : floatSums)[g][j] / rows));
    }
    if (!hasSecond)
      return;
    mirrorUpper(m.second);
    const std::vector<float> &mean = isCross ? m.intMean : m.floatMean;
    center(m.second, rows, mean, mean);
    if (isCross)
      m.cross = m.cross.transposed();
    if (isCross)
      center(m.cross, rows, m.floatMean, m.intMean);
  });
  return result;
}
