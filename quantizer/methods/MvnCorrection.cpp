//===- MvnCorrection.cpp - Ranges in front of normalizations --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A normalization divides by a deviation that is much smaller than the range of
// what it reads: at that tensor's scale little of it is left. The range is
// moved towards that of the result (docs/quantization.md, Methods), or the
// layers around get more bits.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/norm/NormOps.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/methods/Unmoved.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

static bool isNormalization(mlir::Operation *op) {
  return mlir::isa<MVNOp, RMSNormOp, LayerNormOp, GroupNormOp, InstanceNormOp>(
      op);
}

static std::optional<int64_t> idOf(mlir::Operation *op) {
  auto id = op->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr);
  return id ? std::optional(id.getInt()) : std::nullopt;
}

/// More bits for the layers \p first to \p last.
static LayerOverride moreBits(const GlobalMethod &method, int64_t first,
                              int64_t last) {
  LayerOverride over;
  over.layerIds = {{unsigned(std::max<int64_t>(first, 0)), unsigned(last)}};
  auto bits = [&](const char *name) { return unsigned(method.value(name)); };
  over.apply = [act = bits("act"), wgt = bits("wgt"), bias = bits("bias"),
                lut = bits("lut"), mult = bits("mult")](LayerOptions &o) {
    o.activationBits = act;
    o.weightBits = wgt;
    // 64-bit biases only where 32 bits do not hold them.
    o.biasBits = std::min(bias, 32u);
    o.lutItemsInBits = lut;
    o.multiplierBits = mult;
    o.activationMethod.mode = RangeMode::SymmetricFull;
  };
  return over;
}

bool yarrow::correctNormRanges(const MethodInput &input) {
  const GlobalMethod &m = input.method;
  bool hasMoreBits = m.value("mode") >= 1;
  double alpha = m.value("alpha");
  bool isAny = false;
  mlir::ModuleOp(input.network).walk([&](mlir::Operation *op) {
    if (!recordOf(op) || !isNormalization(op) || !m.appliesTo(op))
      return;
    mlir::Operation *maker = unmoved(op->getOperand(0)).getDefiningOp();
    if (!maker || maker->getNumResults() == 0)
      return;
    auto boundOf = [&](mlir::Value value) {
      FloatRange r = input.calibration.range(value, 8, /*symmetric=*/true);
      return double(std::max(std::fabs(r.min), std::fabs(r.max)));
    };
    mlir::Value made = maker->getResult(0);
    double in = boundOf(made), out = boundOf(op->getResult(0));
    if (alpha > 0 && in > 0 && out > 0) {
      // Scales are the inverse of bounds: s = sqrt(s_in s_out) *
      // max(alpha, sqrt(s_in / s_out)).
      double bound = std::sqrt(in * out) / std::max(alpha, std::sqrt(out / in));
      FloatRange r = input.calibration.range(made, 8, /*symmetric=*/true);
      auto factor = float(bound / in);
      input.calibration.setRange(made, {r.min * factor, r.max * factor});
      isAny = true;
    }
    auto first = idOf(maker), last = idOf(op);
    if (hasMoreBits && first && last) {
      input.options.overrides.push_back(
          moreBits(m, *first - int64_t(m.value("beta")),
                   *last + int64_t(m.value("gamma"))));
      isAny = true;
    }
  });
  return isAny;
}
