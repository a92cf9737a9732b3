//===- Classes.cpp - Instructions by what their programs need -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Classes.h"
#include "test/differential/VectorShape.h"

#include <algorithm>
#include <string_view>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::sim;
using namespace yarrow::sim::tec;

static bool startsWithAny(std::string_view text,
                          std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(
      prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

static const char *vectorClass(std::string_view name, Format format) {
  if (format >= Format::VLoad) {
    if (name.find("seg") != name.npos)
      return name.find("ff.v") != name.npos ? "vector-fault-first"
                                            : "vector-segment";
    if (name.find("ff.v") != name.npos)
      return "vector-fault-first";
    if (format >= Format::VLoadStrided)
      return "vector-strided-indexed";
    return "vector-memory";
  }
  if (startsWithAny(name, {"vred", "vwred", "vfred", "vfwred"}))
    return "vector-reduction";
  if (name.ends_with(".mm") ||
      startsWithAny(
          name, {"vcpop", "vfirst", "vmsbf", "vmsof", "vmsif", "viota", "vid"}))
    return "vector-mask";
  if (startsWithAny(name, {"vslide", "vfslide", "vrgather", "vcompress",
                           "vmv1r", "vmv2r", "vmv4r", "vmv8r", "vmv.x", "vmv.s",
                           "vfmv.f", "vfmv.s"}))
    return "vector-permutation";
  if (startsWithAny(name, {"vsadd", "vssub", "vsmul", "vssr", "vaadd", "vasub",
                           "vnclip"}))
    return "vector-fixed";
  if (startsWithAny(name, {"vfw", "vfn"}) &&
      !startsWithAny(name, {"vfnm"})) // vfnmadd and its like do not narrow
    return "vector-float-wide";
  if (startsWithAny(name, {"vf", "vmf"}))
    return "vector-float";
  if (startsWithAny(name, {"vw", "vn"}) && !name.starts_with("vnms"))
    return "vector-integer-wide";
  return "vector-integer";
}

/// Null for what no program can contain.
static const char *className(InstId id) {
  const InstInfo &info = instInfo(id);
  std::string_view name = info.mnemonic;
  switch (info.format) {
  case Format::Npu:
    return nullptr;
  case Format::None:
    return name.starts_with("fence") ? "integer" : nullptr;
  case Format::Csr:
  case Format::CsrImm:
    return "csr";
  case Format::Amo:
  case Format::Lr:
    return "atomic";
  case Format::VSetvli:
  case Format::VSetivli:
    return "vector-configuration";
  default:
    break;
  }
  if (info.cost == Cost::VSet)
    return "vector-configuration";
  if (isVector(id))
    return vectorClass(name, info.format);
  if (info.cost == Cost::Mul || info.cost == Cost::Div)
    return "multiply";
  if (info.format >= Format::FLoad && info.format <= Format::XMvToF)
    return name.ends_with(".d") || name == "fld" || name == "fsd" ||
                   name.find(".d.") != name.npos
               ? "double"
               : "single";
  return "integer";
}

/// V 14 to 17 let these need vstart = 0, or say they do.
static bool canStartLate(InstId id) {
  std::string_view name = instInfo(id).mnemonic;
  return isVector(id) &&
         className(id) != std::string_view("vector-reduction") &&
         !startsWithAny(name, {"vcpop", "vfirst", "vmsbf", "vmsof", "vmsif",
                               "viota", "vcompress"});
}

static std::vector<InstClass> makeClasses() {
  std::vector<InstClass> classes;
  for (unsigned k = 0; k < kNumInsts; ++k) {
    const char *name = className(InstId(k));
    if (!name)
      continue;
    auto found = std::ranges::find_if(classes, [&](const InstClass &c) {
      return std::string_view(c.name) == name;
    });
    if (found == classes.end())
      found = classes.insert(classes.end(), InstClass{name, {}});
    found->records.push_back(InstId(k));
  }
  InstClass late{"vector-vstart", {}, true};
  for (unsigned k = 0; k < kNumInsts; ++k)
    if (canStartLate(InstId(k)))
      late.records.push_back(InstId(k));
  classes.push_back(late);
  return classes;
}

const std::vector<InstClass> &differential::instClasses() {
  static const std::vector<InstClass> classes = makeClasses();
  return classes;
}
