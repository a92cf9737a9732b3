//===- Descriptors.td - The commands of the NPU's engines -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tensor engine and the DMA engine execute lists of these. The tensor
// engine reads and writes SRAM only; the DMA engine moves data between SRAM
// and DDR. docs/machine.md says what a command costs.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_DESCRIPTORS_TD
#define YARROW_ISA_DESCRIPTORS_TD

include "isa/DescriptorBase.td"

def Copy : Descriptor<"copy", 0x01, DmaEngine, [
  U8<"srcRegion", "region of the source; 0 is SRAM">,
  U8<"dstRegion", "region of the destination; 0 is SRAM">,
  U8<"elementBytes", "bytes moved as one unit: 1, 2, 4 or 8">,
  Flag<"fill", "write fillValue instead of reading a source">,
  Reserved<7>,
  Ddr<"src", "srcRegion", "byte offset of the first source element in its region", [
    Reads<"strided(elementBytes, {{size0, srcStride0}, {size1, srcStride1}, {size2, srcStride2}, {size3, srcStride3}, {size4, srcStride4}})", "!fill && streamBytes == 0">,
    Reads<"bytes(streamBytes)", "!fill && streamBytes != 0">]>,
  Ddr<"dst", "dstRegion", "byte offset of the first destination element in its region", [
    Writes<"strided(elementBytes, {{size0, dstStride0}, {size1, dstStride1}, {size2, dstStride2}, {size3, dstStride3}, {size4, dstStride4}})">]>,
  U32<"size0", "elements along the innermost axis">,
  U32<"size1", "elements along axis 1">,
  U32<"size2", "elements along axis 2">,
  U32<"size3", "elements along axis 3">,
  U32<"size4", "elements along the outermost axis">,
  S32<"srcStride0", "bytes from one source element to the next; 0 broadcasts">,
  S32<"srcStride1", "bytes along axis 1">,
  S32<"srcStride2", "bytes along axis 2">,
  S32<"srcStride3", "bytes along axis 3">,
  S32<"srcStride4", "bytes along axis 4">,
  S32<"dstStride0", "bytes from one destination element to the next">,
  S32<"dstStride1", "bytes along axis 1">,
  S32<"dstStride2", "bytes along axis 2">,
  S32<"dstStride3", "bytes along axis 3">,
  S32<"dstStride4", "bytes along axis 4">,
  U32<"fillValue", "low elementBytes bytes are the fill pattern">,
  U32<"streamBytes", "0, or the length of the source if it is a weight stream">
]> {
  let optionalWords = 1;
  let summary = "strided copy of up to five axes, with broadcast and fill";
  let description = [{
    If streamBytes is not 0, the source is a weight stream of that many bytes
    (machine.md describes its code). It is decoded on its way to size0
    consecutive bytes of SRAM. This requires a machine with a weight decoder;
    elementBytes 1; size1 to size4 1; dstStride0 1; no fill. Anything else is a
    fault, and so is a stream that is damaged or decodes to another number of
    bytes. The source's strides are ignored.
  }];
}

// What convolution and pooling share: where results go, of elements of so many
// bytes.
class OutputFields<string elementBytes, string when = "true"> {
  list<Field> fields = [
  Sram<"output", "first output element", [
    Writes<"strided(" # elementBytes # " * outChannels, {{outHeight, outRowStride}, {outWidth, outPixelStride}})", when>]>,
  U16<"outHeight", "output rows of this command">,
  U16<"outWidth", "output columns">,
  U32<"outChannels", "output channels of this command">,
  U32<"outRowStride", "bytes from one output row to the next">,
  U32<"outPixelStride", "bytes from one output pixel to the next">,
  S32<"outZeroPoint", "subtracted after rounding">,
  S32<"outMin", "lower bound of the clip">,
  S32<"outMax", "upper bound of the clip">
  ];
}

defvar InputFields = [
  Sram<"input", "first input element of the rows held in SRAM", [
    Reads<"strided(uint64_t(elementBytes(inType)) * inChannels, {{inHeight, inRowStride}, {inWidth, inPixelStride}})">]>,
  U16<"inHeight", "input rows held; rows outside are padding">,
  U16<"inWidth", "input columns">,
  U32<"inChannels", "input channels of this command, all groups">,
  U32<"inRowStride", "bytes from one input row to the next">,
  U32<"inPixelStride", "bytes from one input pixel to the next">,
  U16<"kernelY", "window rows">, U16<"kernelX", "window columns">,
  U16<"strideY", "output step in rows">, U16<"strideX", "output step in columns">,
  U16<"dilationY", "distance of window cells in rows">,
  U16<"dilationX", "distance of window cells in columns">,
  S16<"padTop", "rows that the first window covers above the first held row">,
  S16<"padLeft", "columns that the first window covers left of the first column">
];

def Conv : Descriptor<"conv", 0x10, TensorEngine, !listconcat([
  Enum<"inType", "ElementType", 4, "element type of the input">,
  Enum<"weightType", "ElementType", 4, "element type of the weights">,
  Enum<"outType", "ElementType", 4, "element type written">,
  Enum<"activation", "Activation", 4, "applied to the accumulator before requantization">,
  Flag<"depthwise", "each input channel has its own outChannels/inChannels filters">,
  Flag<"perChannel", "scale and shift are read from SRAM, one per output channel">,
  Flag<"accumulateIn", "start from partial sums in SRAM instead of the bias">,
  Flag<"accumulateOut", "write partial sums instead of results">,
  Flag<"hasResidual", "join a second tensor, the residual, after requantization">,
  Flag<"hasLut", "pass the result through a table">,
  Mode<"winograd", "WinogradMode", 2, "Winograd's algorithm, see the description: 0 none, 1 f(2,3) along the width, 2 f(2x2,3x3)">,
  Flag<"hasTapShifts", "winograd: each tap's sum is shifted left before the output transform, by amounts that follow the weights">,
  Field<"winogradShift", 3, "winograd: right shift of the output transform's results, before the bias is added">,
  Flag<"packedWeights", "4-bit weights, two per byte, the first in the low half; weightType is int8">,
  Flag<"wideBias", "64-bit biases; not for 8-bit inputs, whose sums have 32 bits">,
  Flag<"wideScale", "multipliers of 31 bits instead of 16; in SRAM they are int32">,
  Flag<"halfUp", "the requantization rounds halves up, not to even">
], InputFields, [
  S32<"padValue", "input value outside the tensor: minus the input zero point">,
  U16<"groups", "channel groups (1 for depthwise)">,
  Reserved<16>,
  Sram<"weights", "[outChannels][kernelY][kernelX][inChannels/groups]; depthwise [outChannels][kernelY][kernelX]; winograd [outChannels][tile rows][tile columns][inChannels], then, if hasTapShifts, from the next multiple of 16 bytes (counted from the first weight) uint8[outChannels][tile rows][tile columns], 0 to 15", [Reads<"bytes(weightBytesOf(*this))">]>,
  Sram<"bias", "int32[outChannels]; with wideBias int64[outChannels], of which the low 48 bits are used", [Reads<"bytes(outChannels, wideBias ? 8 : 4)", "!accumulateOut">]>,
  Sram<"scales", "with perChannel: uint16[outChannels], or int32[outChannels] with wideScale", [Reads<"bytes(outChannels, wideScale ? 4 : 2)", "perChannel && !accumulateOut">]>,
  Sram<"shifts", "with perChannel: int8[outChannels]", [Reads<"bytes(outChannels)", "perChannel && !accumulateOut">]>,
  U16<"scale", "without perChannel: multiplier of the requantization">,
  S8<"shift", "without perChannel: right shift of the requantization; a negative number shifts left">,
  U8<"clipRoundBits", "CLIP activation: fractional bits kept until after the clip">,
  S32<"clipMin", "CLIP activation: lower bound, with clipRoundBits">,
  S32<"clipMax", "CLIP activation: upper bound, with clipRoundBits">,
  Sram<"slopes", "PRELU: int16[outChannels]", [Reads<"bytes(outChannels, 2)", "hasSlopes(*this) && !accumulateOut">]>,
  S32<"slope", "LEAKYRELU: multiplier of negative values">,
  U8<"slopeShift", "right shift of slope products, rounded half to even">,
  Reserved<24>
], OutputFields<"uint64_t(elementBytes(hasLut ? lutType : outType))", "!accumulateOut">.fields, [
  Sram<"partials", "partial sums [outHeight][outWidth][outChannels], int32 (8-bit input) or int64 (16-bit)", [Reads<"partialsOf(*this)", "accumulateIn">, Writes<"partialsOf(*this)", "accumulateOut">]>,
  Sram<"residual", "second operand of sumOp: [outHeight][outWidth][outChannels], or [outHeight][outWidth] if residualPerPixel; strides of 0 repeat a row or a pixel", [Reads<"strided(uint64_t(elementBytes(residualType)) * (residualPerPixel ? 1 : outChannels), {{outHeight, residualRowStride}, {outWidth, residualPixelStride}})", "hasResidual && !accumulateOut">]>,
  Enum<"residualType", "ElementType", 4, "element type of the residual">,
  Enum<"mainType", "ElementType", 4, "type whose range clips the convolution's own result before sumOp">,
  Enum<"sumActivation", "Activation", 4, "applied to the result of sumOp; not CLIP">,
  Flag<"wideSum", "multipliers of sumOp have 31 bits instead of 16">,
  Flag<"sumHalfUp", "the sum's requantization rounds halves up, not to even">,
  Flag<"residualPerPixel", "all channels of a pixel use the same residual element">,
  Reserved<1>,
  U16<"sumScale", "multiplier of the sum's requantization">,
  U32<"residualRowStride", "bytes">,
  U32<"residualPixelStride", "bytes">,
  S32<"mainZeroPoint", "zero point added to the convolution's own result">,
  S32<"residualZeroPoint", "zero point added to the residual">,
  U16<"mainScale", "multiplier that aligns the convolution's result">,
  U16<"residualScale", "multiplier that aligns the residual">,
  S8<"sumShift", "right shift of the sum's requantization">,
  Mode<"sumOp", "SumOp", 4, "0 ADD, 1 SUB (result minus residual), 2 RSUB (residual minus result), 3 MUL, 4 MAX, 5 MIN">,
  Reserved<20>,
  S32<"sumZeroPoint", "subtracted from the requantized sum">,
  S32<"sumMin", "lower bound of the sum's clip">,
  S32<"sumMax", "upper bound of the sum's clip">,
  Sram<"lut", "table of 2^lutLog2Items entries of type lutType", [Reads<"bytes(uint64_t(1) << (lutLog2Items & 31), elementBytes(lutType))", "hasLut && !accumulateOut">]>,
  Enum<"lutType", "ElementType", 4, "element type of the table and of the output">,
  U8<"lutLog2Items", "log2 of the table's length">,
  U8<"lutInputBits", "width of the index before interpolation: 1 to 16">,
  Reserved<12>,
  S32<"lutInputMin", "subtracted from a value to get the index">,
  U16<"scaleHigh", "wideScale without perChannel: bits 30 to 16 of scale">,
  U16<"sumScaleHigh", "wideSum: bits 30 to 16 of sumScale">,
  U16<"mainScaleHigh", "wideSum: bits 30 to 16 of mainScale">,
  U16<"residualScaleHigh", "wideSum: bits 30 to 16 of residualScale">
])> {
  let optionalWords = 2;
  let summary = "convolution, depthwise convolution or fully connected layer with its epilogue";
  let description = [{
    Accumulates input times weights, adds the bias, applies the activation,
    requantizes with round half to even, then optionally adds a residual (with
    its own requantization) and looks the result up in a table. Accumulators
    have 32 bits for 8-bit inputs and 48 bits for 16-bit inputs; the compiler
    proves that no sum leaves that range.

    A requantization is round(sum * scale / 2^shift), with a 64-bit product and
    one rounding: half to even, or with halfUp half towards plus infinity. A
    negative shift multiplies, and results beyond 64 bits saturate. Scales have
    16 bits, or 31 bits with wideScale, whose bit 31 is ignored. Products of
    32-bit sums always stay within 2^62, where the rounding is exact; for 48-bit
    sums the compiler proves it. wideSum does the same for the residual:
    mainScale, residualScale and sumScale have 31 bits, and the sum of their
    products 64. Both require a machine that has them.

    The residual is the second operand of sumOp. With the convolution's own
    result m and the residual's element r, sumOp gives

    ```
    ADD   (m + mainZeroPoint) * mainScale + (r + residualZeroPoint) * residualScale
    SUB   the first term minus the residual's term
    RSUB  the residual's term minus the first term
    MAX   the greater of both terms,   MIN the lesser
    MUL   (m + mainZeroPoint) * (r + residualZeroPoint), without the scales; r can
          be int32 only with wideSum
    ```

    in 64 bits. Then follow sumActivation and the requantization with sumScale
    and sumShift. If sumActivation is LEAKYRELU or PRELU, it uses the command's
    slope, slopes and slopeShift, and `activation` can be neither of them. The
    compiler proves that no product exceeds 2^62.

    If winograd is not none, Winograd's algorithm computes the sums from tiles:
    f(2,3) computes 1 x 2 results from 3 x 4 inputs, f(2x2,3x3) computes 2 x 2
    results from 4 x 4 inputs. The first tile begins at the first window, and
    each next tile two columns (with f(2x2,3x3) also two rows) further on. With

    ```
    B^T = [1 0 -1 0; 0 1 1 0; 0 -1 1 0; 0 1 0 -1]
    A^T = [1 1 1 0; 0 1 -1 -1]
    ```

    and d the inputs of a tile and a channel (with padding, and minus 128 if
    inType is uint8) the engine computes for each output channel

    ```
    V = d B                   for f(2,3);   B^T d B     for f(2x2,3x3)
    M = sum over the input channels of weights * V, tap by tap
    M = M << tap shift        if hasTapShifts
    y = (1 1 1) M A           for f(2,3);   A^T M A     for f(2x2,3x3)
    y = y >> winogradShift    arithmetic
    ```

    and continues with bias, activation and so on, as with any sum. Results of
    the last tiles beyond outHeight and outWidth are dropped. All integers are
    exact: transformed inputs have 9 bits for f(2,3) and 10 for f(2x2,3x3); M, y
    and y with the bias have 32 bits, which the compiler proves from the weights.
    To make up for the subtracted 128, the descriptor's bias contains (128 * k *
    sum of the weights of one tap << its shift) >> winogradShift: for f(2,3) k =
    2 and column 1 of each of the three rows, for f(2x2,3x3) k = 4 and tap (1,1).
    Only these taps of the transform of a constant input are not zero.

    A layer with weights w gives exact results with the weights 2G w (2G)^T, G =
    [1 0 0; 1/2 1/2 1/2; 1/2 -1/2 1/2; 0 0 1], and winogradShift 2: products are
    four times those of the layer. With f(2,3) the weights are w (2G)^T and
    winogradShift 1: products are twice those of the layer.

    The mode requires a machine that has it; kernelY and kernelX 3; strides,
    dilations and groups 1; not depthwise; neither accumulateIn nor
    accumulateOut; inType int8 or uint8, and a padValue of that type; weightType
    int8, or int16 on a machine whose winograd.weightBits is above 8, with
    weights that fit these bits; tap shifts of at most 15. Without the mode,
    hasTapShifts and winogradShift must be 0. Anything else is a fault.

    Packed weights are one row of 4-bit two's complement numbers, -8 to 7, in
    the order of the layout above. A filter with an odd number of weights ends in
    the middle of a byte. The engine widens the weights after its weight buffers.
    Winograd mode does not support packed weights.
  }];
}

def MatMul : Descriptor<"matmul", 0x11, TensorEngine, [
  Enum<"aType", "ElementType", 4, "element type of A">,
  Enum<"bType", "ElementType", 4, "element type of B">,
  Enum<"outType", "ElementType", 4, "element type written">,
  Flag<"wideScale", "the multiplier has 31 bits instead of 16">,
  Flag<"halfUp", "the requantization rounds halves up, not to even">,
  Reserved<18>,
  Sram<"a", "A [batch][rows][inner]", [Reads<"strided(elementBytes(aType), {{batch, aBatchStride}, {rows, aRowStride}, {inner, aInnerStride}})">]>,
  Sram<"b", "B [batch][inner][columns]", [Reads<"strided(elementBytes(bType), {{batch, bBatchStride}, {inner, bInnerStride}, {columns, bColumnStride}})">]>,
  Sram<"output", "C [batch][rows][columns]", [Writes<"strided(uint64_t(elementBytes(outType)) * columns, {{batch, outBatchStride}, {rows, outRowStride}})">]>,
  U32<"batch", "number of products">,
  U32<"rows", "rows of A and C">, U32<"inner", "columns of A, rows of B">,
  U32<"columns", "columns of B and C">,
  U32<"aBatchStride", "bytes">, U32<"aRowStride", "bytes">, U32<"aInnerStride", "bytes">,
  U32<"bBatchStride", "bytes">, U32<"bInnerStride", "bytes">, U32<"bColumnStride", "bytes">,
  U32<"outBatchStride", "bytes">, U32<"outRowStride", "bytes">,
  S32<"aZeroPoint", "added to every element of A">,
  S32<"bZeroPoint", "added to every element of B">,
  U16<"scale", "multiplier of the requantization">,
  S8<"shift", "right shift of the requantization">,
  Reserved<8>,
  S32<"outZeroPoint", "subtracted after rounding">,
  S32<"outMin", "lower bound of the clip">,
  S32<"outMax", "upper bound of the clip">,
  U16<"scaleHigh", "wideScale: bits 30 to 16 of scale">,
  Reserved<16>
]> {
  let optionalWords = 1;
  let summary = "batched product of two activations with requantization";
}

def Pool : Descriptor<"pool", 0x12, TensorEngine, !listconcat([
  Enum<"inType", "ElementType", 4, "element type of the input">,
  Enum<"outType", "ElementType", 4, "element type written">,
  Enum<"method", "PoolMethod", 4, "MAX or AVG">,
  Flag<"countIncludePad", "AVG: divide by the area of the whole window, even at borders">,
  Flag<"wideScale", "AVG: 24-bit reciprocals instead of 16-bit ones">,
  Reserved<18>
], InputFields, [
  S32<"inZeroPoint", "AVG: added to every element; MAX: unused">,
  S32<"padValue", "MAX: value outside the tensor">,
  S32<"firstRow", "index in the tensor of the first held row; windows count only cells inside the tensor">,
  U32<"tensorHeight", "rows of the whole tensor">,
  Sram<"reciprocals", "AVG: {uint16 scale, int8 shift, bits 23 to 16 of scale with wideScale, else zero} for each window area 1..kernelY*kernelX", [Reads<"bytes(uint64_t(kernelY) * kernelX, 4)", "method == PoolMethod::Avg">]>
], OutputFields<"uint64_t(elementBytes(outType))">.fields)> {
  let summary = "maximum or average pooling";
}

#endif // YARROW_ISA_DESCRIPTORS_TD
