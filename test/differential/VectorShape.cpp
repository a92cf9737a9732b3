//===- VectorShape.cpp - Registers that a vector instruction names --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Section numbers are those of the V extension, version 1.0. The kinds of
// operands are the records'; what a kind means is written down here once more,
// apart from the simulator.
//
//===----------------------------------------------------------------------===//
#include "test/differential/VectorShape.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <vector>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::isa::tec;

bool differential::isVector(InstId id) {
  const InstInfo &info = instInfo(id);
  return info.extension == Extension::V && info.cost != Cost::VSet;
}

/// The least SEW that a float instruction is defined for.
static int8_t minFloatSewLog2(std::string_view name) {
  // Integers of 16 bits have a wider or narrower float partner.
  for (std::string_view partner : {"vfwcvt.f.x", "vfncvt.x", "vfncvt.rtz"})
    if (name.starts_with(partner))
      return 1;
  return name.starts_with("vf") || name.starts_with("vmf") ? 2 : 0;
}

VectorShape differential::shapeOf(InstId id) {
  const InstInfo &info = instInfo(id);
  const FormatInfo &format = formatInfo(info.format);
  bool stores = (info.match & 0x7f) == 0x27;
  VectorShape shape;
  shape.isMaskable = !(info.mask >> 25 & 1);
  shape.readsV0 = std::string_view(format.operands).ends_with("v0");
  shape.readsD = format.accumulates || stores;
  shape.writesD = !stores;
  shape.minSewLog2 = minFloatSewLog2(info.mnemonic);
  auto set = [&](Width d, Width t, Width s) {
    shape.d = format.hasVd ? d : Width::None;
    shape.t = format.hasVt ? t : Width::None;
    shape.s = format.hasVs ? s : Width::None;
  };
  auto extend = [&](uint8_t factorLog2) {
    set(Width::Sew, Width::Fraction, Width::None);
    shape.fractionLog2 = factorLog2;
    shape.minSewLog2 = int8_t(factorLog2);
  };
  set(Width::Sew, Width::Sew, Width::Sew);
  switch (info.shape) {
  case Shape::None:
  case Shape::Same:
  case Shape::Dest:
    break;
  case Shape::Wide:
    shape.d = Width::Wide;
    break;
  case Shape::WideWide:
    shape.d = shape.t = Width::Wide;
    break;
  case Shape::Narrow:
    shape.t = Width::Wide;
    break;
  case Shape::Extend2:
    extend(1);
    break;
  case Shape::Extend4:
    extend(2);
    break;
  case Shape::Extend8:
    extend(3);
    break;
  case Shape::Compare:
    shape.d = Width::Mask;
    break;
  case Shape::MaskScan:
    shape.noOverlap = true;
    [[fallthrough]];
  case Shape::Masks:
  case Shape::MaskToX:
    set(Width::Mask, Width::Mask, Width::Mask);
    break;
  case Shape::Iota:
    shape.t = Width::Mask;
    shape.noOverlap = true;
    break;
  case Shape::Scalar:
    set(Width::Element, Width::Element, Width::None);
    break;
  case Shape::Reduce:
    set(Width::Element, Width::Sew, Width::Element);
    break;
  case Shape::WideReduce:
    set(Width::WideElement, Width::Sew, Width::WideElement);
    break;
  case Shape::NoOverlap:
    shape.noOverlap = true;
    break;
  case Shape::Gather16:
    shape.s = Width::Fixed;
    shape.eewLog2 = 1;
    shape.noOverlap = true;
    break;
  case Shape::Compress:
    shape.s = Width::Mask;
    shape.noOverlap = true;
    break;
  case Shape::Indexed:
    shape.t = Width::Fixed;
    shape.eewLog2 = uint8_t(memoryWidthLog2(info.match));
    shape.fields = uint8_t(numFields(info.match));
    // 7.8.3: a segment's destinations may not overlap the indices.
    shape.noOverlap = !stores && shape.fields > 1;
    break;
  case Shape::Memory:
    shape.d = Width::Fixed;
    shape.eewLog2 = uint8_t(memoryWidthLog2(info.match));
    shape.fields = uint8_t(numFields(info.match));
    break;
  case Shape::MaskMemory:
    shape.d = Width::Mask;
    break;
  case Shape::Whole:
    set(Width::Whole, Width::Whole, Width::None);
    // Of a move, bits 19:15 say how many.
    shape.wholeRegs =
        uint8_t(info.cost == Cost::VMoveWhole ? (info.match >> 15 & 7) + 1
                                              : numFields(info.match));
    break;
  }
  bool hasWide = shape.d == Width::Wide || shape.t == Width::Wide ||
                 shape.d == Width::WideElement;
  shape.maxSewLog2 = hasWide ? 2 : 3;
  return shape;
}

Group VectorShape::group(Width width, const VectorConfig &config) const {
  Group g;
  switch (width) {
  case Width::None:
    g.regs = 0;
    return g;
  case Width::Mask:
    g.eewLog2 = -3;
    return g;
  case Width::Element:
    g.eewLog2 = config.sewLog2;
    return g;
  case Width::WideElement:
    g.eewLog2 = config.sewLog2 + 1;
    return g;
  case Width::Whole:
    g.regs = g.alignment = wholeRegs;
    return g;
  case Width::Sew:
    g.eewLog2 = config.sewLog2;
    break;
  case Width::Wide:
    g.eewLog2 = config.sewLog2 + 1;
    break;
  case Width::Fraction:
    g.eewLog2 = config.sewLog2 - fractionLog2;
    break;
  case Width::Fixed:
    g.eewLog2 = eewLog2;
    break;
  }
  g.emulLog2 = g.eewLog2 - config.sewLog2 + config.lmulLog2;
  g.regs = g.alignment = g.emulLog2 > 0 ? 1u << g.emulLog2 : 1;
  return g;
}

bool VectorShape::isLegal(const VectorConfig &config) const {
  if (!config.isLegal() || config.sewLog2 < minSewLog2 ||
      config.sewLog2 > maxSewLog2)
    return false;
  for (Width width : {d, t, s}) {
    Group g = group(width, config);
    if (g.emulLog2 < -3 || g.emulLog2 > 3)
      return false;
  }
  return group(d, config).regs * fields <= 8;
}

namespace {
struct Placed {
  Group group;
  unsigned first;
  unsigned end() const { return first + group.regs; }
  bool overlaps(const Placed &other) const {
    return first < other.end() && other.first < end();
  }
};
} // namespace

/// 5.2: what of a source's registers a destination may be.
static bool mayOverlap(const Placed &d, const Placed &source) {
  if (d.group.eewLog2 == source.group.eewLog2)
    return true;
  if (d.group.eewLog2 < source.group.eewLog2)
    return d.first == source.first;
  return source.group.emulLog2 >= 0 && d.end() == source.end();
}

static bool isPermitted(const VectorShape &shape, const VectorConfig &config,
                        const VectorRegs &regs) {
  Placed d{shape.group(shape.d, config), regs.d};
  d.group.regs *= shape.fields;
  std::vector<Placed> sources;
  if (shape.t != Width::None)
    sources.push_back({shape.group(shape.t, config), regs.t});
  if (shape.s != Width::None)
    sources.push_back({shape.group(shape.s, config), regs.s});
  bool usesV0 = regs.masked || shape.readsV0;
  if (usesV0)
    sources.push_back({shape.group(Width::Mask, config), 0});
  if (shape.readsD)
    sources.push_back(d);
  // 5.2: one register cannot be a source of two element widths.
  for (const Placed &a : sources)
    for (const Placed &b : sources)
      if (a.group.eewLog2 != b.group.eewLog2 && a.overlaps(b))
        return false;
  if (!shape.writesD || shape.d == Width::None)
    return true;
  bool isElement = shape.d == Width::Element || shape.d == Width::WideElement;
  // 14: the result of a reduction may overlap everything.
  if (isElement)
    return true;
  // 5.3: v0 is a destination of masked instructions only for masks.
  if (usesV0 && d.first == 0 && shape.d != Width::Mask)
    return false;
  return std::ranges::all_of(sources, [&](const Placed &source) {
    if (!d.overlaps(source))
      return true;
    if (shape.noOverlap)
      return false;
    return mayOverlap(d, source);
  });
}

VectorRegs differential::chooseRegs(const VectorShape &shape,
                                    const VectorConfig &config,
                                    testing::Random &random) {
  auto place = [&](Width width, unsigned fields) -> unsigned {
    if (width == Width::None)
      return 0;
    Group g = shape.group(width, config);
    // Few registers, so that operands often coincide.
    unsigned reach = random.oneIn(2) ? 16 : 32;
    unsigned first = random.below(reach / g.alignment) * g.alignment;
    return std::min(first, 32 - g.regs * fields) / g.alignment * g.alignment;
  };
  for (;;) {
    VectorRegs regs;
    regs.masked = shape.isMaskable && random.oneIn(2);
    regs.d = place(shape.d, shape.fields);
    regs.t = place(shape.t, 1);
    regs.s = place(shape.s, 1);
    if (isPermitted(shape, config, regs))
      return regs;
  }
}
