//===- DetectOps.td - From predictions to boxes ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers that decode boxes relative to anchors, or find boxes in a grid. How
// many boxes they find depends on the data; the declared shapes are capacities.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_DETECT_DETECTOPS_TD
#define YARROW_DIALECTS_COMPASS_DETECT_DETECTOPS_TD

include "dialects/compass/detect/NnapiOps.td"

// What keeps the boxes above a threshold, class by class.
defvar ChooseSteps = ["yk_choose_counts", "yk_choose_starts", "yk_choose_places"];
defvar ChooseBestSteps = !listconcat(ChooseSteps, ["yk_choose_cut"]);

defvar ExpTables = [
  TableKey<"th_lut", "2^n entries: exp of the height delta, int16">,
  TableKey<"tw_lut", "2^n entries: exp of the width delta, int16">];
defvar BoxTables = [
  TableKey<"ty_lut", "2^n entries: y delta over its variance, int16", "Optional">,
  TableKey<"tx_lut", "2^n entries: x delta over its variance, int16", "Optional">,
  TableKey<"th_lut", "2^n entries: exp of the height delta over its variance, int16", "Optional">,
  TableKey<"tw_lut", "2^n entries: exp of the width delta over its variance, int16", "Optional">];
defvar AnchorCentres = [
  TensorKey<"xcenter", "x of each anchor's centre">,
  TensorKey<"ycenter", "y of each anchor's centre">,
  TensorKey<"ha", "height of each anchor">,
  TensorKey<"wa", "width of each anchor">];

def Compass_BoundingBoxOp : Compass_Op<"bounding_box", "BoundingBox", BoundingBoxRule, !listconcat(ExpTables, [
  ScalesKey<"box_scale_value", "multipliers of y, x, h, w deltas and of the box">,
  ShiftsKey<"box_shift_value", "right shifts of y, x, h, w deltas and of the box">,
  OptIntKey<"delta_shift", "shift that keeps products of deltas within 32 bits; the result does not depend on it", "Int", [], "Required", ShiftBounds>]),
  "inferBoundingBox"> {
  let floatKernels = ["yk_decode_float"];
  let intKernels = ["yk_decode_corners"];
  let resultTypes = "Declared";
  let summary = "moves and scales boxes by predicted deltas";
  let formula = "centre = centre + delta_yx * size / 10; size = size * exp(delta_hw / 5); result = corners, clipped to 0..1";
  let source = "Compass IR 7.3, 4.3.1 BoundingBox";
  let tensorsIn = [Tensor<"boxes", "N,Boxes,4", "y1, x1, y2, x2">,
                   Tensor<"deltas", "N,Boxes,4", "y, x, h, w">];
  let tensorsOut = [Tensor<"regressed", "N,Boxes,4", "y1, x1, y2, x2">];
  let resolved = [
    Resolved<"neither the formula, nor the encoding of boxes, nor the clipping is specified",
      "boxes are y1,x1,y2,x2. In integers, along each axis: h = hi - lo, c = (lo + hi) >> 1, p = delta_shift; centre = c + ((delta * ((h * scale[y or x]) >> p) + half) >> (shift - p)); size = (h * ((table[delta] * scale[h or w]) >> 16)) >> (shift - 16); the corners centre - size and centre + size are ((v * scale[4]) + half) >> shift[4], clipped to 0..32767. Results equal the reference packs bit for bit">,
    Resolved<"the tables are said to be for the gaussian method", "th_lut and tw_lut are exp tables of the height and width deltas; the sentence was copied from NMS">,
    Resolved<"the example names two outputs, and has four scale types for five values", "one output; five scales with five types, as the reference tools write them">];
}

def Compass_DecodeBoxOp : Compass_Op<"decode_box", "DecodeBox", DecodeBoxRule, !listconcat(
  [TableKey<"weights", "one table of anchors and look-up tables, the definition's form", "Optional">],
  AnchorCentres, BoxTables, [
  OptIntKey<"image_width", "width of the image; in integer IR the fixed-point range of x", "Both", [], "Expected">,
  OptIntKey<"image_height", "height of the image; in integer IR the fixed-point range of y", "Both", [], "Expected">,
  OptIntKey<"width", "the definition's name of image_width">,
  OptIntKey<"height", "the definition's name of image_height">,
  OptIntKey<"max_box_num", "capacity of the result", "Both", [], "Expected", AtLeastOne>,
  OptIntKey<"class_num", "number of classes without the background", "Both", [], "Required", AtLeastOne>,
  NumberKey<"score_threshold", "scores up to this value are dropped", [], "Required", "Float">,
  IrKey<"feature_map", "Nested", OptionalAttr<ArrayAttr>, "sizes of the feature maps, from which anchors can be computed", "Optional">,
  BoolKey<"proposal_normalized", "coordinates of boxes are in 0..1, not in pixels", "true", [], "Expected">,
  FloatListKey<"variance", "divisors of the y, x, h and w deltas", "Optional">,
  FloatListKey<"firstbox_scale", "scales of the first feature map's anchors", "Optional">,
  OptIntKey<"score_threshold_uint8", "score_threshold at the scale of the scores", "Int", [], "Required">,
  OptIntKey<"box_shift", "right shift of the decoded boxes", "Int", [], "Required", ShiftBounds>]), "inferDecodeBox"> {
  let facts = [DecidingLayer];
  let floatKernels = !listconcat(ChooseBestSteps, ["yk_take", "yk_decode_float"]);
  let intKernels = !listconcat(ChooseBestSteps, ["yk_take", "yk_decode_anchors"]);
  let resultTypes = "Declared";
  let summary = "boxes from anchors and deltas, sorted by class";
  let formula = "y = ty*ha/variance_0 + ycenter, x likewise; h = exp(th/variance_2)*ha, w likewise, at most the size of the image; the corners are clipped to the image; every class c >= 1 of a box with score > score_threshold gives an entry; entries are ordered by class";
  let source = "Compass IR 7.3, 4.3.1 DecodeBox";
  let tensorsIn = [Tensor<"scores", "N,Boxes,Classes", "per class, background first">,
                   Tensor<"deltas", "N,Boxes,4", "y, x, h, w">];
  let tensorsOut = [Counted<"boxes", "N,Selected,4", "y1, x1, y2, x2", "boxesPerClass">,
                    Counted<"boxesPerClass", "N,Selected", "number of boxes of each class present, in the order of classes", "classCount">,
                    Tensor<"classCount", "N,1", "number of classes present">,
                    Counted<"selectedScores", "N,Selected", "score of each box", "boxesPerClass">,
                    Counted<"labels", "N,Selected", "label of each class present", "classCount">];
  let keyVariants = [KeyVariant<"weight", "weights">];
  let resolved = [
    Resolved<"neither the source of the anchors nor the contents of the table `weights` are specified",
      "the tools write xcenter, ycenter, ha, wa and four look-up tables, or feature_map without anchors. A single table of 4*n + 1024 int16, as in the example, is split by the reader: judging by its length it holds xcenter, ycenter, ha, wa, then ty_lut, tx_lut, th_lut and tw_lut of 256 entries each">,
    Resolved<"Y2 and Y3 mix up boxes per class and classes, and Y5 names an input X4 that does not exist",
      "Y2 is the number of boxes of each class present, Y3 the number of these classes, Y4 the scores, Y5 the class labels">,
    Resolved<"max_output_size is not a listed key", "the capacity is the declared length; max_box_num, if written, is the same number">,
    Resolved<"width and height are called parameters of float IR, but an integer example has them",
      "width and height are the tools' image_width and image_height, in integer IR the fixed-point range of the coordinates">,
    Resolved<"the result for more boxes than there is room for is not specified",
      "the boxes with the lowest scores stay, the first of equal ones, as in the reference. The capacity should be large enough">,
    Resolved<"the index of the background is not specified", "class 0 is the background: scores have class_num + 1 columns, and labels count from 0 after it">];
}

def Compass_MultiboxTransformLocOp : Compass_Op<"multibox_transform_loc", "MultiboxTransformLoc", MultiboxRule, !listconcat(ExpTables, [
  NumberKey<"score_threshold", "scores up to this value are dropped", [], "Optional", "Float">,
  FloatListKey<"variance", "factors of the x, y, w and h deltas, if `variances` is absent", "Optional">,
  FloatListKey<"variances", "factors of the y, x, h and w deltas", "Optional">,
  BoolKey<"clip", "boxes are clipped to 0..1", "true", [], "Expected">,
  ScalesKey<"box_scale_value", "multipliers of y, x, h, w deltas and of the anchor">,
  ShiftsKey<"box_shift_value", "right shifts of y, x, h, w deltas and of the anchor">,
  OptIntKey<"delta_shift", "shift that keeps products of deltas in 32 bits", "Int", [], "Required", ShiftBounds>,
  NumberKey<"score_threshold_value", "in float IR another name of score_threshold; in integer IR the threshold at the scale of the scores", [], "Required", "Int">,
  ScalesKey<"score_scale_value", "multiplier of the score">,
  ShiftsKey<"score_shift_value", "right shift of the score">]), "inferMultiboxTransformLoc"> {
  let facts = [DecidingLayer];
  let floatKernels = !listconcat(ChooseSteps, ["yk_best_class", "yk_class_rows", "yk_decode_float"]);
  let intKernels = !listconcat(ChooseSteps, ["yk_best_class", "yk_class_rows", "yk_decode_corners"]);
  let resultTypes = "Declared";
  let summary = "SSD decoding: the best class and box of every anchor";
  let formula = "class = arg max over c >= 1; if its score > score_threshold, the next row of the result is class - 1, score, x1, y1, x2, y2 (decoded as in BoundingBox, with the variances); the remaining rows hold -1";
  let source = "Compass IR 7.3, 4.3.1 MultiboxTransformLoc";
  let tensorsIn = [Tensor<"probabilities", "N,Classes,Boxes", "background first">,
                   Tensor<"deltas", "N,coordinates", "x, y, w, h for each anchor">,
                   Tensor<"anchors", "1,Boxes,4", "x1, y1, x2, y2">];
  let tensorsOut = [Counted<"boxes", "N,Boxes,6", "class, score, x1, y1, x2, y2", "count">,
                    Tensor<"count", "N", "number of rows in use">];
  let resolved = [
    Resolved<"the formula, the clipping and the order of a row are not specified",
      "a box is decoded as in BoundingBox; score = (s * score_scale) >> score_shift; rows with s > threshold come first, in the order of the anchors; the others are -1. Results equal the reference packs">,
    Resolved<"the definition has variances in the order y, x, h, w; the tools also write `variance`, in the order x, y, w, h",
      "each key has its own order; if both are written, `variances` counts">,
    Resolved<"the definition has score_threshold_type and score_threshold_value for both IRs; the tools write score_threshold in float IR",
      "float IR can have either; if both are written, score_threshold counts">,
    Resolved<"the example has four scale types for five values", "five types">,
    Resolved<"the treatment of the background is not specified", "class 0 is the background and left out; ids count from 0 after it">];
}

def Compass_DetectionOutputOp : Compass_Op<"detection_output", "DetectionOutput", DetectionOutputRule, !listconcat(BoxTables, [
  OptIntKey<"image_width", "width of the image", "Float", [], "Required", AtLeastOne>,
  OptIntKey<"image_height", "height of the image", "Float", [], "Required", AtLeastOne>,
  NumberKey<"score_threshold", "scores up to this value are dropped", [], "Required", "Float">,
  OptWordKey<"anchor_mode", "order of the deltas: default_detect (y, x, h, w) or caffe_detection (x, y, w, h)", "Both", ["default_detect", "caffe_detection"]>,
  FloatListKey<"variance", "divisors of the deltas", "Required", "Float">,
  OptFloatKey<"bbox_xform_clip", "upper bound of the h and w deltas", "Float">,
  OptIntKey<"width", "width of the image at the boxes' scale", "Int", [], "Required">,
  OptIntKey<"height", "height of the image at the boxes' scale", "Int", [], "Required">,
  OptIntKey<"score_threshold_value", "score_threshold at the scale of the scores", "Int", [], "Required">,
  ScalesKey<"box_scale_value", "multipliers of sizes, deltas and centres">,
  ShiftsKey<"box_shift_value", "right shifts of sizes, deltas and centres">,
  IntListKey<"delta_shift", "shifts that keep the products of sizes and deltas in 32 bits", "Required", "Int", ShiftBounds>]),
  "inferDetectionOutput"> {
  let facts = [DecidingLayer];
  let floatKernels = !listconcat(ChooseSteps, ["yk_take", "yk_decode_float"]);
  let intKernels = !listconcat(ChooseSteps, ["yk_take", "yk_decode_proposals"]);
  let resultTypes = "Declared";
  let summary = "second stage of a two-stage detector: class scores and refined proposals";
  let formula = "the deltas of each class move and scale the proposal as in DecodeBox, but by any factor; the corners are clipped to the image; every class of a proposal with score > score_threshold gives an entry; entries are ordered by class";
  let source = "reference parser";
  let tensorsIn = [Tensor<"scores", "N,Boxes,Classes", "per class, background first">,
                   Tensor<"deltas", "N,Boxes,classes,4", "per class, with or without the background">,
                   Tensor<"proposals", "N,Boxes,4", "y1, x1, y2, x2">];
  let tensorsOut = [Counted<"selectedScores", "N,Selected", "score of each box", "boxesPerClass">,
                    Counted<"boxes", "N,Selected,4", "y1, x1, y2, x2", "boxesPerClass">,
                    Counted<"boxesPerClass", "N,Kept", "number of boxes of each class present", "classCount">,
                    Counted<"labels", "N,Kept", "label of each class present", "classCount">,
                    Tensor<"classCount", "N,1", "number of classes present">];
}

def Compass_ProposalOp : Compass_Op<"proposal", "Proposal", ProposalRule, !listconcat(AnchorCentres, BoxTables, [
  OptIntKey<"width", "width of the image; in integer IR at the boxes' scale", "Both", [], "Required">,
  OptIntKey<"height", "height of the image; in integer IR at the boxes' scale", "Both", [], "Required">,
  NumberKey<"score_threshold", "scores up to this value are dropped", [], "Required", "Float">,
  FloatListKey<"scale_anchor", "divisors of the deltas", "Optional", "Float">,
  OptIntKey<"box_shift_value", "right shift of the decoded boxes", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"score_threshold_value", "score_threshold at the scale of the scores", "Int", [], "Required">]), "inferProposal"> {
  let facts = [DecidingLayer];
  let floatKernels = !listconcat(ChooseSteps, ["yk_take", "yk_copy", "yk_decode_float"]);
  let intKernels = !listconcat(ChooseSteps, ["yk_take", "yk_copy", "yk_decode_anchors"]);
  let resultTypes = "Declared";
  let summary = "first stage of a two-stage detector: boxes that can contain an object";
  let formula = "the deltas move and scale the anchors as in DecodeBox, but by any factor; the corners are clipped to the image; anchors whose second score > score_threshold are kept, in their order";
  let source = "reference parser";
  let tensorsIn = [Tensor<"scores", "N,Boxes,classes", "background and object">,
                   Tensor<"deltas", "N,Boxes,4", "y, x, h, w">];
  let tensorsOut = [Counted<"selectedScores", "N,Selected", "score of each box", "boxesPerClass">,
                    Counted<"boxes", "N,Selected,4", "y1, x1, y2, x2", "boxesPerClass">,
                    Counted<"boxesPerClass", "N,classes", "number of boxes of each class; the reference uses only the first", "classCount">,
                    Tensor<"classCount", "N,1", "number of classes">];
}

def Compass_GenerateProposalsOp : Compass_Op<"generate_proposals", "GenerateProposals", GenerateProposalsRule, [
  TensorKey<"weights", "anchors: width, height, x and y of their centres, or the corners of the anchors of one cell; in integer IR followed by the tables", "Both", "Required">,
  TensorKey<"anchors", "the anchors of one cell", "Int">,
  TableKey<"wh_lut", "exp of the h and w deltas">, TableKey<"xy_lut", "the x and y deltas">,
  TableKey<"wa_q", "widths of the anchors">, TableKey<"ha_q", "heights of the anchors">,
  TableKey<"xcenter_a_q", "x of the anchors' centres">, TableKey<"ycenter_a_q", "y of the anchors' centres">,
  IntKey<"pre_nms_topn", "number of boxes with the highest scores to examine", "6000", [], AtLeastOne>,
  IntKey<"post_nms_topn", "number of boxes to keep", "300", [], AtLeastOne>,
  IntKey<"min_size", "boxes are dropped unless they are wider and higher", "16">,
  NumberKey<"iou_threshold", "a box that overlaps a better one by more than this is dropped; in integer IR times 2048", [], "Required">,
  IntKey<"image_width", "width of the image", "600", [], AtLeastOne>,
  IntKey<"image_height", "height of the image", "600", [], AtLeastOne>,
  OptIntKey<"anchor_scale", "scale of coordinates", "Int", [], "Required">,
  OptIntKey<"iou_scale", "factor by which iou_threshold was multiplied", "Int">,
  OptIntKey<"height_stride", "rows of the image per cell, at the scale of coordinates", "Int">,
  OptIntKey<"width_stride", "columns of the image per cell, at the scale of coordinates", "Int">,
  OptIntKey<"delta_shift", "right shift of decoded boxes", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"roi_last_shift", "right shift of the result", "Int", [], "Optional", ShiftBounds>], "inferGenerateProposals"> {
  let facts = [DecidingLayer];
  let floatKernels = ["yk_decode_float", "yk_nms_candidates", "yk_rank_runs", "yk_rank_merge", "yk_nms_float", "yk_nms_emit", "yk_copy"];
  let intKernels = ["yk_decode_anchors", "yk_nms_candidates", "yk_rank_runs", "yk_rank_merge", "yk_nms_int", "yk_nms_emit", "yk_copy"];
  let resultTypes = "Declared";
  let summary = "boxes of a region proposal network, after non-maximum suppression";
  let formula = "deltas move and scale the anchors, which are clipped to the image; boxes with a side of min_size or less are dropped; from the pre_nms_topn best, boxes that overlap a better one by more than iou_threshold are dropped; at most post_nms_topn remain";
  let source = "reference parser";
  let tensorsIn = [Tensor<"scores", "N,H,W,anchors", "one score for each anchor of a cell">,
                   Tensor<"deltas", "N,H,w,coordinates", "x, y, w, h for each anchor of a cell">,
                   Tensor<"image", "...", "size of the image">];
  let tensorsOut = [Counted<"selectedScores", "N,Selected", "score of each box", "count">,
                    Counted<"boxes", "N,Selected,4", "x1, y1, x2, y2", "count">,
                    Counted<"batchIndices", "N,Selected,1", "0, as in the reference", "count">,
                    Tensor<"count", "N,1", "number of boxes">];
  let resolved = [
    Resolved<"neither the order of the result, nor ties, nor the length of a side is specified",
      "by falling score, the first anchor in a tie; sides of overlaps have the length hi - lo + 1 in floats, hi - lo in integers; a side is compared with min_size as hi - lo; corners are in 0 .. size - 1">,
    Resolved<"the form of the anchors is not specified",
      "four planes with all widths, heights, x and y of centres; or x1, y1, x2, y2 of the anchors of one cell, which are moved by image size / grid size">];
}

def Compass_RefineDetDetectionOp : Compass_KnownOp<"refine_det_detection", "RefineDetDetection", DetectionRule, [
  FloatKey<"obj_thresh", "anchors with a lower score in the first stage are dropped", "0.1">,
  FloatKey<"conf_thresh", "lower scores of the second stage are dropped", "0.1">,
  IntKey<"pre_nms_topk", "number of boxes with the highest scores to examine", "1000", [], AtLeastOne>,
  IntKey<"post_nms_topk", "number of boxes to keep", "200", [], AtLeastOne>], "inferRefineDetDetection"> {
  let resultTypes = "Declared";
  let summary = "RefineDet's two-step decoding";
  let formula = "not specified: the reference parser gives only the shape, and the reference Optimizer does not know the type";
  let source = "reference parser";
  let tensorsIn = [Tensor<"anchorDeltas", "...", "deltas of the first stage">, Tensor<"anchorScores", "...", "scores of the first stage">,
                   Tensor<"deltas", "...", "deltas of the second stage">, Tensor<"scores", "...", "scores of the second stage">,
                   Tensor<"priors", "...", "anchors">];
  let tensorsOut = [Tensor<"boxes", "n,Selected,4", "y1, x1, y2, x2">];
  let resolved = [Resolved<"the inputs have no names in the reference parser", "five inputs whose first axis is the batch, in RefineDet's usual order; their contents are not checked">];
}

def Compass_RegionOp : Compass_Op<"region", "Region", RegionRule, [
  TableKey<"qanchors_lut", "anchor heights and widths, fixed point, uint16">,
  TableKey<"score_softmax_lut", "2^n entries: exp of the class scores, uint32">,
  TableKey<"conf_sigmoid_lut", "2^n entries: sigmoid of the objectness, uint16">,
  TableKey<"xy_sigmoid_lut", "2^n entries: sigmoid of the centre, int16">,
  TableKey<"wh_exp_lut", "2^n entries: exp of the size, uint16">,
  FloatListKey<"anchors", "width and height of each box of a cell, in cells", "Required", "Float">,
  OptIntKey<"max_box_num", "capacity of the result", "Both", [], "Required", AtLeastOne>,
  OptIntKey<"box_per_grid", "boxes per cell", "Both", [], "Required", AtLeastOne>,
  OptIntKey<"grid_height", "rows of cells", "Both", [], "Required", AtLeastOne>,
  OptIntKey<"grid_width", "columns of cells", "Both", [], "Required", AtLeastOne>,
  OptIntKey<"class_num", "number of classes", "Both", [], "Required", AtLeastOne>,
  NumberKey<"obj_thresh", "boxes with a score up to this are dropped; in integer IR at the scale of the scores", [], "Required">,
  BoolKey<"grid_compensate", "centres are half a cell lower if both grid sizes are even", "false", [], "Expected">,
  OptIntKey<"col_shift", "right shift of x in cells", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"row_shift", "right shift of y in cells", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"grid_w_shift", "right shift of 1 / grid_width", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"grid_h_shift", "right shift of 1 / grid_height", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"grid_w_scale", "1 / grid_width in fixed point", "Int", [], "Required", MultiplierBounds>,
  OptIntKey<"grid_h_scale", "1 / grid_height in fixed point", "Int", [], "Required", MultiplierBounds>,
  OptIntKey<"anchors_exp_h_shift", "right shift of anchor height times exp", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"anchors_exp_w_shift", "right shift of anchor width times exp", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"conf_sigmoid_shift", "right shift of the objectness", "Int", [], "Expected", ShiftBounds>,
  OptIntKey<"wh_exp_shift", "right shift of the size", "Int", [], "Required", ShiftBounds>,
  OptIntKey<"wh_exp_scale", "multiplier of the size", "Int", [], "Required", MultiplierBounds>], "inferRegion"> {
  let facts = [DecidingLayer];
  let floatKernels = !listconcat(ChooseBestSteps, ["yk_take", "yk_region_scores_float", "yk_region_boxes_float"]);
  let intKernels = !listconcat(ChooseBestSteps, ["yk_take", "yk_region_scores_int", "yk_region_boxes_int"]);
  let resultTypes = "Declared";
  let summary = "head of a YOLO v2 detector";
  let formula = "x = (sigmoid(tx) + column) / grid_width, y likewise; w = anchor_w * exp(tw) / grid_width, h likewise; score = sigmoid(to) * softmax(classes); entries with score > obj_thresh, ordered by class";
  let source = "Compass IR 7.3, 4.3.1 Region";
  let tensorsIn = [Tensor<"predictions", "N,H,W,Anchors,values", "per box of a cell: x, y, w, h, objectness, classes">];
  let tensorsOut = [Counted<"scores", "N,Selected", "score of each box", "boxesPerClass">,
                    Counted<"boxes", "N,Selected,4", "y1, x1, y2, x2", "boxesPerClass">,
                    Counted<"boxesPerClass", "N,Classes", "number of boxes of each class present", "classCount">,
                    Counted<"labels", "N,Classes", "label of each class present", "classCount">,
                    Tensor<"classCount", "N,1", "number of classes present">];
  let keyVariants = [KeyVariant<"gird_w_scale", "grid_w_scale">, KeyVariant<"gird_w_shift", "grid_w_shift">,
                     KeyVariant<"gird_h_scale", "grid_h_scale">, KeyVariant<"gird_h_shift", "grid_h_shift">,
                     KeyVariant<"obj_threshold", "obj_thresh">];
  let resolved = [
    Resolved<"the equations are missing", "those of YOLO v2; they agree with the reference packs to 7e-8">,
    Resolved<"keys are spelled gird_* in the text and grid_* in the example", "grid_* is written, both are read">,
    Resolved<"the text has obj_threshold, the example obj_thresh", "obj_thresh is written, both are read">,
    Resolved<"only the example has row_shift, col_shift, conf_sigmoid_shift and grid_compensate",
      "the shifts belong to the integer form; grid_compensate moves centres by half a cell when both grid sizes are even">,
    Resolved<"the threshold, the order and the corners are not specified",
      "boxes with score > obj_thresh, in the order of classes, within a class by row, column and box of the cell; corners are y1,x1,y2,x2 within 0..1; if there are more than max_box_num, those with the highest scores">,
    Resolved<"products of the integer form exceed 32 bits if a box is far wider than the image",
      "they wrap, as in the reference (one of its packs has such a box); Yarrow's quantizer gives anchors fewer bits to prevent it">,
    Resolved<"Y5 is [batch] in the text, but [1,1] in the example", "[batch, 1]">];
}

#endif // YARROW_DIALECTS_COMPASS_DETECT_DETECTOPS_TD
