//===- NnapiOps.td - Boxes as NNAPI has them ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Extensions of ours: what NNAPI asks of lists of boxes and Compass IR does not
// say. Anchors, sizes of images and which image a box is of are tensors; results
// are one list of all images without gaps, as long as it can be, with the number
// of its rows. They are computed in floats; of a model that is quantized they are
// given real numbers.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_DETECT_NNAPIOPS_TD
#define YARROW_DIALECTS_COMPASS_DETECT_NNAPIOPS_TD

include "dialects/compass/CompassBase.td"

// In floats alone, and nothing of Compass IR's.
class NnapiBoxOp<string mnemonic, string layerType, list<IrKey> k, string infer, string operation> :
    Compass_Op<mnemonic, layerType, DetectionRule, k, infer> {
  let facts = [DecidingLayer];
  let computedIn = "Float";
  let resultTypes = "Declared";
  let source = "NNAPI, " # operation;
  let extension = "nnapi_layers";
}

defvar SuppressionSteps = ["yk_nms_candidates", "yk_rank_runs", "yk_rank_merge", "yk_nms_float"];

def Compass_BoxTransformOp : NnapiBoxOp<"box_transform", "BoxTransform", [], "inferBoxTransform", "AXIS_ALIGNED_BBOX_TRANSFORM"> {
  let floatKernels = ["yk_box_transform"];
  let summary = "moves and scales the boxes of several images by the deltas of each class";
  let formula = "centre = centre + delta_xy * size, size = size * exp(delta_wh); corners are clipped to the box's image";
  let tensorsIn = [Tensor<"boxes", "Boxes,4", "x1, y1, x2, y2">,
                   Tensor<"deltas", "Boxes,values", "x, y, w, h for each class">,
                   Tensor<"imageNumbers", "Boxes", "number of each box's image; the nearest image if the number is out of range", "Integer">,
                   Tensor<"imageSizes", "Images,2", "height, width">];
  let tensorsOut = [Tensor<"transformed", "Boxes,values", "x1, y1, x2, y2 for each class">];
}

def Compass_LimitedNMSOp : NnapiBoxOp<"limited_nms", "LimitedNMS", [
  MethodKey<"HARD", "what happens to boxes that overlap a better one">,
  NumberKey<"score_threshold", "boxes with a lower score are dropped first", [], "Required">,
  IntKey<"max_output_size", "maximum number of boxes to keep per image; negative: all", "-1">,
  NumberKey<"iou_threshold", "overlap (intersection over union) from which two boxes count as the same", ["HARD", "LINEAR"], "Required">,
  NumberKey<"soft_nms_sigma", "GAUSSIAN: width of the decay", ["GAUSSIAN"], "Required">,
  NumberKey<"nms_score_threshold", "boxes whose reduced score is lower are dropped", ["LINEAR", "GAUSSIAN"], "Required">],
  "inferLimitedNMS", "BOX_WITH_NMS_LIMIT"> {
  let floatKernels = !listconcat(["yk_box_groups"], SuppressionSteps, ["yk_limit_groups", "yk_group_rows"]);
  let summary = "non-maximum suppression of each class of each image, and the best boxes of each image";
  let methods = [
    Method<"HARD", "by falling score: a box is dropped if it overlaps a kept one by iou_threshold or more">,
    Method<"LINEAR", "the score of a box is multiplied by 1 - iou for each better box with an iou of iou_threshold or more">,
    Method<"GAUSSIAN", "the score of a box is multiplied by exp(-iou^2 / soft_nms_sigma) for each better box">];
  let formula = "neighbours with the same image number are the boxes of one image; class 0 is left out; each image keeps the max_output_size boxes with the highest scores; ordered by image, class and falling score, in a tie the lower class and box first";
  let tensorsIn = [Tensor<"scores", "Boxes,Classes", "score for each class, background first">,
                   Tensor<"boxes", "Boxes,corners", "x1, y1, x2, y2 for each class">,
                   Tensor<"imageNumbers", "Boxes", "number of each box's image", "Integer">];
  let tensorsOut = [Tensor<"selectedScores", "Rows", "reduced score of each box; unused rows are 0">,
                    Tensor<"selectedBoxes", "Rows,4", "x1, y1, x2, y2">,
                    Tensor<"labels", "Rows", "class of each box", "Integer">,
                    Tensor<"selectedImages", "Rows", "number of each box's image", "Integer">,
                    Tensor<"count", "1", "number of rows in use", "Integer">];
}

def Compass_BoxProposalsOp : NnapiBoxOp<"box_proposals", "BoxProposals", [
  NumberKey<"height_stride", "rows of the image per cell", [], "Required">,
  NumberKey<"width_stride", "columns of the image per cell", [], "Required">,
  IntKey<"pre_nms_topn", "number of boxes with the highest scores to examine; 0 or less: all", "0">,
  IntKey<"post_nms_topn", "number of boxes to keep per image; 0 or less: all", "0">,
  NumberKey<"iou_threshold", "a box that overlaps a better one by this much or more is dropped", [], "Required">,
  NumberKey<"min_size", "boxes with a shorter side are dropped", [], "Required">],
  "inferBoxProposals", "GENERATE_PROPOSALS"> {
  let floatKernels = !listconcat(["yk_box_transform"], SuppressionSteps, ["yk_group_rows"]);
  let summary = "boxes of a region proposal network for several images, after non-maximum suppression";
  let formula = "the anchors of the first cell, moved by each cell's place times the strides, then by deltas as in BoxTransform, and clipped to the image; from the pre_nms_topn best of an image, boxes that are large enough and do not overlap a better one, at most post_nms_topn; ordered by image and falling score, in a tie the first anchor first";
  let tensorsIn = [Tensor<"scores", "N,H,W,Anchors", "one score for each anchor of a cell">,
                   Tensor<"deltas", "N,H,W,values", "x, y, w, h for each anchor of a cell">,
                   Tensor<"anchors", "Anchors,4", "x1, y1, x2, y2 in the first cell">,
                   Tensor<"imageSizes", "N,2", "height, width">];
  let tensorsOut = [Tensor<"selectedScores", "Rows", "score of each box; unused rows are 0">,
                    Tensor<"selectedBoxes", "Rows,4", "x1, y1, x2, y2">,
                    Tensor<"selectedImages", "Rows", "number of each box's image", "Integer">,
                    Tensor<"count", "1", "number of rows in use", "Integer">];
}

def Compass_DetectionPostProcessOp : NnapiBoxOp<"detection_post_process", "DetectionPostProcess", [
  MethodKey<"BEST", "whether classes are suppressed together or separately">,
  FloatListKey<"variance", "divisors of the y, x, h and w deltas">,
  OptIntKey<"max_output_size", "rows of the result", "Both", [], "Required", AtLeastOne>,
  IntKey<"max_classes_per_detection", "BEST: number of rows per box, one for each of its best classes", "1", ["BEST"], AtLeastOne>,
  OptIntKey<"max_detections_per_class", "EACH: maximum number of boxes to keep per class", "Both", ["EACH"], "Required", AtLeastOne>,
  NumberKey<"score_threshold", "lower scores are dropped", [], "Required">,
  NumberKey<"iou_threshold", "a box that overlaps a better one by this much or more is dropped", [], "Required">,
  BoolKey<"with_background", "labels count from the background, which is 0, not from the class after it", "false">],
  "inferDetectionPostProcess", "DETECTION_POSTPROCESSING"> {
  let floatKernels = !listconcat(["yk_box_transform", "yk_copy", "yk_best_class"], SuppressionSteps, ["yk_best_rows"]);
  let summary = "the best boxes of an SSD detector, from scores and deltas";
  let methods = [
    Method<"BEST", "one suppression of all boxes by their greatest score; each kept box has rows for its best classes">,
    Method<"EACH", "a separate suppression for each class; each kept box has one row">];
  let formula = "centre = centre + delta_yx / variance * size, size = size * exp(delta_hw / variance), not clipped; class 0 is the background; the max_output_size kept rows with the highest scores, by falling score, in a tie the lower class and box first";
  let tensorsIn = [Tensor<"scores", "N,Boxes,Classes", "score for each class, background first">,
                   Tensor<"deltas", "N,Boxes,encoding", "y, x, h, w; further values are ignored">,
                   Tensor<"anchors", "Boxes,4", "y and x of the centre, height, width">];
  let tensorsOut = [Counted<"selectedScores", "N,Detections", "score of each box; unused rows are 0", "count">,
                    Counted<"selectedBoxes", "N,Detections,4", "y1, x1, y2, x2", "count">,
                    Counted<"labels", "N,Detections", "class of each row", "count", "Integer">,
                    Tensor<"count", "N", "number of rows in use", "Integer">];
}

def Compass_HeatmapMaxKeypointOp : NnapiBoxOp<"heatmap_max_keypoint", "HeatmapMaxKeypoint", [], "inferHeatmapMaxKeypoint", "HEATMAP_MAX_KEYPOINT"> {
  let floatKernels = ["yk_keypoint"];
  let summary = "the peak of each heatmap of a box, interpolated between cells";
  let formula = "with c the greatest cell (the first in a tie), g and H its gradient and second differences, mirrored at the edges: d = -H^-1 g, shortened until no component exceeds 1.5, or 0 if H is singular; score = c + g d + d H d / 2; keypoint = corner of the box + (cell + 0.5 + d) * side / size";
  let tensorsIn = [Tensor<"heatmaps", "Boxes,Size,Size,Keypoints", "heatmaps of each box">,
                   Tensor<"boxes", "Boxes,4", "x1, y1, x2, y2">];
  let tensorsOut = [Tensor<"scores", "Boxes,Keypoints", "score of each peak">,
                    Tensor<"keypoints", "Boxes,Keypoints,2", "x, y in the image">];
}

#endif // YARROW_DIALECTS_COMPASS_DETECT_NNAPIOPS_TD
