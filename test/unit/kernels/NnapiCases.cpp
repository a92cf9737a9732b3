//===- NnapiCases.cpp - Calls of the kernels that NNAPI needs -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lists, counts and numbers of images are random bytes, so that most of them
// are wrong.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

void KernelCaseBuilder::addImageBoxes() {
  uint32_t perBox = between(1, 4), boxes = between(1, 60);
  add("yk_box_transform",
      BoxTransformParams{.rows = boxes * perBox,
                         .perBox = perBox,
                         .images = between(1, 3),
                         .anchors = boxes},
      {}, 4, 1);
  uint32_t images = between(1, 3), columns = between(1, 5),
           anchors = between(1, 4), cells = columns * between(1, 4);
  for (AnchorForm form : {AnchorForm::Cells, AnchorForm::Centres}) {
    bool isGrid = form == AnchorForm::Cells;
    add("yk_box_transform",
        BoxTransformParams{.rows = images * cells * anchors,
                           .images = images,
                           .anchors = isGrid ? anchors : cells * anchors,
                           .form = form,
                           .gridColumns = columns,
                           .strides = {real(0, 20), real(0, 20)},
                           .deltaLength = between(4, 7),
                           .factors = {real(0, 1), 1, real(0, 1), 1}},
        {}, 4, 1);
  }
  add("yk_box_groups",
      BoxGroupsParams{.boxes = between(1, 60), .classes = between(2, 6)}, {}, 3,
      3);
  GroupLists lists{.images = between(1, 3),
                   .boxes = between(1, 150),
                   .perBlock = between(1, 4)};
  lists.groups = lists.perBlock * between(1, 5);
  add("yk_limit_groups",
      LimitGroupsParams{.lists = lists, .most = between(0, 20)});
  add("yk_group_rows",
      GroupRowsParams{.lists = lists,
                      .capacity = between(1, 300),
                      .firstClass = between(0, 1)},
      {}, 6, 5);
  BestRowsParams best{.lists = lists,
                      .capacity = between(1, 100),
                      .classes = between(2, 8),
                      .firstLabel = between(0, 1)};
  add("yk_best_rows", best, {}, 5, 5);
  best.lists.groups = best.lists.perBlock = 1;
  best.perBox = between(1, 4);
  add("yk_best_rows", best, {}, 5, 5);
  add("yk_keypoint",
      KeypointParams{
          .boxes = between(1, 4), .size = between(2, 9), .maps = between(1, 5)},
      {}, 2, 2);
}

void KernelCaseBuilder::addHashes() {
  for (ProjectionForm form : {ProjectionForm::Dense, ProjectionForm::Signatures,
                              ProjectionForm::ApartSignatures})
    add("yk_projection", ProjectionParams{.functions = between(1, 6),
                                          .bits = between(1, 10),
                                          .items = between(1, 6),
                                          .itemBytes = between(1, 200),
                                          .form = form});
  add("yk_multinomial", MultinomialParams{.rows = between(1, 4),
                                          .classes = between(1, 60),
                                          .samples = between(1, 40)});
}
