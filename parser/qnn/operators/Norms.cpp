//===- Norms.cpp - Normalisations -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Products.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

using Dims = std::vector<std::int64_t>;

/// The axes from \p first to \p last, both included.
static Dims axesBetween(std::int64_t first, std::int64_t last) {
  Dims axes(std::size_t(last - first + 1));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

//===----------------------------------------------------------------------===//
// Factors and offsets alone
//===----------------------------------------------------------------------===//

/// Integers times integers: a convolution with one weight for each channel.
static bool multiplyChannels(OpReader &r) {
  Tensor *x = r.input(0), *y = r.output(0);
  const Dims &dims = r.dims(0);
  Dims image = {1, 1, graph::numElements(dims) / dims.back(), dims.back()};
  Tensor *filter = reshapedConstant(r, *r.input(1), {1, 1, 1, dims.back()},
                                    /*scaleAxis=*/3, "filter");
  auto bias = productBias(r, *x, *filter, /*outputAxis=*/3);
  if (!bias)
    return false;
  bool isImage = dims.size() == 4;
  if (!isImage) {
    x = r.reshaped(x, image, "as_image");
    y = r.storedLike(*y, "image");
  }
  Node &node = r.add("Conv", {x, filter, *bias}, {y});
  node.domain = kDomain;
  node.attributes["group"] = Attribute::of(dims.back());
  if (!isImage)
    r.addMoved("Reshape", {y, r.integers("shape", dims)}, *y, {r.output(0)});
  return true;
}

bool qnn::readBatchnorm(OpReader &r) {
  const Dims &dims = r.dims(0);
  const Tensor *weights = r.input(1), *bias = r.input(2);
  bool isInteger = !dims.empty() && r.dims(1) == Dims{dims.back()} &&
                   r.input(0)->quantization && r.output(0)->quantization &&
                   weights->constant && weights->quantization &&
                   elementBytes(weights->quantization->stored) <= 2 &&
                   (!bias || bias->constant);
  if (isInteger)
    return multiplyChannels(r);
  r.resultOf(kDomain, "Batchnorm", {r.input(0), r.input(1), r.input(2)});
  return true;
}

//===----------------------------------------------------------------------===//
// Over spatial axes
//===----------------------------------------------------------------------===//

/// x * gamma / sqrt(sum(x^2 from \p axis on) + epsilon) + beta. The node has
/// the mean of the squares.
static bool divideByRootOfSum(OpReader &r, std::int64_t axis) {
  Dims rest(r.dims(0).begin() + std::ptrdiff_t(axis), r.dims(0).end());
  auto count = double(graph::numElements(rest));
  Tensor *x = r.between("normalised");
  Node &node =
      r.add("RMSNormalization",
            {r.input(0), r.number("scale", float(1 / std::sqrt(count)))}, {x});
  node.attributes["axis"] = Attribute::of(axis);
  node.attributes["epsilon"] = Attribute::of(float(r.real("epsilon") / count));
  if (!r.has(2)) {
    r.result("Mul", {x, r.input(1)});
    return true;
  }
  Tensor *scaled = r.between("scaled");
  r.add("Mul", {x, r.input(1)}, {scaled});
  r.result("Add", {scaled, r.input(2)});
  return true;
}

bool qnn::readInstanceNorm(OpReader &r) {
  enum { MuSigma, Rms };
  enum { AcrossSpatial, AcrossChannel, AcrossAll };
  std::int64_t mode = r.scalar("mode"), region = r.scalar("region");
  if (r.rank(0) < 3)
    return r.bad("in[0] has too few axes", dimsText(r.dims(0)), "3 or more");
  // Of the others the definition has no formula.
  if ((mode == MuSigma) != (region == AcrossSpatial))
    return r.refuse("this mode is not defined over this region",
                    "mode " + std::to_string(mode) + ", region " +
                        std::to_string(region),
                    "MU_SIGMA ACROSS_SPATIAL, RMS ACROSS_CHANNEL or RMS "
                    "ACROSS_ALL");
  if (mode == Rms)
    return divideByRootOfSum(r, region == AcrossAll ? 1 : r.rank(0) - 1);
  if (r.flag("normalize_variance")) {
    r.resultOf(kDomain, "InstanceNorm", {r.input(0), r.input(1), r.input(2)})
        .attributes["epsilon"] = Attribute::of(float(r.real("epsilon")));
    return true;
  }
  // Without factors and offsets, as the definition has it.
  Tensor *mean = r.between("mean");
  r.add("ReduceMean",
        {r.input(0), r.integers("axes", axesBetween(1, r.rank(0) - 2))}, {mean})
      .attributes["keepdims"] = Attribute::of(std::int64_t(1));
  r.result("Sub", {r.input(0), mean});
  return true;
}

bool qnn::readGroupNorm(OpReader &r) {
  Node &node =
      r.resultOf(kDomain, "GroupNorm", {r.input(0), r.input(1), r.input(2)});
  node.attributes["epsilon"] = Attribute::of(float(r.real("epsilon")));
  node.attributes["group"] = Attribute::of(r.scalar("group"));
  return true;
}

//===----------------------------------------------------------------------===//
// Over axes that a parameter names
//===----------------------------------------------------------------------===//

/// Reports gamma or beta that is not one for each place of \p normalised, or
/// broadcasts to it from the back.
static bool checkAffine(OpReader &r, std::size_t i, const Dims &normalised) {
  if (!r.has(i))
    return true;
  const Dims &dims = r.dims(i);
  bool fits = dims.size() <= normalised.size();
  for (std::size_t a = 0; fits && a < dims.size(); ++a)
    fits = dims[dims.size() - 1 - a] == 1 ||
           dims[dims.size() - 1 - a] == normalised[normalised.size() - 1 - a];
  return fits || r.bad("in[" + std::to_string(i) +
                           "] does not match the normalized axes",
                       dimsText(dims), dimsText(normalised));
}

/// Nodes of ONNX normalise the last axes. Others take their places, in the
/// order of the parameter, which is that of gamma and beta.
static bool normaliseAxes(OpReader &r, const std::string &op) {
  Dims axes = r.integers("axes"), perm, normalised, back;
  const Dims &dims = r.dims(0);
  if (axes.empty())
    return r.bad("no axes are given", "axes []", "one or more");
  if (!r.has(1) && !r.has(2))
    std::ranges::sort(axes);
  for (std::int64_t axis = 0; axis < r.rank(0); ++axis)
    if (std::ranges::find(axes, axis) == axes.end())
      perm.push_back(axis);
  auto first = std::int64_t(perm.size());
  for (std::int64_t axis : axes) {
    perm.push_back(axis);
    normalised.push_back(dims[std::size_t(axis)]);
  }
  if (!checkAffine(r, 1, normalised) || !checkAffine(r, 2, normalised))
    return false;
  bool isMoved = !std::ranges::is_sorted(perm), isRms = op[0] == 'R';
  Tensor *x =
      isMoved ? r.transposed(r.input(0), perm, "axes_last") : r.input(0);
  Tensor *y =
      isMoved ? r.storedLike(*r.output(0), "result_axes_last") : r.output(0);
  std::vector<Tensor *> from = {x,
                                r.has(1) ? r.input(1) : r.number("gamma", 1)};
  bool addsBeta = isRms && r.has(2);
  if (!isRms)
    from.push_back(r.input(2));
  Tensor *norm = addsBeta ? r.between("normalised") : y;
  Node &node = r.add(op, from, {norm});
  node.attributes["axis"] = Attribute::of(first);
  node.attributes["epsilon"] = Attribute::of(float(r.real("epsilon")));
  if (addsBeta)
    r.add("Add", {norm, r.input(2)}, {y});
  if (!isMoved)
    return true;
  for (std::int64_t axis = 0; axis < r.rank(0); ++axis)
    back.push_back(std::ranges::find(perm, axis) - perm.begin());
  r.addMoved("Transpose", {y}, *y, {r.output(0)}).attributes["perm"] =
      Attribute::of(back);
  return true;
}

bool qnn::readLayerNorm(OpReader &r) {
  return normaliseAxes(r, "LayerNormalization");
}

bool qnn::readRmsNorm(OpReader &r) {
  return normaliseAxes(r, "RMSNormalization");
}

bool qnn::readL2Norm(OpReader &r) {
  Dims axes;
  if (r.states("axes"))
    axes = r.integers("axes");
  if (axes.empty() && r.states("axis"))
    axes = {r.scalar("axis")};
  if (axes.empty())
    return r.bad("no axis is given", "neither axis nor axes", "one of the two");
  std::ranges::sort(axes);
  Node &node = r.resultOf(kDomain, "L2Norm", {r.input(0)});
  node.attributes["axes"] = Attribute::of(axes);
  node.attributes["epsilon"] = Attribute::of(float(r.real("epsilon")));
  return true;
}

/// x / (bias + alpha * sum(x^2 of the window around it))^beta. Pads add nothing
/// to the sum, which is the mean with pads times the cells of the window.
static void normaliseWithinChannels(OpReader &r, std::int64_t radius) {
  std::int64_t size = 2 * radius + 1;
  Tensor *x = r.input(0), *squares = r.between("squares"),
         *means = r.between("means"), *shares = r.between("shares"),
         *sums = r.between("sums"), *divisors = r.between("divisors");
  r.add("Mul", {x, x}, {squares});
  Node &pool = r.add("Pool", {squares}, {means});
  pool.domain = kDomain;
  pool.attributes["method"] = Attribute::of(std::string("AVG"));
  pool.attributes["count_include_pad"] = Attribute::of(std::int64_t(1));
  pool.attributes["kernel_shape"] = Attribute::of(Dims{size, size});
  pool.attributes["pads"] = Attribute::of(Dims(4, radius));
  double factor = r.real("alpha") * double(size) * double(size);
  r.add("Mul", {means, r.number("factor", float(factor))}, {shares});
  r.add("Add", {shares, r.number("bias", float(r.real("bias")))}, {sums});
  r.add("Pow", {sums, r.number("beta", float(r.real("beta")))}, {divisors});
  r.result("Div", {x, divisors});
}

bool qnn::readLrn(OpReader &r) {
  bool isWithin = r.scalar("region") == 1;
  const Dims &dims = r.dims(0);
  std::int64_t radius = r.scalar("radius");
  if (radius < 0)
    return r.bad("the radius is negative", std::to_string(radius), "0 or more");
  if (dims.empty() || (isWithin && dims.size() != 4))
    return r.bad("in[0] has a wrong number of axes", dimsText(dims),
                 isWithin ? "4" : "1 or more");
  // Farther away there is nothing.
  if (isWithin) {
    radius = std::min(radius, std::max(dims[1], dims[2]) - 1);
    normaliseWithinChannels(r, radius);
    return true;
  }
  Node &node = r.resultOf(kDomain, "Lrn", {r.input(0)});
  node.attributes["radius"] = Attribute::of(std::min(radius, dims.back() - 1));
  for (const char *key : {"alpha", "beta", "bias"})
    node.attributes[key] = Attribute::of(float(r.real(key)));
  return true;
}

bool qnn::readSoftmax(OpReader &r) {
  Tensor *x = r.input(0);
  if (r.rank(0) < 1)
    return r.bad("in[0] has no axes", dimsText(r.dims(0)), "one or more");
  if (double beta = r.real("beta"); beta != 1) {
    Tensor *scaled = r.between("scaled");
    r.add("Mul", {x, r.number("beta", float(beta))}, {scaled});
    x = scaled;
  }
  r.result(r.entry.node, {x}).attributes["axis"] =
      Attribute::of(r.scalar("axis", r.rank(0) - 1));
  return true;
}
