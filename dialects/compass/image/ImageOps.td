//===- ImageOps.td - Sampling, regions of interest, colour spaces ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_TD
#define YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_ResizeOp : Compass_Op<"resize", "Resize", ResizeRule, [
  MethodKey<"BILINEAR", "how a pixel is interpolated", "method", "Expected">,
  OptFloatKey<"ratio_x", "width of the result / width of the input">, OptFloatKey<"ratio_y", "height of the result / height of the input">,
  FloatListKey<"ratio", "both ratios as a list with one value per axis of x, 1 for batch and channels", "Optional">,
  IntListKey<"size", "shape of the result, instead of ratios", "Optional", "Both", [1, 0x7fffffff]>,
  WordKey<"mode", "how pixel centres correspond", "HALF_PIXEL",
    ["HALF_PIXEL", "HALF_PIXEL_SYMMETRIC", "PYTORCH_HALF_PIXEL", "ALIGN_CORNERS", "ASYMMETRIC", "TF_HALF_PIXEL_FOR_NN"]>,
  BoolKey<"antialias", "BILINEAR: if r < 1, all pixels within 1 / r of the source point are weighted", "false", [], "Optional">,
  BoolKey<"exclude_outside", "with antialias: pixels beyond the border have no weight, instead of the last pixel's value", "false", [], "Optional">,
  WordKey<"nearest_mode", "which pixel is the nearest", "ROUND_PREFER_FLOOR",
    ["ROUND_PREFER_FLOOR", "ROUND_PREFER_CEIL", "FLOOR", "CEIL", "SIMPLE"], ["NEAREST"], "Optional">,
  OptIntKey<"interp_shift_value", "fractional bits of the weights; absent: 13", "Int", [], "Expected", [0, 16]>]> {
  let summary = "change of height and width";
  let methods = [
    Method<"BILINEAR", "y = sum of the four pixels around the source point, weighted by their distance; beyond the border, the last pixel repeats">,
    Method<"NEAREST", "y = the pixel nearest to the source point">];
  let formula = "source coordinate of y, with ratio r = out / in: HALF_PIXEL (y + 0.5) / r - 0.5; HALF_PIXEL_SYMMETRIC the same + in / 2 * (1 - out / (r * in)); PYTORCH_HALF_PIXEL the same, 0 if out <= 1; ALIGN_CORNERS y * (in - 1) / (out - 1); ASYMMETRIC y / r; TF_HALF_PIXEL_FOR_NN (y + 0.5) / r";
  let source = "Compass IR 7.3, 4.3.1 Resize";
  let tensorsIn = [Tensor<"x", "N,height,width,C", "images">];
  let tensorsOut = [Tensor<"y", "N,h,w,C", "the images in their new size">];
  let floatKernels = ["yk_resize_float"];
  let intKernels = ["yk_resize_int"];
  let keyVariants = [KeyVariant<"Nearest_mode", "nearest_mode">];
  let resolved = [
    Resolved<"the integer form is not specified: no scale or shift is listed",
      "BILINEAR: Q = floor(wy * wx * 2^k + 0.5), y = round_even(sum of f * Q / 2^k), k = interp_shift_value; NEAREST copies; input and output share their scale">,
    Resolved<"ratio is said to have one value per axis, but only x and y exist; ratio and size exclude each other",
      "ratio_x and ratio_y, as the tools write them, or ratio with four values, or size with the whole shape; two of the three are an error">,
    Resolved<"a ratio can give a fractional length, which is rounded down",
      "float IR uses ratio_x and ratio_y, except with ALIGN_CORNERS; integer IR uses out / in, as the reference does">,
    Resolved<"antialias and exclude_outside are written, but not explained", "as in ONNX: the weight of a pixel at distance d is 1 - d * min(r, 1), and weights are divided by their sum">,
    Resolved<"nearest_mode is said to apply if mode is nearest", "it applies if method is NEAREST">,
    Resolved<"size is defined as the resized length over the original length", "that is the ratio, out / in">];
}

def Compass_CropAndResizeOp : Compass_Op<"crop_and_resize", "CropAndResize", CropAndResizeRule, [
  MethodKey<"BILINEAR", "how a pixel is interpolated">,
  IntListKey<"crop_size", "height and width of the result", "Required", "Both", [1, 65535]>,
  NumberKey<"extrapolation_value", "value of pixels outside the image; absent: 0; in integer IR the stored value">,
  OptBoolKey<"is_perf_mode", "a hint to hardware, without effect on values; absent: true">,
  ScalesKey<"scale_value", "multiplier that turns boxes into pixels">, ShiftsKey<"shift_value", "right shift that turns boxes into pixels">],
  "inferCropAndResize"> {
  let resultTypes = "Declared";
  let summary = "regions of images, resized to one size";
  let methods = [Method<"BILINEAR", "the four pixels around the source point, weighted by their distance">,
                 Method<"NEAREST", "the pixel nearest to the source point">];
  let formula = "source y = y1 * (H - 1) + i * (y2 - y1) * (H - 1) / (crop_h - 1), x likewise; extrapolation_value outside the image";
  let floatKernels = ["yk_crop_and_resize_float"];
  let intKernels = ["yk_crop_and_resize_int"];
  let source = "Compass IR 7.3, 4.3.1 CropAndResize";
  let tensorsIn = [Tensor<"x", "N,H,W,C", "images">, Tensor<"boxes", "Boxes,4", "y1, x1, y2, x2 in 0..1">,
                   Tensor<"box_indices", "Boxes", "number of each box's image", "Integer">];
  let tensorsOut = [Tensor<"y", "Boxes,h,w,C", "one crop for each box">];
  let resolved = [
    Resolved<"the quantized form of boxes and of extrapolation_value is not specified",
      "boxes have their tensor's scale, without the zero point, which the reference forgets: Yarrow's quantizer inserts a Cast to 16 bits if boxes have a zero point; extrapolation_value is the stored value of the result">,
    Resolved<"a crop of one row or column is not addressed", "in floats it samples the middle of the box, as TensorFlow does, in integers its start, as in the reference">,
    Resolved<"the purpose of scale and shift is not specified",
      "scale / 2^shift is about 1 over the boxes' scale: step = (y2 - y1) * (H - 1) * 256 / (crop_h - 1) >> 8, v = y1 * (H - 1) + i * step, pixel t = v * scale >> shift; outside the image extrapolation_value; NEAREST: the pixel (v * scale + 2^(shift - 1)) >> shift; BILINEAR: with the rest l = v - t * 2^shift / scale, a + ((b - a) * l * scale >> shift) along x, then y">,
    Resolved<"a box without an image is not addressed", "its crop is extrapolation_value, as for a box with a NaN">];
}

def Compass_GridSampleOp : Compass_Op<"grid_sample", "GridSample", GridSampleRule, [
  TensorKey<"x_terp", "2^n entries: weight of the left column, uint16", "Int">, TensorKey<"y_terp", "2^n entries: weight of the upper row, uint16", "Int">,
  TensorKey<"lutx", "2^n entries: column of the source pixel, int16", "Int">, TensorKey<"luty", "2^n entries: row of the source pixel, int16", "Int">,
  MethodKey<"BILINEAR", "how a pixel is interpolated", "method", "Expected">,
  BoolKey<"align_corners", "-1 and 1 are the centres of the corner pixels, not their outer edges", "false">,
  WordKey<"padding_mode", "values outside the image", "ZEROS", ["ZEROS", "BORDER", "REFLECTION"]>,
  ScalesKey<"scale_value", "multipliers of x, y and z of the grid; 1 if there are tables">, ShiftsKey<"shift_value", "their right shifts">,
  OptIntKey<"coordinate_x_shift", "fractional bits of columns", "Int", [], "Expected", [1, 16]>,
  OptIntKey<"coordinate_y_shift", "fractional bits of rows", "Int", [], "Expected", [1, 16]>,
  OptIntKey<"coordinate_z_shift", "fractional bits of planes, for volumes", "Int", [], "Optional", [1, 16]>], "inferGridSample"> {
  let resultTypes = "Declared";
  let summary = "samples an image at given places";
  let methods = [Method<"BILINEAR", "the pixels around the place, weighted by their distance">,
                 Method<"NEAREST", "the pixel nearest to the place, the even one in a tie">,
                 Method<"BICUBIC", "cubic interpolation (a = -0.75) of 4 x 4 pixels">];
  let formula = "column = ((x + 1) * W - 1) / 2, or (x + 1) * (W - 1) / 2 with align_corners; row likewise";
  let source = "Compass IR 7.3, 4.3.1 GridSample";
  let floatKernels = ["yk_grid_sample_float"];
  let intKernels = ["yk_grid_sample_int"];
  let tensorsIn = [Tensor<"x", "...", "images, [N, H, W, C] or [N, D, H, W, C]">, Tensor<"grid", "...", "places in -1..1: [N, height, width, 2] with x, y; for volumes 5 axes with x, y, z">];
  let tensorsOut = [Tensor<"y", "...", "one pixel for each place">];
  let keyVariants = [KeyVariant<"align_coners", "align_corners">];
  let resolved = [
    Resolved<"the default of method is not marked", "BILINEAR">,
    Resolved<"the two values of shift are not explained",
      "for an 8-bit grid the tools write scales of 1 and the tables x_terp, y_terp, lutx and luty with pixel and fraction of each stored value; without tables v = ((g + zp) * scale >> shift) + (size - 1) * 2^(bits - 1), limited to 16 bits, where bits is coordinate_x_shift and so on; a single scale, as in the example, applies to every axis">,
    Resolved<"how integers are interpolated is not specified", "BILINEAR: a + ((b - a) * fraction >> bits) along x, then y, then z; without tables NEAREST rounds half up">,
    Resolved<"the reference has neither BICUBIC nor REFLECTION in integers",
      "REFLECTION: pixels outside are mirrored, at the centres or edges of the last pixels as align_corners says; BICUBIC: weights round_even(w * 2^14), y = round_even(sum of weights * (q + zp) / 2^(14 * axes)) - zp">,
    Resolved<"the result for a place that is NaN is not specified", "as for the place 2^30 pixels before the image">,
    Resolved<"the text has [N,C,H,W]", "[N,H,W,C]; the grid is [N, height, width, 2] with x first">,
    Resolved<"words are in lower case in the text, but in upper case in the example", "case is ignored; upper case is written">];
}

def Compass_AffineGridOp : Compass_Op<"affine_grid", "AffineGrid", AffineGridRule, [
  TableKey<"w_lut", "x of each column, fixed point">, TableKey<"h_lut", "y of each row, fixed point">,
  TensorKey<"d_lut", "z of each slice, fixed point, for volumes", "Int">,
  BoolKey<"align_corners", "-1 and 1 are the centres of the corner pixels, not their outer edges", "false">,
  OptIntKey<"multiplier_bits", "fractional bits of the tables", "Int", [], "Required", [0, 31]>,
  IntsKey<"scale_value", "multiplier of the requantization", "Int", "Optional", MultiplierBounds>,
  IntsKey<"shift_value", "right shift of the requantization", "Int", "Optional", ShiftBounds>], "inferAffineGrid"> {
  let resultTypes = "Declared";
  let summary = "the places that an affine map samples, for GridSample";
  let formula = "(x', y') = theta * (x, y, 1) for every pixel; x from -1 to 1, times (W - 1) / W without align_corners";
  let floatKernels = ["yk_affine_grid_float"];
  let intKernels = ["yk_affine_grid_int"];
  let resolved = [
    Resolved<"the integer form is not specified", "y = RQ(clip(theta * (w_lut, h_lut, d_lut) + last column of theta * 2^multiplier_bits, int32), scale, shift); the zero point of theta is left out, as in the reference, so Yarrow's quantizer inserts a Cast if theta has a zero point">,
    Resolved<"the coordinate of a single row, column or slice is not specified", "0, its middle">];
  let source = "reference parser";
  let tensorsIn = [Tensor<"theta", "N,rows,columns", "[N, 2, 3], or [N, 3, 4] for volumes">,
                   Tensor<"size", "axes", "shape of the images: N, H, W, C or N, D, H, W, C", "Integer">];
  let tensorsOut = [Tensor<"grid", "...", "[N, H, W, 2] or [N, D, H, W, 3]">];
}

def Compass_RoiAlignOp : Compass_Op<"roi_align", "RoiAlign", RoiAlignRule, [
  MethodKey<"AVG", "how samples are pooled">,
  IntListKey<"pooled_shape", "height and width of the result", "Required", "Both", [1, 65535]>,
  WordKey<"coordinate_transformation_mode", "HALF_PIXEL moves coordinates by half a pixel", "HALF_PIXEL", ["HALF_PIXEL", "OUTPUT_HALF_PIXEL"]>,
  IntListKey<"sample", "rows and columns of samples per bin; 0: one per pixel of the bin, rounded up", "Required", "Both", [0, 65535]>,
  NumberListKey<"spatial_scale_value", "factors from coordinates to rows and columns; fixed point in integer IR">,
  ShiftsKey<"shift_value", "right shifts of features and regions">, ScalesKey<"scale_value", "multipliers of features and regions">,
  ScalesKey<"bin_scale_value", "1 / (rows and columns of the result), fixed point", "Optional">, ShiftsKey<"bin_shift_value", "right shifts of bin_scale_value", "Optional">,
  ScalesKey<"grid_scale_value", "1 / (rows and columns of samples), fixed point", "Optional">, ShiftsKey<"grid_shift_value", "right shifts of grid_scale_value", "Optional">,
  OptIntKey<"spatial_shift_value", "right shift of spatial_scale_value", "Int", [], "Required", ShiftBounds>], "inferRoiAlign"> {
  let resultTypes = "Declared";
  let summary = "regions of a feature map, pooled to one size";
  let methods = [Method<"AVG", "the mean of the bilinear samples of a bin">,
                 Method<"MAX", "the largest of the four weighted corners of all samples of a bin">];
  let formula = "a region times spatial_scale is divided into pooled_shape bins; sample x sample points of each are read; coordinates outside are moved to the border";
  let source = "Compass IR 7.3, 4.3.1 RoiAlign";
  let floatKernels = ["yk_roi_align_float"];
  let intKernels = ["yk_roi_align_int"];
  let tensorsIn = [Tensor<"x", "N,H,W,C", "features">, Tensor<"rois", "Rois,5", "image, y1, x1, y2, x2">];
  let tensorsOut = [Tensor<"y", "Rois,h,w,C", "one result per region">];
  let resolved = [
    Resolved<"the fixed-point arithmetic of spatial, bin and grid scales is not specified",
      "corner = trunc((roi + zp) * scale[1] / 2^shift[1]) * spatial_scale, minus half a pixel for HALF_PIXEL; bin = trunc(float32(size * bin_scale) / 2^bin_shift), step = trunc(bin * grid_scale / 2^grid_shift), samples at corner + i * bin + (2 * j + 1) * step; weights >> spatial_shift; AVG: RQ(sum of weights * (q + zp), scale[0], shift[0] + spatial_shift), MAX: RQ of the greatest product">,
    Resolved<"sample and spatial_scale_value are lists in one place, but sample_x, sample_y ... in another", "both are read">,
    Resolved<"bin and grid parameters apply only if sample is not 0", "in the reference, only float IR has sample = 0; in integers a bin without bin_scale is size / rows, step = bin / (2 * samples), and the sum times scale[0] is divided by the number of samples, rounded down, before the shift">,
    Resolved<"the multiplier of MAX is not specified", "Yarrow's quantizer writes the ratio of the scales; the reference writes the multiplier of the mean, which makes its results too small by the number of samples">,
    Resolved<"the regions whose result is 0 are not specified", "regions without an image, with corners in the wrong order or with a NaN; in integers also those that end beyond the map">,
    Resolved<"a region's row contains the number of its image", "in integers as a stored integer with its zero point: regions have the scale 1, to which Yarrow's quantizer casts other scales">,
    Resolved<"the example's output is [0,2,2,0]", "[regions, pooled height, pooled width, channels] = [2,2,2,5]">,
    Resolved<"samples outside the image are not mentioned", "their coordinates are moved to the border">];
}

def Compass_MaxRoiPoolOp : Compass_Op<"max_roi_pool", "MaxRoiPool", MaxRoiPoolRule, [
  IntListKey<"pooled_shape", "height and width of the result", "Required", "Both", [1, 65535]>,
  NumberListKey<"spatial", "factors from coordinates to rows and columns; in integer IR times 2^16">], "inferMaxRoiPool"> {
  let resultTypes = "Declared";
  let summary = "the largest value in each bin of each region";
  let formula = "corners = floor(coordinate * spatial + 0.5); size = max(hi - lo + 1, 1); bin i = floor(i * size / P) up to ceil((i + 1) * size / P), clipped to the map; 0 for an empty bin";
  let source = "Compass IR 7.3, 4.3.1 MaxRoiPool";
  let floatKernels = ["yk_roi_pool_float"];
  let intKernels = ["yk_roi_pool_int"];
  let tensorsIn = [Tensor<"x", "N,H,W,C", "features">, Tensor<"rois", "Rois,5", "image, y1, x1, y2, x2">];
  let tensorsOut = [Tensor<"y", "Rois,h,w,C", "one result per region">];
  let resolved = [
    Resolved<"the order of the list spatial is garbled", "y, x, as pooled_shape is height, width">,
    Resolved<"the fixed-point form of spatial is not specified", "round(factor * 2^16): the packs have 16384 for 0.25">,
    Resolved<"how bins are rounded is not specified", "floor(coordinate * spatial / 2^16 + 0.5); no value differs from the reference packs">,
    Resolved<"the value of an empty bin is not specified", "0, in integers the stored integer 0, as in the reference; regions without an image or with a NaN give the same">];
}

def Compass_PyramidROIAlignOp : Compass_Op<"pyramid_roi_align", "PyramidROIAlign", PyramidRoiAlignRule, [
  OptIntKey<"resize_width", "columns of the result", "Both", [], "Required", AtLeastOne>, OptIntKey<"resize_height", "rows of the result", "Both", [], "Required", AtLeastOne>,
  OptIntKey<"image_width", "width of the image", "Both", [], "Required", AtLeastOne>, OptIntKey<"image_height", "height of the image", "Both", [], "Required", AtLeastOne>,
  NumberListKey<"spatial_scale_value", "factor from coordinates to rows, one per level">,
  IntListKey<"sample", "rows and columns of samples per bin; 0: one per pixel of the bin", "Required", "Both", [0, 65535]>,
  WordKey<"coordinate_transformation_mode", "HALF_PIXEL moves coordinates by half a pixel", "OUTPUT_HALF_PIXEL", ["HALF_PIXEL", "OUTPUT_HALF_PIXEL"]>,
  BoolKey<"proposal_normalized", "regions are in 0..1, not in pixels", "true">,
  ScalesKey<"scale_value", "multiplier of each level's features", "Optional">, ShiftsKey<"shift_value", "right shift of each level's features", "Optional">,
  ScalesKey<"input_scale", "multiplier of regions for each level", "Optional">, ShiftsKey<"input_shift", "right shift of regions for each level", "Optional">,
  OptIntKey<"spatial_shift", "fractional bits of coordinates", "Int", [], "Optional", ShiftBounds>,
  IntsKey<"levels", "areas at which the next level begins", "Int">,
  OptIntKey<"box_input_qvalue", "log2 of the regions' scale", "Int">], "inferPyramidROIAlign"> {
  let resultTypes = "Declared";
  let summary = "RoiAlign on the level of a feature pyramid that fits the region's size";
  let formula = "the area selects the level: below 112^2, 224^2, 448^2 pixels and above; then RoiAlign with the mean of the samples; with proposal_normalized the bounds are 6272, 25088 and 100352 pixels of the image, and CropAndResize follows";
  let floatKernels = ["yk_pyramid_roi_align_float"];
  let intKernels = ["yk_pyramid_roi_align_int"];
  let resolved = [
    Resolved<"samples outside the map are not specified", "0 if they are outside by more than a pixel, else moved to the border">,
    Resolved<"integers with regions in pixels are not specified",
      "the area in stored values is compared with levels; corners RQ(q + zp, input_scale, input_shift, 0..65535) in 2^-spatial_shift pixels, bin = size / rows, step = bin / (2 * samples), rounded towards zero; the sum of weights * (q + zp) is requantized with the level's scale; a region without height or width gives the stored integer 0">,
    Resolved<"integers with regions in 0..1 are not specified",
      "box_input_qvalue = 15, as the reference's constants imply: areas 6418977, 25675908 and 102703631 for images of 1024 x 1024, instead of which Yarrow's quantizer writes levels; rows y1 * (h - 1) + i * ((y2 - y1) * (h - 1) * 256 / (rows - 1) >> 8), fractions of 15 bits; results have the scale of level0 without a zero point, so Yarrow's quantizer gives all levels one scale; rows and columns are not swapped, although the reference does so on maps that are not square">,
    Resolved<"several images are not addressed", "not supported: the reference reads only the first">];
  let source = "reference parser";
  let tensorsIn = [Tensor<"rois", "N,Rois,4", "y1, x1, y2, x2">, Tensor<"level0", "N,h0,w0,C", "the finest features">, Tensor<"level1", "N,h1,w1,C", "half as fine">,
                   Tensor<"level2", "N,h2,w2,C", "a quarter as fine">, Tensor<"level3", "N,h3,w3,C", "the coarsest features">];
  let tensorsOut = [Tensor<"y", "Rois,h,w,C", "one result per region">];
}

defvar ColourKeys = [
  WordKey<"format", "order of the planes", "I420", ["I420", "YV12", "NV12", "NV21"]>,
  IntKey<"bits", "bits of a sample", "8", [], [8, 10]>,
  WordKey<"conversion", "standard that the matrix belongs to", "BT709", ["BT601", "BT709", "BT2020", "SELF"]>,
  NumberListKey<"coefficient", "input offsets, output offsets, 3 x 3 matrix by rows">,
  WordKey<"coefficient_dtype", "element type of the coefficients", "int16", ["int8", "int10", "int16", "float32"]>,
  IntKey<"coefficient_shift", "right shift of the products; 0 for real coefficients", "0", [], [0, 31]>];

def RealCoefficients : Resolved<"the precision of real coefficients is not specified",
  "they are multiples of 2^-20, without a rounding constant">;

def Compass_RgbToYuvOp : Compass_Op<"rgb_to_yuv", "RgbToYuv", ColoursRule, !listconcat(ColourKeys, [
  IntsKey<"shape", "shape of the image", "Both", "Optional", [1, 0x7fffffff]>]), "inferRgbToYuv"> {
  let resultTypes = "Declared";
  let summary = "RGB image to the bytes of YUV 4:2:0";
  let formula = "yuv = clip(round_even((matrix * (rgb - input_offset) + 2^(coefficient_shift - 1)) / 2^coefficient_shift + output_offset)); chroma from the top left pixel of each 2 x 2; planes as format says";
  let source = "Compass IR 7.3, 4.3.1 RgbToYuv";
  let intKernels = ["yk_rgb_to_yuv"];
  let tensorsIn = [Tensor<"rgb", "N,H,W,3", "even height and width">];
  let tensorsOut = [Tensor<"yuv", "N,bytes", "height * width * 3 / 2">];
  let resolved = [
    Resolved<"the red rows of BT601 and BT709 are printed as equal", "this has no effect: the coefficients come from their key. BT601 has 512, -429, -83">,
    Resolved<"how chroma is subsampled is not specified", "the top left pixel of each 2 x 2, bit for bit as in the packs">,
    Resolved<"the example has a nested list for shape, and -117 instead of the text's -118", "the numbers of the key decide; shape is read nested or flat, and written flat">,
    Resolved<"neither the storage of 10 bits nor the matrix of BT2020 is specified", "10-bit samples are 0 to 1023 in 16-bit elements; the matrix comes from coefficient, whatever conversion says; the reference ignores both">,
    RealCoefficients,
    Resolved<"the reference also adds 512 to sums of real coefficients, and multiplies the input offset by the transposed matrix", "no rounding constant without a shift, and no transposition (all offsets of the packs are 0)">,
    Resolved<">> 10 rounds down, but the reference's integers round half to even after the constant", "down in float IR with integer coefficients, half to even in integer IR">,
    Resolved<"the planes of YV12 and I420 contradict each other", "I420: Y, U, V; YV12: Y, V, U; NV12: Y, then U and V interleaved; NV21: Y, then V and U interleaved">,
    Resolved<"[128,128,128] is called the input offset, but list and formula have 0", "as in the list: input offsets, which are subtracted, output offsets, matrix">,
    Resolved<"the matrix quoted with >> 8 belongs to neither form", "it is ignored; coefficient_shift is the shift">];
}

def Compass_YuvToRgbOp : Compass_Op<"yuv_to_rgb", "YuvToRgb", ColoursRule, !listconcat(ColourKeys, [
  IntsKey<"shape", "shape of the image", "Both", "Optional", [1, 0x7fffffff]>]), "inferYuvToRgb"> {
  let resultTypes = "Declared";
  let summary = "bytes of YUV 4:2:0 to an RGB image";
  let formula = "rgb = clip(round_even((matrix * (yuv - input_offset) + 2^(coefficient_shift - 1)) / 2^coefficient_shift + output_offset)); chroma halfway between its samples; planes as format says";
  let source = "Compass IR 7.3, 4.3.1 YuvToRgb";
  let intKernels = ["yk_yuv_to_rgb"];
  let tensorsIn = [Tensor<"yuv", "N,bytes", "height * width * 3 / 2">];
  let tensorsOut = [Tensor<"rgb", "N,H,W,3", "even height and width">];
  let resolved = [
    Resolved<"BT709's coefficients lack a comma (256 -48)", "256, -48">,
    Resolved<"only the prose gives the order of shift and offset", "round((matrix * (yuv - input_offset) + 128) / 256) + output_offset; the reference rounds to even">,
    Resolved<"saturation is not mentioned", "results saturate to 0..255, or to the bits of an image with more than 8">,
    RealCoefficients,
    Resolved<"how chroma is upsampled is not specified", "as in the packs: rows 1:1, columns 3:1, with rounding after each step; not a sensible upsampling, but the reference's">,
    Resolved<"the example has no key shape", "the declared shape of the result; shape, if written, must agree with it">];
}

#endif // YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_TD
