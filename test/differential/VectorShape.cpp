//===- VectorShape.cpp - Registers that a vector instruction names --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Section numbers are those of the V extension, version 1.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/VectorShape.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <vector>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::sim::tec;

bool differential::isVector(InstId id) {
  Format format = instInfo(id).format;
  return format >= Format::VV;
}

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

static uint8_t memoryEewLog2(uint32_t match) {
  uint32_t width = match >> 12 & 7;
  return uint8_t(width ? width - 4 : 0);
}

static void setMemoryShape(VectorShape &shape, const InstInfo &info) {
  shape.eewLog2 = memoryEewLog2(info.match);
  shape.fields = uint8_t((info.match >> 29) + 1);
  bool stores = (info.match & 0x7f) == 0x27;
  shape.writesD = !stores;
  shape.readsD = stores;
  switch (info.format) {
  case Format::VLoadMask:
  case Format::VStoreMask:
    shape.d = Width::Mask;
    break;
  case Format::VLoadWhole:
  case Format::VStoreWhole:
    shape.d = Width::Whole;
    shape.wholeRegs = shape.fields;
    shape.fields = 1;
    break;
  case Format::VLoadIndexed:
  case Format::VStoreIndexed:
    shape.d = Width::Sew;
    shape.t = Width::Fixed;
    // 7.8.3: a segment's destinations may not overlap the indices.
    shape.noOverlap = !stores && shape.fields > 1;
    break;
  default:
    shape.d = Width::Fixed;
  }
}

static void setFloatWidths(VectorShape &shape, std::string_view name) {
  if (!name.starts_with("vf") && !name.starts_with("vmf"))
    return;
  shape.minSewLog2 = 2;
  // Integers of 16 bits have a wider or narrower float partner.
  if (name.starts_with("vfwcvt.f.x"))
    shape.minSewLog2 = 1;
  if (name.starts_with("vfncvt.x") || name.starts_with("vfncvt.rtz"))
    shape.minSewLog2 = 1;
}

VectorShape differential::shapeOf(InstId id) {
  const InstInfo &info = instInfo(id);
  std::string_view name = info.mnemonic;
  std::string_view suffix = name.substr(name.rfind('.') + 1);
  VectorShape shape;
  shape.isMaskable = !(info.mask >> 25 & 1);
  if (info.format >= Format::VLoad) {
    setMemoryShape(shape, info);
    return shape;
  }
  bool hasVectorS = info.format == Format::VV || info.format == Format::VVM;
  shape.d = shape.t = Width::Sew;
  shape.s = hasVectorS ? Width::Sew : Width::None;
  bool widens = (name.starts_with("vw") || name.starts_with("vfw"));
  bool narrows = suffix[0] == 'w' && !widens;
  if (widens)
    shape.d = Width::Wide;
  if (suffix[0] == 'w')
    shape.t = Width::Wide;
  if (widens || narrows)
    shape.maxSewLog2 = 2;
  // Multiply-add: macc, msac, madd, msub of all signs.
  shape.readsD = contains(name, "mac") || contains(name, "msac") ||
                 contains(name, "madd.v") || contains(name, "msub.v");
  switch (info.format) {
  case Format::VVM:
  case Format::VXM:
  case Format::VIM:
  case Format::VFM:
    shape.readsV0 = true;
    break;
  case Format::VMv:
    shape.t = Width::None;
    if (suffix == "v")
      shape.s = Width::Sew;
    break;
  case Format::VId:
    shape.t = Width::None;
    break;
  case Format::VToX:
    shape.d = Width::None;
    shape.t = suffix == "m" ? Width::Mask : Width::Element;
    break;
  case Format::VToF:
    shape.d = Width::None;
    shape.t = Width::Element;
    break;
  case Format::XToV:
  case Format::FToV:
    shape.d = Width::Element;
    shape.t = Width::None;
    break;
  case Format::VMvR:
    shape.d = shape.t = Width::Whole;
    shape.wholeRegs = uint8_t((info.match >> 15 & 7) + 1);
    break;
  default:
    break;
  }
  bool compares = name.starts_with("vmadc") || name.starts_with("vmsbc") ||
                  name.starts_with("vms") || name.starts_with("vmf");
  if (compares)
    shape.d = Width::Mask;
  if (suffix == "mm" || (suffix == "m" && name.starts_with("vms")))
    shape.d = shape.t = Width::Mask;
  if (suffix == "mm")
    shape.s = Width::Mask;
  if (suffix == "vs") {
    shape.d = shape.s = widens ? Width::WideElement : Width::Element;
    shape.t = Width::Sew;
  }
  if (name.starts_with("viota"))
    shape.t = Width::Mask;
  if (name.starts_with("vcompress"))
    shape.s = Width::Mask;
  if (name.starts_with("vrgatherei16")) {
    shape.s = Width::Fixed;
    shape.eewLog2 = 1;
  }
  if (contains(name, "ext.vf")) {
    shape.t = Width::Fraction;
    shape.fractionLog2 = suffix == "vf2" ? 1 : suffix == "vf4" ? 2 : 3;
    shape.minSewLog2 = int8_t(shape.fractionLog2);
  }
  // 15.4 to 16.5.
  shape.noOverlap = (suffix == "m" && name.starts_with("vms")) ||
                    name.starts_with("viota") || name.starts_with("vrgather") ||
                    name.starts_with("vcompress") ||
                    contains(name, "slideup") || contains(name, "slide1up");
  setFloatWidths(shape, name);
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
                                    Random &random) {
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
