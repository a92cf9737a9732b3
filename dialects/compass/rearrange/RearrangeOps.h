//===- RearrangeOps.h - Operators that rearrange or overlap ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.tile, repeat, batch_to_space, batch_to_space_nd,
// space_to_batch, space_to_depth, depth_to_space, channel_shuffle, crop,
// data_stride, reverse_sequence, meshgrid, col2im and overlap_add.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGEOPS_H
#define YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGEOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerRearrangeOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/rearrange/RearrangeOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGEOPS_H
