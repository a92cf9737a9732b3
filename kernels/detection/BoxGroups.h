//===- BoxGroups.h - Boxes of many images in groups -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lists of boxes of several images, where neighbours with the same number
// belong to one image: the number of images, and of boxes of each, depends on
// data. Before a suppression (Nms.h) every class of an image becomes a group of
// a list. After it each image keeps its best boxes, which are written without
// gaps.
//
//   yk_box_groups   scores, boxes, numbers -> groupScores, groupBoxes, perGroup
//   yk_nms_...      -> lists, kept, keptScores
//   yk_limit_groups -> taken
//   yk_group_rows   -> rows, their number
//
// Kernels: BoxGroups.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_BOXGROUPS_H
#define YARROW_KERNELS_DETECTION_BOXGROUPS_H

#include "kernels/Signature.h"

namespace yarrow::kernels {

/// Scores [boxes, classes] and boxes [boxes, classes, 4], without class 0, one
/// group after the other: those of box b, of class c, are the group b *
/// (classes - 1) + c - 1 if b is the first of its image. The other groups of
/// perGroup are empty. Work is split by boxes.
struct BoxGroupsParams {
  uint32_t boxes = 1, classes = 2;
};
static_assert(sizeof(BoxGroupsParams) == 8);

/// What a suppression has kept (Nms.h): of images a list of boxes each, which
/// are in groups; so many groups, one after the other, are a block, of which
/// the best boxes stay.
struct GroupLists {
  uint32_t images = 1, boxes = 1, groups = 1, perBlock = 1;
};
static_assert(sizeof(GroupLists) == 16);

/// taken[image, group]: how many of its boxes are among the `most` best ones of
/// the block; of equal scores those of the first group. Work is split by
/// blocks, a comparison for each box that stays and each group.
struct LimitGroupsParams {
  GroupLists lists;
  uint32_t most = ~0u;
};
static_assert(sizeof(LimitGroupsParams) == 20);

/// The boxes that stay, all that are kept where taken does not tell, block by
/// block, group by group, by falling score: score, box, place of the group in
/// its block + firstClass, and the block's number, which is its image where no
/// numbers are given. Rows after them hold 0; count is the number of rows that
/// do not. Work is split by rows, behind a look at all groups.
struct GroupRowsParams {
  GroupLists lists;
  uint32_t capacity = 1;
  uint32_t firstClass = 0;
};
static_assert(sizeof(GroupRowsParams) == 24);

/// Of each block, which is an image's groups, the `capacity` best boxes by
/// falling score. Without perBox a row is a box of a group, labelled by it;
/// with perBox there is one group, and each of its boxes has so many rows, one
/// for each of its best classes in classScores [images, boxes, classes], class
/// 0 left out. Labels are counted from firstLabel. Rows after them hold 0.
/// taken is used up. Work is split by images.
struct BestRowsParams {
  GroupLists lists;
  uint32_t capacity = 1;
  uint32_t perBox = 0, classes = 1;
  uint32_t firstLabel = 0;
};
static_assert(sizeof(BestRowsParams) == 32);

#define YARROW_KERNELS "kernels/detection/BoxGroups.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_BOXGROUPS_H
