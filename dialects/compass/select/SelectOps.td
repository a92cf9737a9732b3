//===- SelectOps.td - Candidates sorted, filtered and merged --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers that choose among candidates: by score, by overlap, by a selector.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SELECT_SELECTOPS_TD
#define YARROW_DIALECTS_COMPASS_SELECT_SELECTOPS_TD

include "dialects/compass/CompassBase.td"

defvar NmsSteps = ["yk_nms_candidates", "yk_rank_runs", "yk_rank_merge", "yk_nms_emit"];

def Compass_NMSOp : Compass_Op<"nms", "NMS", NmsRule, [
  TensorKey<"gaussian_scale_lut", "2^n entries: mantissa of the decay by overlap, uint16", "Int", "Required", ["GAUSSIAN"]>,
  TensorKey<"gaussian_shift_lut", "2^n entries: exponent of the decay by overlap, uint8", "Int", "Required", ["GAUSSIAN"]>,
  MethodKey<"HARD", "effect on boxes that overlap a better one">,
  IntKey<"center_point_box", "0: corners y1, x1, y2, x2; 1: centre y, x and size h, w", "0", [], [0, 1]>,
  OptIntKey<"image_height", "height of the image", "Both", [], "Expected">, OptIntKey<"image_width", "width of the image", "Both", [], "Expected">,
  NumberKey<"score_threshold", "scores up to this value are dropped; in integer IR at their scale", [], "Required">,
  OptIntKey<"max_output_size", "maximum number of boxes to keep per class", "Both", [], "Required", AtLeastOne>,
  NumberKey<"soft_nms_sigma", "GAUSSIAN: width of the decay", ["GAUSSIAN"], "Required">,
  OptIntKey<"iou_thresh_shift", "right shift of iou_threshold", "Int", [], "Required", ShiftBounds>,
  NumberKey<"iou_threshold", "overlap (intersection over union) above which two boxes count as the same; fixed point in integer IR", [], "Required">,
  OptIntKey<"areas_shift", "right shift of areas", "Int", [], "Required", ShiftBounds>,
  ScalesKey<"scale_value", "multiplier of coordinates">, ShiftsKey<"shift_value", "right shift of coordinates">,
  OptIntKey<"soft_nms_sigma_in_shift", "GAUSSIAN: right shift of the decay's argument", "Int", ["GAUSSIAN"], "Required", ShiftBounds>],
  "inferNMS"> {
  let facts = [DecidingLayer];
  let floatKernels = !listconcat(NmsSteps, ["yk_nms_float"]);
  let intKernels = !listconcat(NmsSteps, ["yk_nms_int"]);
  let resultTypes = "Declared";
  let summary = "non-maximum suppression, class by class";
  let source = "Compass IR 7.3, 4.3.1 NMS";
  let methods = [
    Method<"HARD", "in each class, by falling score: a box is dropped if it overlaps a kept one by more than iou_threshold">,
    Method<"GAUSSIAN", "the score of a box is multiplied by exp(-iou^2 / (2 * soft_nms_sigma)) for each better box; the box is dropped if its score reaches score_threshold or less">,
    Method<"LINEAR", "the score of a box is multiplied by 1 - iou for each better box with an iou above iou_threshold; the box is dropped if its score reaches score_threshold or less">];
  let formula = "at most max_output_size boxes per class, with score > score_threshold; ordered by class";
  let tensorsIn = [Tensor<"boxes", "N,Boxes,4", "ordered by class">, Tensor<"boxesPerClass", "N,Classes", "number of boxes of each class">,
                   Tensor<"classCount", "N,1", "number of classes">, Tensor<"scores", "N,Boxes", "score of each box">];
  let tensorsOut = [Counted<"selectedBoxes", "N,Selected,4", "in the form of the input", "selectedPerClass">, Tensor<"selectedPerClass", "N,Classes", "number of boxes of each class", "Integer">,
                    Counted<"selectedScores", "N,Selected", "score of each box", "selectedPerClass">, Counted<"indices", "N,Selected", "index of each box among the boxes of its class", "selectedPerClass", "Integer">];
  let keyVariants = [KeyVariant<"iou_threshold_shift", "iou_thresh_shift">];
  let resolved = [
    Resolved<"Y1, Y3 and Y4 have the shapes of the inputs in the text, but max_output_size entries in the example",
      "[batch, capacity, 4], [batch, classes], [batch, capacity], [batch, capacity] with the declared capacity; max_output_size counts per class; unused entries are 0">,
    Resolved<"the text has iou_threshold_shift, the example iou_thresh_shift", "iou_thresh_shift is written, both are read">,
    Resolved<"image_width and image_height are called parameters of float IR, but an integer example has them",
      "they are kept, and bring normalised boxes to pixels. The reference uses neither them nor center_point_box in float IR">,
    Resolved<"order and ties within a class, and the layout of X3, are not specified",
      "ordered by class, then by falling score, in a tie the lower index first (Yarrow's choice); indices count from the start of the class; X3 is [batch, 1]">,
    Resolved<"LINEAR has no parameters and no formula; the reference computes HARD instead and warns",
      "linear soft-NMS, with iou_threshold and score_threshold; in integers score = score * (255 - u) / 255, rounded towards zero, with u = 255 * intersection / union">,
    Resolved<"boxes without area or with a NaN, and wrong numbers of boxes, are not addressed",
      "corners can be in any order; a box with a NaN, and a pair of boxes without area, do not overlap; a score of NaN is never greater than a threshold; classes take boxes while there are any, and a negative number counts as 0">,
    Resolved<"the reference always reads the numbers of a box as corners, whatever center_point_box says",
      "as in the definition: y, x, h, w if it is 1; the result keeps this form">];
}

def Compass_PostNMS1Op : Compass_Op<"post_nms1", "PostNMS1", PostNmsRule, [
  IntKey<"image_width", "width of the image", "600", [], AtLeastOne>, IntKey<"image_height", "height of the image", "600", [], AtLeastOne>,
  IntKey<"proposal_cnt", "number of boxes in the result", "100", [], AtLeastOne>,
  ScalesKey<"nor_box_scale_h", "multiplier of normalised y">, ScalesKey<"nor_box_scale_w", "multiplier of normalised x">,
  ShiftsKey<"nor_box_shift_h", "right shift of normalised y">, ShiftsKey<"nor_box_shift_w", "right shift of normalised x">], "inferPostNMS1"> {
  let kernels = ["yk_kept_places", "yk_take", "yk_normalised_boxes"];
  let resultTypes = "Declared";
  let summary = "boxes kept by non-maximum suppression, in pixels and normalised";
  let formula = "box i = boxes[start of its class + keep[i]] for i < proposal_cnt; normalised = box / max(image_height, image_width)";
  let source = "reference parser";
  let tensorsIn = [Tensor<"boxes", "N,Boxes,4", "before the suppression">, Tensor<"keep", "N,kept", "index of each kept box among the boxes of its class", "Integer">,
                   Tensor<"boxesPerClass", "N,Classes", "number of kept boxes of each class", "Integer">];
  let tensorsOut = [Tensor<"kept", "N,Selected,4", "in pixels">, Tensor<"normalised", "N,Selected,4", "in 0..1">];
}

def Compass_FilterBoxesOp : Compass_Op<"filter_boxes", "FilterBoxes", FilterBoxesRule, [
  NumberKey<"score_threshold", "scores up to this value are dropped; -inf: no threshold", [], "Required">,
  FloatListKey<"min_size", "least height and width">, IntKey<"maxnum", "capacity of the result", "5000", [], AtLeastOne>], "inferFilterBoxes"> {
  let facts = [DecidingLayer];
  let kernels = ["yk_large_keys", "yk_choose_counts", "yk_choose_starts", "yk_choose_places", "yk_take", "yk_place_classes"];
  let resultTypes = "Declared";
  let summary = "drops boxes that are small or have a low score";
  let formula = "boxes with score > score_threshold, height >= min_size_0 and width >= min_size_1, in their order; classes without these boxes are left out";
  let source = "reference parser";
  let tensorsIn = [Tensor<"boxes", "N,Boxes,4", "y1, x1, y2, x2, ordered by class">, Tensor<"scores", "N,Boxes", "score of each box">,
                   Tensor<"boxesPerClass", "N,Classes", "number of boxes of each class", "Integer">, Tensor<"labels", "N,Classes", "label of each class", "Integer">,
                   Tensor<"classCount", "N,1", "number of classes", "Integer">];
  let tensorsOut = [Counted<"keptBoxes", "N,Selected,4", "in their order", "keptPerClass">, Counted<"keptScores", "N,Selected", "score of each box", "keptPerClass">,
                    Counted<"keptPerClass", "N,Classes", "number of boxes of each class", "keptClassCount", "Integer">, Counted<"keptLabels", "N,Classes", "label of each class", "keptClassCount", "Integer">,
                    Tensor<"keptClassCount", "N,1", "number of classes", "Integer">];
}

def Compass_RegionFuseOp : Compass_Op<"region_fuse", "RegionFuse", RegionFuseRule, [
  OptIntKey<"class_num", "number of classes", "Both", [], "Required", AtLeastOne>,
  ScalesKey<"score_scale_value", "multipliers of the scores of regions 1 and 2">, ShiftsKey<"score_shift_value", "right shifts of the scores">,
  ScalesKey<"box_scale_value", "multipliers of the boxes of regions 1 and 2">, ShiftsKey<"box_shift_value", "right shifts of the boxes">],
  "inferRegionFuse"> {
  let kernels = ["yk_region_fuse", "yk_fuse_rows"];
  let resultTypes = "Declared";
  let summary = "merges the boxes of two Region layers";
  let formula = "for each class the boxes of region 1, then those of region 2; in integers (x * scale) >> shift brings them to a common scale";
  let source = "Compass IR 7.3, 4.3.1 RegionFuse";
  let tensorsIn = [Tensor<"scores1", "N,Boxes1", "scores of region 1">, Tensor<"scores2", "N,Boxes2", "scores of region 2">,
                   Tensor<"boxes1", "N,Boxes1,4", "boxes of region 1">, Tensor<"boxes2", "N,Boxes2,4", "boxes of region 2">,
                   Tensor<"perClass1", "N,Classes", "number of boxes of each class">, Tensor<"perClass2", "N,Classes", "number of boxes of each class">,
                   Tensor<"labels1", "N,Classes", "label of each class">, Tensor<"labels2", "N,Classes", "label of each class">,
                   Tensor<"classCount1", "N,1", "number of classes">, Tensor<"classCount2", "N,1", "number of classes">];
  let tensorsOut = [Counted<"scores", "N,Selected", "scores of both regions", "perClass">, Counted<"boxes", "N,Selected,4", "boxes of both regions", "perClass">,
                    Counted<"perClass", "N,Classes", "number of boxes of each class", "classCount">, Counted<"labels", "N,Classes", "label of each class", "classCount">,
                    Tensor<"classCount", "N,1", "number of classes">];
  let resolved = [
    Resolved<"X9 and X10 are [batch, class_num] in the text, but [1,1] in the example; there are five outputs, but four types",
      "[batch, 1]; all five outputs have a type, as the reference tools write them">,
    Resolved<"the order within a class, and the capacity, are not specified",
      "for each class the boxes of region 1, then those of region 2; the capacity is the declared length; each value is rescaled with a shift that rounds down">,
    Resolved<"the example's list of input shapes is garbled", "four shapes are [1,90], two are [1,1]">];
}

def Compass_FilterOp : Compass_Op<"filter", "Filter", FilterRule, [
  OptIntKey<"num", "number of tensors to filter", "Both", [], "Required", AtLeastOne>,
  IntKey<"axis", "axis along which slices are kept or dropped", "0">], "inferFilter"> {
  let resultTypes = "Declared";
  let summary = "moves the slices that a selector chooses to the front";
  let formula = "output = the slices of the input along axis whose selector is not 0, in their order, then zeros; the last output is the number of these slices";
  let source = "Compass IR 7.3, 4.3.1 Filter";
  let kernels = ["yk_compress", "yk_non_zero"];
  let tensorsIn = [ManyTensors<"data", "...", "num tensors, then the selector: one integer for each slice">];
  let tensorsOut = [CountedTensors<"filtered", "...", "num tensors with the shapes of the inputs, then the number of kept slices: [1]">];
  let resolved = [
    Resolved<"the scalar output has an empty shape in the text, but [1] in the example", "[1] is written, both are read">,
    Resolved<"the values after the kept slices are not specified", "0; in integers the stored integer 0, as in the reference">];
}

def Compass_GetValidCountOp : Compass_Op<"get_valid_count", "GetValidCount", ValidCountRule, [
  NumberKey<"score_threshold", "scores up to this value are dropped">,
  IntKey<"score_index", "column of the score", "0", [], [-1, 65535]>, IntKey<"id_index", "column of the class; -1: no class", "-1", [], [-1, 65535]>,
  OptIntKey<"score_threshold_value", "score_threshold at the scale of the scores", "Int">], "inferGetValidCount"> {
  let facts = [DecidingLayer];
  let kernels = ["yk_valid_keys", "yk_choose_counts", "yk_choose_starts", "yk_choose_places", "yk_take", "yk_place_numbers"];
  let resultTypes = "Declared";
  let summary = "moves the valid boxes to the front";
  let formula = "rows with score > score_threshold and, if id_index >= 0, class >= 0, in their order, then rows of -1; the indices likewise";
  let source = "Compass IR 7.3, 4.3.1 GetValidCounts";
  let spellings = ["GetValidCounts"];
  let tensorsIn = [Tensor<"rows", "N,Boxes,Values", "class, score and box, 5 or 6 values">];
  let tensorsOut = [Tensor<"count", "N", "number of valid rows">, Counted<"valid", "N,Boxes,Values", "the rows, valid ones first", "count">,
                    Counted<"indices", "N,Boxes", "original index of each row", "count">];
  let resolved = [
    Resolved<"the section is called GetValidCounts, but the example's layer_type is GetValidCount", "GetValidCount is written, as in the reference tools; both are read">,
    Resolved<"the values of the remaining rows are not specified", "-1 in rows and indices, as a stored integer">,
    Resolved<"the comparison (> or >=) is not specified, and for integer IR the text has score_threshold with score_threshold_type",
      "score > score_threshold, as in MultiboxTransformLoc; in integer IR the reference writes score_threshold_value; both keys are read">];
}

def Compass_TopKOp : Compass_Op<"top_k", "TopK", PassRule, [
  IntKey<"axis", "axis that is searched", "-1">, OptIntKey<"k", "number of elements to keep", "Both", [], "Required", [1, 0x7fffffff]>,
  BoolKey<"sorted", "true: the elements are sorted", "true">, BoolKey<"largest", "true: the largest elements; false: the smallest", "true">,
  WordKey<"select_index", "which of several equal elements is taken", "last", ["first", "last", "random"], [], "Expected">], "inferTopK"> {
  let facts = [DecidingLayer];
  let kernels = ["yk_top_k"];
  let resultTypes = "Declared";
  let summary = "the k largest or smallest elements and their indices";
  let formula = "values = the first k elements along axis, sorted by falling (largest) or rising value; indices = their original indices";
  let source = "Compass IR 7.3, 4.3.1 TopK";
  let tensorsIn = [Tensor<"x", "...", "values to search">];
  let tensorsOut = [Tensor<"values", "...", "axis of length k">, Tensor<"indices", "...", "axis of length k", "Integer">];
  let resolved = [
    Resolved<"the shape of the indices is misprinted", "indices have the shape of the values">,
    Resolved<"the default tie order, last, differs from that of ONNX and TensorFlow",
      "as printed: last, if absent; first takes the lower index of equal elements, last the higher. The reference always writes the key">];
}

def Compass_InTopKOp : Compass_Op<"in_top_k", "InTopK", TruthRule, [
  OptIntKey<"k", "number of best classes", "Both", [], "Required", [1, 0x7fffffff]>], "inferInTopK"> {
  let facts = [DecidingLayer];
  let kernels = ["yk_in_top_k"];
  let resultTypes = "Given";
  let summary = "whether a target is among the k best classes";
  let formula = "1 if fewer than k classes have a greater prediction than the target, else 0";
  let source = "Compass IR 7.3, 4.3.1 InTopK";
  let tensorsIn = [Tensor<"predictions", "N,Classes", "one value per class">, Tensor<"targets", "N", "class of each row", "Integer">];
  let tensorsOut = [Tensor<"hits", "N", "0 or 1", "Integer">];
  let resolved = [
    Resolved<"the example has ties, but no k", "a tie is a hit if fewer than k classes are strictly greater, as in TensorFlow">,
    Resolved<"the output is bool in the text, but uint16 in the example", "0 or 1 in the declared type">,
    Resolved<"the name of the key is garbled", "k">];
}

def Compass_AccidentalHitsOp : Compass_Op<"accidental_hits", "AccidentalHits", AccidentalHitsRule, [], "inferAccidentalHits"> {
  let resultTypes = "Declared";
  let summary = "the sampled candidates that are true classes";
  let formula = "for each true_classes[r, j] = candidates[p], row by row: indices = r, ids = p; then zeros";
  let source = "Compass IR 7.3, 4.3.1 AccidentalHits";
  let intKernels = ["yk_accidental_hits"];
  let tensorsIn = [Tensor<"true_classes", "Rows,trues", "ids of each row", "Integer">, Tensor<"candidates", "Samples", "different ids", "Integer">];
  let tensorsOut = [Counted<"indices", "Hits", "row of each hit", "effective_len", "Integer">, Counted<"ids", "Hits", "candidate of each hit", "effective_len", "Integer">,
                    Tensor<"effective_len", "1", "number of hits", "Integer">];
  let resolved = [
    Resolved<"the capacity is 32768 in the text, but the number of true classes in the example", "it is the declared length; hits beyond it are dropped">,
    Resolved<"the values after the hits are not specified", "zeros, as in the reference packs">];
}

def Compass_CTCGreedyDecoderOp : Compass_Op<"ctc_greedy_decoder", "CTCGreedyDecoder", GreedyDecoderRule, [
  BoolKey<"merge_repeated", "true: equal consecutive classes count once", "true">], "inferCTCGreedyDecoder"> {
  let facts = [DecidingLayer];
  let resultTypes = "Declared";
  let summary = "best path through the scores of a CTC network";
  let formula = "arg max of each step below seq_len; equal neighbours merged; blanks (the last class) dropped; then the largest value of the output's type";
  let source = "Compass IR 7.3, 4.3.1 CTCGreedyDecoder";
  let kernels = ["yk_arg_min_max", "yk_ctc_merge"];
  let tensorsIn = [Tensor<"scores", "N,Steps,Classes", "the last class is the blank">, Tensor<"seq_len", "N", "number of steps of each row", "Integer">];
  let tensorsOut = [Tensor<"decoded", "N,length,1,1", "classes", "Integer">];
  let keyVariants = [KeyVariant<"mege_repeated", "merge_repeated">];
  let resolved = [
    Resolved<"the shape of the output, and the padding, are not specified", "[batch, length, 1, 1] as declared; padding is the largest value of the output's type">,
    Resolved<"the blank is not mentioned", "the last class">,
    Resolved<"the meaning of a length outside 1..steps is not specified", "all steps; classes beyond the capacity are lost">,
    Resolved<"only the example has the order of the axes", "[batch, steps, classes]">,
    Resolved<"the key is once spelled mege_repeated", "merge_repeated is written, both are read; true if absent">];
}

def Compass_MultinomialOp : Compass_Op<"multinomial", "Multinomial", DetectionRule, [
  OptIntKey<"num_samples", "number of choices per row", "Both", [], "Required", [1, 0x7fffffff]>], "inferMultinomial"> {
  let facts = [DecidingLayer];
  let computedIn = "Float";
  let floatKernels = ["yk_multinomial"];
  let resultTypes = "Declared";
  let summary = "random choices among classes, with given weights";
  let formula = "the first class up to which the weights add up to more than u times their sum; u in [0, 1) has 53 bits of Philox4x32-10, with the seeds as key and the numbers of sample and row as counter; sums are double";
  let source = "NNAPI, RANDOM_MULTINOMIAL, after Softmax";
  let extension = "nnapi_layers";
  let tensorsIn = [Tensor<"weights", "N,Classes", "not negative">,
                   Tensor<"seeds", "2", "equal seeds give equal choices", "Integer">];
  let tensorsOut = [Tensor<"choices", "N,samples", "numbers of classes", "Integer">];
  let resolved = [
    Resolved<"the generator is not specified", "Philox4x32-10: any number of TECs draws the same samples">,
    Resolved<"seeds of 0 mean random seeds", "0 is a seed like any other: a network gives the same results in every run; for other results, pass other seeds">];
}

#endif // YARROW_DIALECTS_COMPASS_SELECT_SELECTOPS_TD
