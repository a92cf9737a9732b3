//===- KernelNamesTest.cpp - The kernels that records name ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A record names the kernels that its operator's programs call, for those who
// have no layer to ask. Here programs are built of every layer of the
// repository's packs, and what they call is compared with what is named.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "kernels/registry/Registry.h"
#include "mlir/Parser/Parser.h"
#include "test/conformance/Stages.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <map>

using namespace yarrow;
using namespace yarrow::compass;
using namespace yarrow::conformance;

namespace {

using Names = std::set<std::string>;
/// By operator and IR: "compass.pooling in integer IR".
using NamesOf = std::map<std::string, Names>;

std::string placeOf(const OperatorRecord &record, bool integer) {
  return record.opName.str() + (integer ? " in integer IR" : " in float IR");
}

void collect(mlir::ModuleOp module, NamesOf &called) {
  module.walk([&](CompassOp layer) {
    if (layer->hasTrait<trait::Source>())
      return;
    auto program = programOf(layer);
    ASSERT_TRUE(mlir::succeeded(program));
    Names &names = called[placeOf(*recordOf(layer), isIntegerLayer(layer))];
    for (const KernelCall &call : program->calls())
      names.insert(call.symbol().str());
  });
}

/// Operators and forms that no pack has. TABLE is a look-up table, ROOTS that
/// of inverse square roots, ONES are weights.
const char *const kOtherForms = R"(
  !q = !quant.uniform<i8:f32, 5.000000e-02>
  !cell = !quant.uniform<i16:f32, 3.0517578125e-05>
  func.func @main() {
    %x = compass.input() : () -> tensor<1x4xf32>
    %0 = compass.quantize(%x) : (tensor<1x4xf32>) -> tensor<1x4x!q>
    %1 = compass.dequantize(%0) : (tensor<1x4x!q>) -> tensor<1x4xf32>
    %whole = compass.input() {input_index = 1 : i64} : () -> tensor<1x4xi8>
    %quotient = compass.div(%whole, %whole) : (tensor<1x4xi8>, tensor<1x4xi8>) -> tensor<1x4xi8>
    %both:2 = compass.div_mod(%whole, %whole) : (tensor<1x4xi8>, tensor<1x4xi8>) -> (tensor<1x4xi8>, tensor<1x4xi8>)
    %nan = compass.is_nan(%x) : (tensor<1x4xf32>) -> tensor<1x4xui8>
    %nanInt = compass.is_nan(%0) : (tensor<1x4x!q>) -> tensor<1x4xui8>
    %inf = compass.is_inf(%x) : (tensor<1x4xf32>) -> tensor<1x4xui8>
    %infInt = compass.is_inf(%0) : (tensor<1x4x!q>) -> tensor<1x4xui8>
    %grid = compass.fake_quant_with_min_max_vars(%x) {max = 1.0 : f64, min = -1.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %gridInt = compass.fake_quant_with_min_max_vars(%0) {max = 1.0 : f64, min = -1.0 : f64} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %bins = compass.count(%x) {max = 1.0 : f64, min = 0.0 : f64, nbins = 4 : i64} : (tensor<1x4xf32>) -> tensor<1x4xi32>
    %2 = compass.pow(%x) {exponent = 3.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %3 = compass.softmax(%0) {quantize_method = "FAST_EXP", input_scale_value = 5363 : i64, input_shift_value = 17 : i64, pow2_out_q = 27 : i64, adjust_q = 0 : i64} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %three = compass.softmax(%0) {quantize_method = "FAST_EXP", input_scale_value = 5363 : i64, input_shift_value = 17 : i64, pow2_out_q = 27 : i64, adjust_q = 8 : i64, pow2_lut = UNSIGNED, log2_lut = SHORTS} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %4 = compass.atan(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %5 = compass.atan(%0) {lut = TABLE} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %6 = compass.atanh(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %7 = compass.atanh(%0) {lut = TABLE} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %n = compass.input() {input_index = 2 : i64} : () -> tensor<1xi8>
    %8 = compass.if(%n, %x, %x) {then_branch = @all, else_branch = @half, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi8>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %9 = compass.if(%n, %n, %n) {then_branch = @two, else_branch = @one, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
    %10:2 = compass.loop(%n, %n, %x) {body = @step, dependency_inputs_num = 1 : i64, scan_outputs_num = 1 : i64, loop_default_count = 2 : i64} : (tensor<1xi8>, tensor<1xi8>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<2x4xf32>)
    %11:2 = compass.loop(%n, %n, %n) {body = @count, dependency_inputs_num = 1 : i64, scan_outputs_num = 1 : i64, loop_default_count = 2 : i64} : (tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> (tensor<1xi8>, tensor<2x1xi8>)
    %b = compass.input() {input_index = 3 : i64} : () -> tensor<1x2x1xf32>
    %p = compass.input() {input_index = 4 : i64} : () -> tensor<1x2x1x!q>
    %s = compass.input() {input_index = 5 : i64} : () -> tensor<4xf32>
    %two = compass.constant() {weights = dense<"0x02000000"> : tensor<1xi32>} : () -> tensor<1xi32>
    %12 = compass.batch_to_space_nd(%b) {block_size = array<i64: 1>} : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
    %13 = compass.batch_to_space_nd(%p) {block_size = array<i64: 1>} : (tensor<1x2x1x!q>) -> tensor<1x2x1x!q>
    %14 = compass.repeat(%b, %two) {axis = 1 : i64} : (tensor<1x2x1xf32>, tensor<1xi32>) -> tensor<1x4x1xf32>
    %15 = compass.repeat(%p, %two) {axis = 1 : i64} : (tensor<1x2x1x!q>, tensor<1xi32>) -> tensor<1x4x1x!q>
    %16 = compass.reverse_sequence(%b, %two) {batch_axis = 0 : i64, time_axis = 1 : i64} : (tensor<1x2x1xf32>, tensor<1xi32>) -> tensor<1x2x1xf32>
    %17 = compass.reverse_sequence(%p, %two) {batch_axis = 0 : i64, time_axis = 1 : i64} : (tensor<1x2x1x!q>, tensor<1xi32>) -> tensor<1x2x1x!q>
    %18 = compass.overlap_add(%b) {frame_step = 1 : i64} : (tensor<1x2x1xf32>) -> tensor<1x2xf32>
    %19 = compass.overlap_add(%p) {frame_step = 1 : i64, scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x2x1x!q>) -> tensor<1x2x!q>
    %20 = compass.col2im(%b, %two, %two) : (tensor<1x2x1xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x1x2xf32>
    %21 = compass.col2im(%p, %two, %two) {scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x2x1x!q>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x1x2x!q>
    %22 = compass.meshgrid(%s) {indexing = "ij"} : (tensor<4xf32>) -> tensor<4xf32>
    %23:2 = compass.non_zero(%x) : (tensor<1x4xf32>) -> (tensor<2x4xi32>, tensor<1xi32>)
    %24:2 = compass.non_zero(%n) : (tensor<1xi8>) -> (tensor<1x1xi32>, tensor<1xi32>)
    %25:4 = compass.unique(%x) : (tensor<1x4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
    %26:4 = compass.unique(%n) : (tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
    %27 = compass.shape(%x) : (tensor<1x4xf32>) -> tensor<2xi32>
    %28 = compass.shape(%n) : (tensor<1xi8>) -> tensor<1xi32>
    %29 = compass.constant_of_shape(%27) {value = 0.5 : f64} : (tensor<2xi32>) -> tensor<1x4xf32>
    %30 = compass.constant_of_shape(%28) {value = 7.0 : f64} : (tensor<1xi32>) -> tensor<1xi8>
    %31:3 = compass.layer_norm(%x) {axis = array<i64: 1>, weights = RAMP, biases = RAMP} : (tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
    %32 = compass.rms_norm(%x) {axis = array<i64: 1>} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %33 = compass.rms_norm(%0) {axis = array<i64: 1>, lut = ROOTS, norm_scale_value = 1 : i64, norm_shift_value = 0 : i64, scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %34 = compass.log_softmax(%0) {lut_exp = TABLE, lut_log = TABLE, scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %35 = compass.input() {input_index = 6 : i64} : () -> tensor<1x2x3x4xf32>
    %36 = compass.input() {input_index = 7 : i64} : () -> tensor<3x2xf32>
    %37 = compass.rotary_embedding(%35, %36, %36) : (tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x4xf32>
    %38 = compass.input() {input_index = 8 : i64} : () -> tensor<1x2x3x4x!q>
    %39 = compass.input() {input_index = 9 : i64} : () -> tensor<3x2x!q>
    %40 = compass.rotary_embedding(%38, %39, %39) {rotate_rescale_cos = array<f64: 0.05>, rotate_rescale_sin = array<f64: 0.05>, not_rotate_rescale = array<f64: 1.0>} : (tensor<1x2x3x4x!q>, tensor<3x2x!q>, tensor<3x2x!q>) -> tensor<1x2x3x4x!q>
    %41 = compass.input() {input_index = 10 : i64} : () -> tensor<1x2x3x4xf32>
    %42 = compass.input() {input_index = 11 : i64} : () -> tensor<3xi32>
    %43 = compass.slot_update(%41, %42, %42) : (tensor<1x2x3x4xf32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x3x4xf32>
    %44 = compass.quantize(%41) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4x!q>
    %45 = compass.slot_update(%44, %42, %42) {scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x2x3x4x!q>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x3x4x!q>
    %pool = compass.input() {input_index = 12 : i64} : () -> tensor<1x5x4x2x!q>
    %pool_f = compass.dequantize(%pool) : (tensor<1x5x4x2x!q>) -> tensor<1x5x4x2xf32>
    %even = compass.adaptive_pool(%pool) {method = "MAX", output_size = array<i64: 1, 2>} : (tensor<1x5x4x2x!q>) -> tensor<1x1x2x2x!q>
    %uneven = compass.adaptive_pool(%pool) {output_size = array<i64: 3, 2>} : (tensor<1x5x4x2x!q>) -> tensor<1x3x2x2x!q>
    %even_f = compass.adaptive_pool(%pool_f) {output_size = array<i64: 1, 2>} : (tensor<1x5x4x2xf32>) -> tensor<1x1x2x2xf32>
    %uneven_f = compass.adaptive_pool(%pool_f) {output_size = array<i64: 3, 2>} : (tensor<1x5x4x2xf32>) -> tensor<1x3x2x2xf32>
    %negative = compass.gemm(%0, %0) {trans_b = true, alpha = -1.0 : f64, scale_value = array<i64: 3>, shift_value = array<i64: 5>} : (tensor<1x4x!q>, tensor<1x4x!q>) -> tensor<1x1x!q>
    %m = compass.input() {input_index = 13 : i64} : () -> tensor<2x2xi8>
    %sums = compass.matmul_integer(%m, %m) : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
    %img = compass.input() {input_index = 14 : i64} : () -> tensor<1x4x4x2xi8>
    %windows = compass.conv_integer(%img) {weights = dense<[[[[1, 2]]], [[[3, 4]]]]> : tensor<2x1x1x2xi8>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
    %fc = compass.fully_connected(%x) {weights = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>, biases = dense<[1.0]> : tensor<1xf32>} : (tensor<1x4xf32>) -> tensor<1x2xf32>
    %clipped = compass.batch_norm(%x) {weights = RAMP, biases = RAMP, with_activation = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %box = compass.input() {input_index = 15 : i64} : () -> tensor<1x600x4xf32>
    %score = compass.input() {input_index = 16 : i64} : () -> tensor<1x600xf32>
    %num = compass.input() {input_index = 17 : i64} : () -> tensor<1x1xi32>
    %keep = compass.input() {input_index = 18 : i64} : () -> tensor<1x5xi32>
    %box_q = compass.quantize(%box) : (tensor<1x600x4xf32>) -> tensor<1x600x4x!q>
    %score_q = compass.quantize(%score) : (tensor<1x600xf32>) -> tensor<1x600x!q>
    %nms:4 = compass.nms(%box, %num, %num, %score) {max_output_size = 5 : i64, score_threshold = 1.0 : f64, iou_threshold = 1.0 : f64} : (tensor<1x600x4xf32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x600xf32>) -> (tensor<1x5x4xf32>, tensor<1x1xi32>, tensor<1x5xf32>, tensor<1x5xi32>)
    %nms_q:4 = compass.nms(%box_q, %num, %num, %score_q) {max_output_size = 5 : i64, score_threshold = 1.0 : f64, iou_threshold = 1.0 : f64, areas_shift = 0 : i64, iou_thresh_shift = 8 : i64, scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x600x4x!q>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x600x!q>) -> (tensor<1x5x4x!q>, tensor<1x1xi32>, tensor<1x5x!q>, tensor<1x5xi32>)
    %filter:5 = compass.filter_boxes(%box, %score, %num, %num, %num) {score_threshold = 1.0 : f64, min_size = array<f64: 1.0, 1.0>, maxnum = 5 : i64} : (tensor<1x600x4xf32>, tensor<1x600xf32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>) -> (tensor<1x5x4xf32>, tensor<1x5xf32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>)
    %filter_q:5 = compass.filter_boxes(%box_q, %score_q, %num, %num, %num) {score_threshold = 1.0 : f64, min_size = array<f64: 1.0, 1.0>, maxnum = 5 : i64} : (tensor<1x600x4x!q>, tensor<1x600x!q>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>) -> (tensor<1x5x4x!q>, tensor<1x5x!q>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>)
    %post:2 = compass.post_nms1(%box, %keep, %num) {proposal_cnt = 5 : i64} : (tensor<1x600x4xf32>, tensor<1x5xi32>, tensor<1x1xi32>) -> (tensor<1x5x4xf32>, tensor<1x5x4xf32>)
    %post_q:2 = compass.post_nms1(%box_q, %keep, %num) {proposal_cnt = 5 : i64, nor_box_scale_h = array<i64: 3>, nor_box_scale_w = array<i64: 3>, nor_box_shift_h = array<i64: 10>, nor_box_shift_w = array<i64: 10>} : (tensor<1x600x4x!q>, tensor<1x5xi32>, tensor<1x1xi32>) -> (tensor<1x5x4x!q>, tensor<1x5x4x!q>)
    %pair = compass.input() {input_index = 19 : i64} : () -> tensor<1x4x2xf32>
    %delta = compass.input() {input_index = 20 : i64} : () -> tensor<1x4x4xf32>
    %deltas = compass.input() {input_index = 21 : i64} : () -> tensor<1x4x2x4xf32>
    %pair_q = compass.quantize(%pair) : (tensor<1x4x2xf32>) -> tensor<1x4x2x!q>
    %delta_q = compass.quantize(%delta) : (tensor<1x4x4xf32>) -> tensor<1x4x4x!q>
    %deltas_q = compass.quantize(%deltas) : (tensor<1x4x2x4xf32>) -> tensor<1x4x2x4x!q>
    %proposal:4 = compass.proposal(%pair, %delta) {xcenter = RAMP, ycenter = RAMP, ha = RAMP, wa = RAMP, width = 9 : i64, height = 9 : i64, score_threshold = 1.0 : f64} : (tensor<1x4x2xf32>, tensor<1x4x4xf32>) -> (tensor<1x3xf32>, tensor<1x3x4xf32>, tensor<1x1xi32>, tensor<1x1xi32>)
    %proposal_q:4 = compass.proposal(%pair_q, %delta_q) {xcenter = FOUR, ycenter = FOUR, ha = FOUR, wa = FOUR, ty_lut = TABLE, tx_lut = TABLE, th_lut = TABLE, tw_lut = TABLE, width = 9 : i64, height = 9 : i64, score_threshold_value = 1 : i64, box_shift_value = 3 : i64} : (tensor<1x4x2x!q>, tensor<1x4x4x!q>) -> (tensor<1x3x!q>, tensor<1x3x4x!q>, tensor<1x1xi32>, tensor<1x1xi32>)
    %detected:5 = compass.detection_output(%pair, %deltas, %delta) {image_width = 9 : i64, image_height = 9 : i64, score_threshold = 1.0 : f64, variance = array<f64: 10.0, 10.0, 5.0, 5.0>} : (tensor<1x4x2xf32>, tensor<1x4x2x4xf32>, tensor<1x4x4xf32>) -> (tensor<1x3xf32>, tensor<1x3x4xf32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x1xi32>)
    %detected_q:5 = compass.detection_output(%pair_q, %deltas_q, %delta_q) {width = 9 : i64, height = 9 : i64, score_threshold_value = 1 : i64, box_scale_value = array<i64: 3, 3, 3>, box_shift_value = array<i64: 9, 9, 9>, delta_shift = array<i64: 2, 2>, ty_lut = SHORTS, tx_lut = SHORTS, th_lut = SHORTS, tw_lut = SHORTS} : (tensor<1x4x2x!q>, tensor<1x4x2x4x!q>, tensor<1x4x4x!q>) -> (tensor<1x3x!q>, tensor<1x3x4x!q>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x1xi32>)
    %cells = compass.input() {input_index = 22 : i64} : () -> tensor<1x2x2x150xf32>
    %moves = compass.input() {input_index = 23 : i64} : () -> tensor<1x2x2x600xf32>
    %cells_q = compass.quantize(%cells) : (tensor<1x2x2x150xf32>) -> tensor<1x2x2x150x!q>
    %moves_q = compass.quantize(%moves) : (tensor<1x2x2x600xf32>) -> tensor<1x2x2x600x!q>
    %rpn:4 = compass.generate_proposals(%cells, %moves, %num) {weights = ANCHORS, post_nms_topn = 5 : i64, iou_threshold = 1.0 : f64} : (tensor<1x2x2x150xf32>, tensor<1x2x2x600xf32>, tensor<1x1xi32>) -> (tensor<1x5xf32>, tensor<1x5x4xf32>, tensor<1x5x1xi32>, tensor<1x1xi32>)
    %rpn_q:4 = compass.generate_proposals(%cells_q, %moves_q, %num) {weights = ANCHORS, wa_q = PLANE, ha_q = PLANE, xcenter_a_q = PLANE, ycenter_a_q = PLANE, xy_lut = TABLE, wh_lut = TABLE, anchor_scale = 1 : i64, delta_shift = 3 : i64, post_nms_topn = 5 : i64, iou_threshold = 1.0 : f64} : (tensor<1x2x2x150x!q>, tensor<1x2x2x600x!q>, tensor<1x1xi32>) -> (tensor<1x5x!q>, tensor<1x5x4x!q>, tensor<1x5x1xi32>, tensor<1x1xi32>)
    %theta = compass.input() {input_index = 24 : i64} : () -> tensor<1x2x3xf32>
    %lengths = compass.input() {input_index = 25 : i64} : () -> tensor<4xi32>
    %grid0 = compass.affine_grid(%theta, %lengths) : (tensor<1x2x3xf32>, tensor<4xi32>) -> tensor<1x2x2x2xf32>
    %theta_q = compass.quantize(%theta) : (tensor<1x2x3xf32>) -> tensor<1x2x3x!q>
    %grid1 = compass.affine_grid(%theta_q, %lengths) {multiplier_bits = 8 : i64, scale_value = array<i64: 1>, shift_value = array<i64: 0>, w_lut = dense<[-128, 128]> : tensor<2xi16>, h_lut = dense<[-128, 128]> : tensor<2xi16>} : (tensor<1x2x3x!q>, tensor<4xi32>) -> tensor<1x2x2x2x!q>
    %queries = compass.input() {input_index = 26 : i64} : () -> tensor<1x5x4xf32>
    %queries_q = compass.quantize(%queries) : (tensor<1x5x4xf32>) -> tensor<1x5x4x!q>
    %seen = compass.input() {input_index = 27 : i64} : () -> tensor<2xi32>
    %packed = compass.query_rebatch(%queries, %seen) : (tensor<1x5x4xf32>, tensor<2xi32>) -> tensor<1x1x3x4xf32>
    %packed_q = compass.query_rebatch(%queries_q, %seen) : (tensor<1x5x4x!q>, tensor<2xi32>) -> tensor<1x1x3x4x!q>
    %boxes = compass.input() {input_index = 28 : i64} : () -> tensor<1x3x4xf32>
    %map = compass.input() {input_index = 29 : i64} : () -> tensor<1x4x4x2xf32>
    %aligned = compass.pyramid_roi_align(%boxes, %map, %map, %map, %map) {resize_width = 2 : i64, resize_height = 2 : i64, image_width = 32 : i64, image_height = 32 : i64, spatial_scale_value = [0.25, 0.125, 0.0625, 0.03125], sample = array<i64: 2, 2>, proposal_normalized = false} : (tensor<1x3x4xf32>, tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<3x2x2x2xf32>
    %boxes_q = compass.quantize(%boxes) : (tensor<1x3x4xf32>) -> tensor<1x3x4x!q>
    %map_q = compass.quantize(%map) : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2x!q>
    %aligned_q = compass.pyramid_roi_align(%boxes_q, %map_q, %map_q, %map_q, %map_q) {resize_width = 2 : i64, resize_height = 2 : i64, image_width = 32 : i64, image_height = 32 : i64, spatial_scale_value = [0.25, 0.125, 0.0625, 0.03125], sample = array<i64: 2, 2>, box_input_qvalue = 15 : i64} : (tensor<1x3x4x!q>, tensor<1x4x4x2x!q>, tensor<1x4x4x2x!q>, tensor<1x4x4x2x!q>, tensor<1x4x4x2x!q>) -> tensor<3x2x2x2x!q>
    %listed = compass.input() {input_index = 30 : i64} : () -> tensor<20x4xf32>
    %moved_by = compass.input() {input_index = 31 : i64} : () -> tensor<20x12xf32>
    %image_of = compass.input() {input_index = 32 : i64} : () -> tensor<20xi32>
    %sizes = compass.input() {input_index = 33 : i64} : () -> tensor<2x2xf32>
    %score_of = compass.input() {input_index = 34 : i64} : () -> tensor<20x3xf32>
    %transformed = compass.box_transform(%listed, %moved_by, %image_of, %sizes) : (tensor<20x4xf32>, tensor<20x12xf32>, tensor<20xi32>, tensor<2x2xf32>) -> tensor<20x12xf32>
    %limited:5 = compass.limited_nms(%score_of, %transformed, %image_of) {score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<20x3xf32>, tensor<20x12xf32>, tensor<20xi32>) -> (tensor<40xf32>, tensor<40x4xf32>, tensor<40xi32>, tensor<40xi32>, tensor<1xi32>)
    %rpn_scores = compass.input() {input_index = 35 : i64} : () -> tensor<2x3x3x2xf32>
    %rpn_deltas = compass.input() {input_index = 36 : i64} : () -> tensor<2x3x3x8xf32>
    %rpn_anchors = compass.input() {input_index = 37 : i64} : () -> tensor<2x4xf32>
    %proposed:4 = compass.box_proposals(%rpn_scores, %rpn_deltas, %rpn_anchors, %sizes) {height_stride = 8.0 : f64, width_stride = 8.0 : f64, iou_threshold = 0.5 : f64, min_size = 1.0 : f64} : (tensor<2x3x3x2xf32>, tensor<2x3x3x8xf32>, tensor<2x4xf32>, tensor<2x2xf32>) -> (tensor<36xf32>, tensor<36x4xf32>, tensor<36xi32>, tensor<1xi32>)
    %ssd_scores = compass.input() {input_index = 38 : i64} : () -> tensor<1x20x3xf32>
    %ssd_deltas = compass.input() {input_index = 39 : i64} : () -> tensor<1x20x4xf32>
    %best:4 = compass.detection_post_process(%ssd_scores, %ssd_deltas, %listed) {variance = array<f64: 10.0, 10.0, 5.0, 5.0>, max_output_size = 5 : i64, score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<1x20x3xf32>, tensor<1x20x4xf32>, tensor<20x4xf32>) -> (tensor<1x5xf32>, tensor<1x5x4xf32>, tensor<1x5xi32>, tensor<1xi32>)
    %each:4 = compass.detection_post_process(%ssd_scores, %ssd_deltas, %listed) {method = "EACH", max_detections_per_class = 4 : i64, variance = array<f64: 10.0, 10.0, 5.0, 5.0>, max_output_size = 5 : i64, score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<1x20x3xf32>, tensor<1x20x4xf32>, tensor<20x4xf32>) -> (tensor<1x5xf32>, tensor<1x5x4xf32>, tensor<1x5xi32>, tensor<1xi32>)
    %heat = compass.input() {input_index = 40 : i64} : () -> tensor<20x4x4x3xf32>
    %peaks:2 = compass.heatmap_max_keypoint(%heat, %listed) : (tensor<20x4x4x3xf32>, tensor<20x4xf32>) -> (tensor<20x3xf32>, tensor<20x3x2xf32>)
    %bits = compass.lsh_projection(%sizes, %image_of) : (tensor<2x2xf32>, tensor<20xi32>) -> tensor<4xi32>
    %seeds = compass.input() {input_index = 41 : i64} : () -> tensor<2xi32>
    %drawn = compass.multinomial(%x, %seeds) {num_samples = 3 : i64} : (tensor<1x4xf32>, tensor<2xi32>) -> tensor<1x3xi32>
    %slides = compass.constant() {weights = dense<[[0, 1, 2], [1, 2, 3]]> : tensor<2x3xi32>} : () -> tensor<2x3xi32>
    %causal = compass.constant() {weights = dense<[[1, 0, 1, 1]]> : tensor<1x4xui8>} : () -> tensor<1x4xui8>
    %lowest = compass.constant() {weights = dense<-128> : tensor<1xi8>} : () -> tensor<1x!q>
    %cell_before = compass.input() {input_index = 42 : i64} : () -> tensor<1x4x!cell>
    %matrix = compass.input() {input_index = 43 : i64} : () -> tensor<4x4x!q>
    %offsets = compass.input() {input_index = 44 : i64} : () -> tensor<4xi32>
    %next:2 = compass.stored_lstm(%0, %0, %cell_before, %matrix, %matrix, %offsets, %matrix, %matrix, %offsets, %matrix, %matrix, %offsets, %matrix) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias", "output_x", "output_h", "output_bias", "projection"], gate_steps = array<f64: 0.01, 0.01, 0.01, 0.01>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<1x4x!q>, tensor<1x4x!q>, tensor<1x4x!cell>, tensor<4x4x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x4x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x4x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x4x!q>) -> (tensor<1x4x!q>, tensor<1x4x!cell>)
    %windows_f = compass.gather(%x, %slides) {axis = 1 : i64, batch_dims = 0 : i64} : (tensor<1x4xf32>, tensor<2x3xi32>) -> tensor<1x2x3xf32>
    %windows_q = compass.gather(%0, %slides) {axis = 1 : i64, batch_dims = 0 : i64} : (tensor<1x4x!q>, tensor<2x3xi32>) -> tensor<1x2x3x!q>
    %masked = compass.where(%causal, %0, %lowest) {scale_value = array<i64: 1, 1>, shift_value = array<i64: 0, 0>} : (tensor<1x4xui8>, tensor<1x4x!q>, tensor<1x!q>) -> tensor<1x4x!q>
    %spoken = compass.input() {input_index = 45 : i64} : () -> tensor<1x2x2x!q>
    %sung = compass.input() {input_index = 46 : i64} : () -> tensor<1x2x2x!cell>
    %by_row = compass.basic_lstm(%spoken) {cell_size = 1 : i64, input_size = 2 : i64, time_steps = 2 : i64, out_sequence = ["Y"], activations = ["SIGMOID", "TANH", "TANH"], weights = GATES, biases = GATE_BIASES, lut_it = TABLE, lut_ft = HALF, lut_ot = TABLE, lut_ct = TABLE, lut_h = TABLE, scale = TWELVE_SCALES, shift = TWELVE_SHIFTS, diff_shifts = TWO_SHIFTS, lut_shift_value = 0 : i64} : (tensor<1x2x2x!q>) -> tensor<1x2x1x!q>
    %by_tensor = compass.basic_lstm(%sung) {cell_size = 1 : i64, input_size = 2 : i64, time_steps = 2 : i64, out_sequence = ["Y"], activations = ["SIGMOID", "TANH", "TANH"], weights = GATES, biases = GATE_BIASES, lut_it = SHORTS, lut_ft = FEWER, lut_ot = SHORTS, lut_ct = SHORTS, lut_h = SHORTS, scale = NINE_SCALES, shift = NINE_SHIFTS, diff_shifts = TWO_SHIFTS, lut_shift_value = 2 : i64} : (tensor<1x2x2x!cell>) -> tensor<1x2x1x!cell>
    %same = compass.dummy(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %same_q = compass.dummy(%0) : (tensor<1x4x!q>) -> tensor<1x4x!q>
    %host = compass.preprocess(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %host_q = compass.preprocess(%0) : (tensor<1x4x!q>) -> tensor<1x4x!q>
    return
  }
  func.func @all() -> tensor<1x4xf32> {
    %x = compass.input() : () -> tensor<1x4xf32>
    return %x : tensor<1x4xf32>
  }
  func.func @half() -> tensor<1x2xf32> {
    %x = compass.input() : () -> tensor<1x4xf32>
    %y = compass.slice(%x) {begin = array<i64: 0, 0>, end = array<i64: 1, 2>, strides = array<i64: 1, 1>} : (tensor<1x4xf32>) -> tensor<1x2xf32>
    return %y : tensor<1x2xf32>
  }
  func.func @one() -> tensor<1xi8> {
    %x = compass.input() : () -> tensor<1xi8>
    return %x : tensor<1xi8>
  }
  func.func @two() -> tensor<2xi8> {
    %x = compass.input() : () -> tensor<1xi8>
    %y = compass.concat(%x, %x) {axis = 0 : i64} : (tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
    return %y : tensor<2xi8>
  }
  func.func @step() -> (tensor<1xi8>, tensor<1x4xf32>, tensor<1x4xf32>) {
    %i = compass.input() : () -> tensor<1xi8>
    %c = compass.input() {input_index = 1 : i64} : () -> tensor<1xi8>
    %x = compass.input() {input_index = 2 : i64} : () -> tensor<1x4xf32>
    return %c, %x, %x : tensor<1xi8>, tensor<1x4xf32>, tensor<1x4xf32>
  }
  func.func @count() -> (tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) {
    %i = compass.input() : () -> tensor<1xi8>
    %c = compass.input() {input_index = 1 : i64} : () -> tensor<1xi8>
    %x = compass.input() {input_index = 2 : i64} : () -> tensor<1xi8>
    return %c, %x, %i : tensor<1xi8>, tensor<1xi8>, tensor<1xi8>
  })";

std::string otherForms() {
  std::string table, text = kOtherForms;
  auto replace = [&](llvm::StringRef word, std::string_view constant) {
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, word.size(), constant);
  };
  auto dense = [](const std::string &bytes, const char *type) {
    return "dense<\"0x" + llvm::toHex(bytes) + "\"> : tensor<" + type + ">";
  };
  for (int i = 0; i < 256; ++i)
    table += char(i % 128); // a table of exponentials has nothing below 0
  replace("TABLE", dense(table, "256xi8"));
  // Bytes that differ: of one that repeats MLIR keeps no data.
  std::string bytes;
  for (int i = 0; i < 2 * 193; ++i)
    bytes += char(i % 100);
  replace("ROOTS", dense(bytes, "193xi16"));
  replace("RAMP", dense(bytes.substr(0, 16), "4xf32"));
  replace("FOUR", dense(bytes.substr(0, 4), "4xi8"));
  std::string longer;
  for (int i = 0; i < 4 * 600 * 4; ++i)
    longer += char(i % 100);
  replace("SHORTS", dense(longer.substr(0, 512), "256xi16"));
  replace("HALF", dense(table.substr(0, 128), "128xi8"));
  replace("FEWER", dense(longer.substr(0, 256), "128xi16"));
  replace("GATES", dense(longer.substr(0, 12), "4x3xi8"));
  replace("GATE_BIASES", dense(longer.substr(0, 16), "4xi32"));
  replace("TWELVE_SCALES", dense(longer.substr(0, 24), "12xui16"));
  replace("TWELVE_SHIFTS", dense(longer.substr(0, 12), "12xi8"));
  replace("NINE_SCALES", dense(longer.substr(0, 18), "9xui16"));
  replace("NINE_SHIFTS", dense(longer.substr(10, 9), "9xi8"));
  replace("TWO_SHIFTS", dense(longer.substr(0, 2), "2xi8"));
  replace("UNSIGNED", dense(longer.substr(0, 512), "256xui16"));
  replace("PLANE", dense(longer.substr(0, 1200), "600xi16"));
  replace("ANCHORS", dense(longer, "2400xf32"));
  return text;
}

TEST(KernelNames, AreThoseThatProgramsCall) {
  NamesOf called;
  std::vector<Pack> packs = findPacks(YARROW_TREE_PACKS);
  ASSERT_FALSE(packs.empty());
  for (const Pack &pack : packs)
    for (const char *ir : {"float", "int"}) {
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      Outcome why;
      if (auto module = readPack(context, pack, ir, why))
        collect(*module, called);
    }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto others = mlir::parseSourceString<mlir::ModuleOp>(otherForms(), &context);
  ASSERT_TRUE(others);
  collect(*others, called);

  for (const OperatorRecord &record : allOperators())
    for (bool integer : {false, true}) {
      // No layer that reads or writes floats alone is one of integer IR.
      auto isFloat = [](llvm::ArrayRef<TensorRecord> tensors) {
        return !tensors.empty() && tensors[0].type == TensorClass::Float;
      };
      if (integer && (isFloat(record.inputs) || isFloat(record.outputs)))
        continue;
      Names named;
      for (llvm::StringRef kernel : record.kernels(integer))
        named.insert(kernel.str());
      std::string place = placeOf(record, integer);
      // Where a form is missing: one more pack, or a line above.
      EXPECT_EQ(named, called[place]) << place;
    }
}

TEST(KernelNames, AreOfKernels) {
  for (const OperatorRecord &record : allOperators())
    for (bool integer : {false, true}) {
      for (llvm::StringRef kernel : record.kernels(integer))
        EXPECT_TRUE(kernels::findKernel(kernel)) << kernel.str();
      // What is not computed calls nothing.
      EXPECT_TRUE(isComputed(record.computedIn, integer) ||
                  record.kernels(integer).empty())
          << placeOf(record, integer);
    }
}

} // namespace
