//===- Rules.td - Quantization rules --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A rule serves operators that are quantized alike; their records name it. It is
// one function of the quantizer (quantizer/rules), which is called by the rule's
// name and asks no more which operator it has.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_RULES_TD
#define YARROW_DIALECTS_COMPASS_RULES_TD

// n: what integer layers of the rule hold, the default of `integerNeeds` of the
// operator's record.
class Rule<string d, list<string> n = []> {
  string doc = d;
  list<string> needs = n;
  // quantizeConcat of ConcatRule.
  string function = "quantize" # !subst("Rule", "", NAME);
}
// Of operators that the quantizer refuses.
class RefusedRule<string d> : Rule<d> { let function = "refuseLayer"; }

defvar ScaleAndShift = ["scale_value|scale", "shift_value|shift"];

//===--- The graph ----------------------------------------------------------===//
def ControlRule : Rule<"none (control flow)">;
def InputRule : Rule<"the calibrated range of the values; integers kept">;
def ConstantRule : Rule<"whole numbers kept, other values quantized over their range">;
def CastRule : Rule<"conversion">;
def ConversionRule : RefusedRule<"none (between integers and floats)">;

//===--- Products -----------------------------------------------------------===//
def MacRule : Rule<"multiply-accumulate: weights per tensor or channel, bias at the product's scale", ScaleAndShift>;
def DepthwiseRule : Rule<"multiply-accumulate: a filter for each channel, bias at the product's scale", ScaleAndShift>;
def TransposedRule : Rule<"multiply-accumulate: groups share filters, bias at the product's scale", ScaleAndShift>;
def MatMulRule : Rule<"product of two activations", ScaleAndShift>;
def GemmRule : Rule<"product and addend brought to the finer of their two scales", ScaleAndShift>;
def IntegerProductRule : Rule<"product of plain integers in 32 bits">;
def ResettingAfterRule : Rule<"products per gate, tables for the gates' functions; the reset gate scales a product", ScaleAndShift>;
def ResettingBeforeRule : Rule<"products per gate, tables for the gates' functions; the reset gate scales the state", ScaleAndShift>;
def LstmRule : Rule<"products per gate, tables for the gates' functions, sums of two products for the cell state", ScaleAndShift>;
def StoredLstmRule : RefusedRule<"none (the model is quantized already)">;

//===--- Functions of values ------------------------------------------------===//
def EltwiseRule : Rule<"operands aligned to a common scale", ScaleAndShift>;
def RemainderRule : Rule<"operands brought to the result's scale", ScaleAndShift>;
def SquaredDifferenceRule : Rule<"operands brought to a common scale of 15 bits", ScaleAndShift>;
def DivisionRule : Rule<"product with a reciprocal from a table", ScaleAndShift>;
def BatchNormRule : Rule<"per-channel multiply and add", ScaleAndShift>;
def BiasAddRule : Rule<"bias at the input's scale", ScaleAndShift>;
def MorphologyRule : Rule<"input and weights aligned to a common scale", ScaleAndShift>;
def LutRule : Rule<"look-up table over the input's range">;
def PeriodicRule : Rule<"look-up table over the input's range, of 16 bits over one period">;
def PowRule : Rule<"look-up table over the input's range, or of logarithms and exponentials">;
def ActivationRule : Rule<"clip, or look-up table, by method">;
def CustomTableRule : Rule<"look-up table over the input's range, filled by the plugin's float kernel">;
def CustomRequantRule : Rule<"the plugin's integer kernel, with multipliers to the result's scale">;
def CustomFloatRule : RefusedRule<"none (the plugin has no integer form)">;
def AbsRule : Rule<"magnitude kept, scale changed">;
def NegativeRule : Rule<"scale kept, zero point changed">;
def SignRule : Rule<"-1, 0 and 1 kept">;
def RotaryRule : Rule<"factors in float32, no zero points">;
def LogicalRule : Rule<"operands aligned; the result is a truth value">;
def TruthRule : Rule<"the result is a truth value">;
def StoredRule : Rule<"operands of one type, not rescaled">;
def BitShiftRule : Rule<"values not rescaled">;

//===--- Movement and selection ---------------------------------------------===//
def PassRule : Rule<"values moved, scale shared with the input">;
def PadRule : Rule<"values moved, scale shared with the input, border quantized with it">;
def RequantRule : Rule<"value kept, scale changed">;
def Col2ImRule : Rule<"value kept, scale changed, no zero point">;
def ConcatRule : Rule<"branches aligned to the output's scale">;
def WhereRule : Rule<"choices brought to the output's scale">;
def ScatterElementsRule : Rule<"data and updates aligned within the bits of both", ScaleAndShift>;
def ScatterNDRule : Rule<"data and updates aligned to a common scale", ScaleAndShift>;
def ResizeRule : Rule<"scale shared with the input, fixed-point weights">;
def PoolRule : Rule<"scale shared with the input">;
def FractionalPoolRule : Rule<"scale shared with the input, borders as integers">;
def ArgMinMaxRule : Rule<"indices along an axis">;
def NonZeroRule : Rule<"coordinates and their number">;
def OneHotRule : Rule<"off and on kept if they are whole numbers">;
def ConstantOfShapeRule : Rule<"the value kept if it is a whole number">;
def ShapeRule : Rule<"lengths in 32 bits">;
def CountRule : Rule<"counts, bounds at the input's scale">;
def ZeroFractionRule : Rule<"a fraction over all integers of the result">;
def NmsRule : Rule<"overlaps in whole numbers, boxes and scores kept">;
def BoundingBoxRule : Rule<"tables for the exponentials of sizes">;
def MultiboxRule : Rule<"anchors in integers, tables for the exponentials of sizes">;
def DecodeBoxRule : Rule<"anchors in integers, tables for the exponentials of sizes">;
def DetectionOutputRule : Rule<"tables of the deltas, scores kept">;
def ProposalRule : Rule<"anchors in integers, tables of the deltas">;
def GenerateProposalsRule : Rule<"anchors in integers, tables of the deltas">;
def RegionRule : Rule<"tables for sigmoids and exponentials">;
def RegionFuseRule : Rule<"boxes and scores of all inputs at one scale">;
def ValidCountRule : Rule<"a threshold at the scale of the scores">;
def FilterBoxesRule : Rule<"a threshold at the scale of the scores">;
def PostNmsRule : Rule<"boxes kept, multipliers to the image">;
def CropAndResizeRule : Rule<"boxes cast to fractions, fixed-point weights">;
def GridSampleRule : Rule<"positions by tables, fixed-point weights">;
def RoiAlignRule : Rule<"regions cast to whole numbers, fixed-point weights">;
def PyramidRoiAlignRule : Rule<"regions in whole numbers, fixed-point weights">;
def AffineGridRule : Rule<"products with tables of positions">;
def MaxRoiPoolRule : Rule<"scale shared with the map, regions in whole numbers">;
def ColoursRule : Rule<"colours kept, with the coefficients of the conversion">;
def FilterRule : Rule<"slices moved, and their number">;
def AccidentalHitsRule : Rule<"indices and their number">;
def GreedyDecoderRule : Rule<"numbers of classes">;
def DetectionRule : RefusedRule<"none yet (lists of boxes, hashes, random choices)">;

//===--- Sums and norms -----------------------------------------------------===//
def ReduceRule : Rule<"sum, with the divisor folded into the scale">;
def CumulateRule : Rule<"a multiplier for each length of the product">;
def SegmentRule : Rule<"sum, scale changed">;
def EmbeddingRule : Rule<"weighted sum of rows, an inverse root with its own scale">;
def MomentsRule : Rule<"mean at the input's scale, variance at its own">;
def NormalizedMomentsRule : Rule<"sums aligned, table of the mean's square">;
def SufficientStatisticsRule : Rule<"values and shift brought to a common scale of 15 bits">;
def LayerNormRule : Rule<"integer inverse square root", ScaleAndShift>;
def InstanceNormRule : Rule<"integer inverse square root of each image's channel", ScaleAndShift>;
def GroupNormRule : Rule<"integer inverse square root of each image's group of channels", ScaleAndShift>;
def MvnRule : Rule<"integer inverse square root, without weights", ScaleAndShift>;
def RmsNormRule : Rule<"integer inverse square root, without mean", ScaleAndShift>;
def NormalizationRule : Rule<"norm cancels the input's scale", ScaleAndShift>;
def LrnRule : Rule<"table of powers of the mean square", ScaleAndShift>;
def SoftmaxRule : Rule<"exponential table or powers of two">;
def LogSoftmaxRule : Rule<"exponential table of floats, float logarithm">;

#endif // YARROW_DIALECTS_COMPASS_RULES_TD
