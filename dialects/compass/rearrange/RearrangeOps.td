//===- RearrangeOps.td - Operators that rearrange, repeat or overlap ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGEOPS_TD
#define YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGEOPS_TD

include "dialects/compass/CompassBase.td"

defvar BlockKeys = [
  OptIntKey<"block_size_x", "columns of a block", "Both", [], "Required", AtLeastOne>,
  OptIntKey<"block_size_y", "rows of a block", "Both", [], "Required", AtLeastOne>];

def Compass_TileOp : Compass_Op<"tile", "Tile", PassRule, [
  IntListKey<"repeats", "copies along each axis", "Required", "Both", AtLeastOne>], "inferTile"> {
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let resultTypes = "FromInput";
  let facts = [MovesOnlyLayer, AxesByKeyLayer];
  let perAxisKeys = ["repeats"];
  let summary = "a tensor repeated along its axes";
  let formula = "y[i, j, ...] = x[i mod N0, j mod N1, ...]";
  let source = "Compass IR 7.3, 4.3.1 Tile";
  let keyVariants = [KeyVariant<"reneats", "repeats">];
  let tensorsIn = [Tensor<"X", "...", "tensor to repeat">];
  let tensorsOut = [Tensor<"Y", "...", "each length times its number of repeats">];
  let kernels = ["yk_copy"];
}

def Compass_RepeatOp : Compass_Op<"repeat", "Repeat", PassRule, [
  OptIntKey<"axis", "axis whose slices are repeated; absent: X is flattened">], "inferRepeat"> {
  let resultTypes = "Declared";
  let summary = "slices repeated, each as often as a tensor says";
  let formula = "y = slice 0 of x repeats[0] times, slice 1 repeats[1] times, ... along axis";
  let source = "Compass IR 7.3, 4.3.1 Repeat";
  let tensorsIn = [Tensor<"X", "...", "tensor to repeat">,
                   Tensor<"Repeats", "count", "number of copies of each slice, or one number for all", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "length along axis: the sum of the repeats">];
  let resolved = [
    Resolved<"the example has no axis, and the result [1,190]", "without axis X and Y are flat; leading axes of length 1 are accepted">,
    Resolved<"the length of the result depends on data",
      "the declared length is its capacity; constant repeats must add up to it; a stored 0 fills the rest, and slices beyond the capacity are dropped, as in the reference; a negative number counts as 0">];
  let kernels = ["yk_copy", "yk_repeat"];
}

def Compass_BatchToSpaceOp : Compass_Op<"batch_to_space", "BatchToSpace", PassRule, !listconcat(BlockKeys, [
  IntKey<"crop_left", "columns cut off at the left", "0", [], NotNegative>,
  IntKey<"crop_right", "columns cut off at the right", "0", [], NotNegative>,
  IntKey<"crop_top", "rows cut off above", "0", [], NotNegative>,
  IntKey<"crop_bottom", "rows cut off below", "0", [], NotNegative>]), "inferBatchToSpace"> {
  let resultTypes = "FromInput";
  let summary = "blocks of the batch moved into rows and columns, then cropped";
  let formula = "y[n, h*block_size_y + by, w*block_size_x + bx, c] = x[(by*block_size_x + bx)*N_y + n, h, w, c], then cropped";
  let source = "Compass IR 7.3, 4.3.1 BatchToSpace";
  let tensorsIn = [Tensor<"X", "n,H,W,C", "batch divisible by the block">];
  let tensorsOut = [Tensor<"Y", "n,h,w,C", "[N/(bx*by), H*by - crops, W*bx - crops, C]">];
  let resolved = [
    Resolved<"the order of blocks in the batch is not specified", "block rows, then block columns, then the batch; verified with the reference">];
  let kernels = ["yk_copy"];
}

def Compass_BatchToSpaceNDOp : Compass_Op<"batch_to_space_nd", "BatchToSpaceND", PassRule, [
  IntListKey<"block_size", "length of a block along each spatial axis", "Required", "Both", AtLeastOne>,
  NestedKey<"crops", "[before, after] cut off each spatial axis", "Expected">], "inferBatchToSpaceND"> {
  let resultTypes = "FromInput";
  let summary = "blocks of the batch moved into the spatial axes, then cropped";
  let formula = "as BatchToSpace for any number of spatial axes; the first block axis varies slowest in the batch";
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "...", "[N, spatial axes ..., C]">];
  let tensorsOut = [Tensor<"Y", "...", "[N/blocks, lengths * block - crops ..., C]">];
  let resolved = [
    Resolved<"the definition does not have this layer", "keys are those of the reference parser, the meaning is that of TensorFlow's batch_to_space">];
  let kernels = ["yk_copy"];
}

def Compass_SpaceToBatchOp : Compass_Op<"space_to_batch", "SpaceToBatch", PassRule, !listconcat(BlockKeys, Pad2D), "inferSpaceToBatch"> {
  let resultTypes = "FromInput";
  let summary = "rows and columns padded, then moved in blocks into the batch";
  let formula = "y[(by*block_size_x + bx)*N + n, h, w, c] = padded x[n, h*block_size_y + by, w*block_size_x + bx, c]";
  let source = "Compass IR 7.3, 4.3.1 SpaceToBatch";
  let tensorsIn = [Tensor<"X", "n,H,W,C", "rows and columns, padded, divisible by the block">];
  let tensorsOut = [Tensor<"Y", "n,h,w,C", "[N*bx*by, (H + pads)/by, (W + pads)/bx, C]">];
  let resolved = [
    Resolved<"the formula of the shape lacks its parentheses", "(H + pad_top + pad_bottom) / block_size_y, which must be an integer">,
    Resolved<"the order of blocks in the batch, and the value of the padding, are not specified",
      "block rows, then block columns, then the batch; padding is a real 0 (-zp)">];
  let kernels = ["yk_pad", "yk_copy"];
}

def Compass_SpaceToDepthOp : Compass_Op<"space_to_depth", "SpaceToDepth", PassRule, BlockKeys, "inferSpaceToDepth"> {
  let resultTypes = "FromInput";
  let summary = "blocks of rows and columns moved into the channels";
  let formula = "y[n, h, w, (by*block_size_x + bx)*C + c] = x[n, h*block_size_y + by, w*block_size_x + bx, c]";
  let source = "Compass IR 7.3, 4.3.1 SpaceToDepth";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "rows and columns divisible by the block">];
  let tensorsOut = [Tensor<"Y", "N,h,w,c", "[N, H/by, W/bx, C*bx*by]">];
  let resolved = [
    Resolved<"the text has five axes, the example four", "[N, H/by, W/bx, C*bx*by]">,
    Resolved<"the order within the channels is not specified",
      "block rows, then block columns, then channels. The reference uses block_size_x for both; Yarrow uses each">];
  let kernels = ["yk_copy"];
}

def Compass_DepthToSpaceOp : Compass_Op<"depth_to_space", "DepthToSpace", PassRule, !listconcat([
  MethodKey<"DCR", "order of blocks in the channels", "mode", "Expected">], BlockKeys), "inferDepthToSpace"> {
  let resultTypes = "FromInput";
  let summary = "channels moved into blocks of rows and columns";
  let formula = "y[n, h*block_size_y + by, w*block_size_x + bx, c] = x[n, h, w, k], k by mode; C' = C / (bx*by) channels remain";
  let source = "Compass IR 7.3, 4.3.1 DepthToSpace";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "channels divisible by the block">];
  let tensorsOut = [Tensor<"Y", "N,h,w,c", "[N, H*by, W*bx, C/(bx*by)]">];
  let methods = [
    Method<"DCR", "k = (by*block_size_x + bx)*C' + c">,
    Method<"CRD", "k = c*(block_size_x*block_size_y) + by*block_size_x + bx">];
  let resolved = [
    Resolved<"the formal description is unreadable", "DCR is computed as in the reference, CRD as in ONNX">];
  let kernels = ["yk_copy"];
}

def Compass_ChannelShuffleOp : Compass_Op<"channel_shuffle", "ChannelShuffle", PassRule, [
  OptIntKey<"group", "number of channel groups that are interleaved", "Both", [], "Required", AtLeastOne>,
  IntKey<"splits", "number of parts of the result, one output each", "1", [], AtLeastOne>], "inferChannelShuffle"> {
  let perResultKey = "splits";
  let resultTypes = "FromInput";
  let summary = "channel groups interleaved";
  let formula = "y[..., k*group + g] = x[..., g*(C/group) + k]; then divided into splits equal parts along the channels";
  let source = "Compass IR 7.3, 4.3.1 ChannelShuffle";
  let tensorsIn = [Tensor<"X", "...", "channels last, divisible by group and by splits">];
  let tensorsOut = [ManyTensors<"Y", "...", "one part per split">];
  let resolved = [
    Resolved<"the division into parts is only implied", "equal parts along the channels, in order; one output per part">];
  let kernels = ["yk_copy"];
}

def Compass_CropOp : Compass_Op<"crop", "Crop", PassRule, [
  NestedKey<"crops", "[begin, end] per axis, the end excluded; a negative number counts from the end">], "inferCrop"> {
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let resultTypes = "FromInput";
  let facts = [MovesOnlyLayer, AxesByKeyLayer];
  let perAxisKeys = ["crops"];
  let summary = "part of a tensor";
  let formula = "y[i, j, ...] = x[begin0 + i, begin1 + j, ...]";
  let source = "Compass IR 7.3, 4.3.1 Crop";
  let tensorsIn = [Tensor<"X", "...", "tensor to crop">];
  let tensorsOut = [Tensor<"Y", "...", "end - begin along each axis">];
  let kernels = ["yk_copy"];
}

def Compass_DataStrideOp : Compass_Op<"data_stride", "DataStride", PassRule, Kernel2D, "inferDataStride"> {
  let resultTypes = "FromInput";
  let summary = "windows of rows and columns put side by side";
  let formula = "y[n, i*kernel_y + p, j*kernel_x + q, c] = x[n, i*stride_y + p, j*stride_x + q, c]";
  let source = "Compass IR 7.3, 4.3.1 DataStride";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,h,w,C", "rows: (floor((H - kernel_y) / stride_y) + 1) * kernel_y">];
  let resolved = [
    Resolved<"the example's shape is garbled", "[2,6,6,1]: three windows of two along both axes of [2,9,9,1]">,
    Resolved<"an incomplete last window is not addressed", "it is dropped">];
  let kernels = ["yk_copy"];
}

def Compass_ReverseSequenceOp : Compass_Op<"reverse_sequence", "ReverseSequence", PassRule, [
  IntKey<"batch_axis", "axis along which the lengths differ", "1">, IntKey<"time_axis", "axis that is reversed", "0">], "inferReverseSequence"> {
  let resultTypes = "FromInput";
  let summary = "the beginning of each sequence reversed";
  let formula = "y[t, n] = x[len[n]-1-t, n] for t < len[n], else x[t, n]";
  let source = "Compass IR 7.3, 4.3.1 ReverseSequence";
  let tensorsIn = [Tensor<"X", "...", "sequences">, Tensor<"Lengths", "batch", "number of elements to reverse, one per sequence", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "shape of X">];
  let resolved = [
    Resolved<"lengths above that of the axis are not addressed", "they are clamped when the layer runs; as constants they are an error">];
  let kernels = ["yk_copy", "yk_reverse_sequence"];
}

def Compass_MeshgridOp : Compass_Op<"meshgrid", "Meshgrid", PassRule, [
  MethodKey<"xy", "order of the first two axes", "indexing", "Expected">,
  BoolKey<"sparse", "true: axes along which a result is constant have length 1">,
  BoolKey<"copy", "key of the source framework, without effect", "true">], "inferMeshgrid"> {
  let resultTypes = "Declared";
  let summary = "coordinates of a grid from the coordinates of its axes";
  let formula = "y_k[i0, i1, ...] = x_k[i_k]; with xy the first two axes are swapped";
  let source = "Compass IR 7.3, 4.3.1 Meshgrid";
  let tensorsIn = [ManyTensors<"X", "length", "coordinates along one axis">];
  let tensorsOut = [ManyTensors<"Y", "...", "one grid per input">];
  let methods = [
    Method<"xy", "shape [length1, length0, length2, ...]">,
    Method<"ij", "shape [length0, length1, length2, ...]">];
  let resolved = [Resolved<"the words of indexing are unreadable", "xy and ij; case is ignored">];
  let kernels = ["yk_copy"];
}

// Of volumes alone.
defvar VolumeKeys = [
  OptIntKey<"stride_z", "step in planes", "Both", [], "Optional", AtLeastOne>,
  OptIntKey<"dilation_z", "distance of window cells in planes", "Both", [], "Optional", AtLeastOne>,
  OptIntKey<"pad_x_begin", "columns of padding at the left", "Both", [], "Optional", NotNegative>,
  OptIntKey<"pad_x_end", "columns of padding at the right", "Both", [], "Optional", NotNegative>,
  OptIntKey<"pad_y_begin", "rows of padding above", "Both", [], "Optional", NotNegative>,
  OptIntKey<"pad_y_end", "rows of padding below", "Both", [], "Optional", NotNegative>,
  OptIntKey<"pad_z_begin", "planes of padding before the first", "Both", [], "Optional", NotNegative>,
  OptIntKey<"pad_z_end", "planes of padding after the last", "Both", [], "Optional", NotNegative>];

def Compass_Col2ImOp : Compass_Op<"col2im", "Col2Im", Col2ImRule, !listconcat(
  Stride2D, Pad2D, Dilation2D, VolumeKeys, [
  IntsKey<"scale_value", "multiplier of the sums", "Int", "Required">,
  IntsKey<"shift_value", "right shift of the sums", "Int", "Required">]), "inferCol2Im"> {
  let resultTypes = "Declared";
  let summary = "sum of windows, given as columns, into an image, channels first";
  let formula = "y[n, c, place of cell k of window l] += x[n, c*cells + k, l]; integer: "
                "clip(round_half_even(sum * scale / 2^shift) - zp_y)";
  let floatKernels = ["yk_fold_float"];
  let intKernels = ["yk_fold_int"];
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "N,columns,windows", "columns: channels times cells of a window; windows">,
                   Tensor<"ImageSize", "Axes", "lengths of the image's axes", "Integer">,
                   Tensor<"KernelSize", "Axes", "lengths of a window's axes", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "[N, channels, image axes ...]">];
  let resolved = [
    Resolved<"the definition does not have this layer",
      "keys and shape are those of the reference parser, the meaning is that of ONNX's Col2Im; data have their channels first. "
      "The sizes are inputs: constants are checked against the declared shape, and KernelSize must be constant">,
    Resolved<"the reference adds up stored integers without their zero point",
      "Yarrow does the same; its quantizer first brings an input with a zero point to a symmetric scale">,
    Resolved<"for volumes, the reference counts windows as if stride and dilation were 1 and padding 0",
      "stride_z, dilation_z and pad_x_begin ... pad_z_end have the same meaning as for images">];
}

def Compass_OverlapAddOp : Compass_Op<"overlap_add", "OverlapAdd", RequantRule, [
  IntKey<"frame_step", "distance between the starts of frames", "1", [], AtLeastOne>,
  IntsKey<"scale_value", "multiplier of the sums", "Int", "Required">,
  IntsKey<"shift_value", "right shift of the sums", "Int", "Required">], "inferOverlapAdd"> {
  let resultTypes = "Declared";
  let summary = "sum of overlapping frames into a signal";
  let formula = "y[..., k*frame_step + j] += x[..., k, j]; integer: clip(round_half_even(sum(x + zp_x) * scale / 2^shift) - zp_y)";
  let floatKernels = ["yk_fold_float"];
  let intKernels = ["yk_fold_int"];
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "...", "[..., frames, length]">];
  let tensorsOut = [Tensor<"Y", "...", "[..., (frames-1)*frame_step + length]">];
  let resolved = [
    Resolved<"the definition does not have this layer", "keys and arithmetic are those of the reference parser and Optimizer; frame_step is at most the length">];
}

#endif // YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGEOPS_TD
