//===- NnapiImages.cpp - Regions of interest of NNAPI ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Regions.h"
#include "parser/graph/operators/TfliteWindows.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {
/// What regions are pooled to, and factors from their coordinates to rows and
/// columns.
struct Pooled {
  std::vector<int64_t> shape;
  std::vector<double> scale;
};
} // namespace

/// Reports operands that are no image, regions and images of regions.
static FailureOr<Pooled> pooledOf(NodeEmitter &n) {
  if (failed(checkImage(n, 2)))
    return failure();
  if (n.rank(1) != 2 || n.shape(1)[1] != 4 ||
      n.shape(2) != Shape{n.shape(1)[0]})
    return n.bad("the regions have a wrong shape",
                 shapeText(n.shape(1)) + " and " + shapeText(n.shape(2)),
                 "[regions,4] and [regions]");
  Pooled pooled{{n.node.integer("out_h", 0), n.node.integer("out_w", 0)}, {}};
  for (const char *key : {"ratio_h", "ratio_w"}) {
    float ratio = n.node.number(key, 0);
    if (!(ratio > 0))
      return n.bad("the ratio of image and feature map is not positive",
                   std::to_string(ratio), "a number above 0");
    pooled.scale.push_back(1.0 / double(ratio));
  }
  return pooled;
}

LogicalResult graph::emitNnapiRoiAlign(NodeEmitter &n) {
  auto pooled = pooledOf(n);
  Value x = failed(pooled) ? Value() : n.plain(0),
        regions = x ? regionsOf(n) : Value();
  if (!regions)
    return failure();
  return n.outPlain(
      0, n.build
             .layers("RoiAlign", {x, regions},
                     {{"method", "AVG"},
                      {"pooled_shape", pooled->shape},
                      {"coordinate_transformation_mode",
                       n.node.integer("half_pixel", 0) ? "HALF_PIXEL"
                                                       : "OUTPUT_HALF_PIXEL"},
                      {"sample",
                       std::vector<int64_t>{n.node.integer("samples_h", 0),
                                            n.node.integer("samples_w", 0)}},
                      {"spatial_scale_value", pooled->scale}},
                     {DType::F32})
             .front());
}

LogicalResult graph::emitNnapiRoiPooling(NodeEmitter &n) {
  auto pooled = pooledOf(n);
  Value x = failed(pooled) ? Value() : n.plain(0),
        regions = x ? regionsOf(n) : Value();
  if (!regions)
    return failure();
  return n.outPlain(0, n.build
                           .layers("MaxRoiPool", {x, regions},
                                   {{"pooled_shape", pooled->shape},
                                    {"spatial", pooled->scale}},
                                   {DType::F32})
                           .front());
}
