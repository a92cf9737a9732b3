//===- ConvKeys.td - What records of convolutions share -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVKEYS_TD
#define YARROW_DIALECTS_COMPASS_CONV_CONVKEYS_TD

include "dialects/compass/CompassBase.td"

def NumOutput : OptIntKey<"num_output", "output channels; absent: those of the weights", "Both", [], "Expected", AtLeastOne>;

defvar ConvGroup = [IntKey<"group", "number of groups that input and output channels are divided into", "1", [], AtLeastOne>];

// A convolution's kernel may be absent: its weights tell it.
defvar ConvWindow = !listconcat([
  OptIntKey<"kernel_x", "kernel columns; absent: those of the weights", "Both", [], "Expected", AtLeastOne>,
  OptIntKey<"kernel_y", "kernel rows; absent: those of the weights", "Both", [], "Expected", AtLeastOne>],
  Stride2D, Pad2D, Dilation2D);

// Weights of 3-D layers are [output, kernel_y, kernel_x, kernel_z, input].
defvar ConvWindow3D = !listconcat([
  OptIntKey<"kernel_x", "kernel columns; absent: those of the weights", "Both", [], "Expected", AtLeastOne>,
  OptIntKey<"kernel_y", "kernel rows; absent: those of the weights", "Both", [], "Expected", AtLeastOne>,
  OptIntKey<"kernel_z", "kernel planes; absent: those of the weights", "Both", [], "Expected", AtLeastOne>],
  Stride3D, Pad3D, Dilation3D);

// The text names the groups so, the examples and the tools do not.
defvar ScalesAndShifts = [
  KeyVariant<"scales", "scale">, KeyVariant<"scales_type", "scale_type">, KeyVariant<"scales_value", "scale_value">,
  KeyVariant<"shifts", "shift">, KeyVariant<"shifts_type", "shift_type">, KeyVariant<"shifts_value", "shift_value">];

// One reading for all layers with windows of rows and columns.
defvar WindowResolved = [
  Resolved<"for dilation, the text calls x the height and y the width, unlike for kernel and stride",
    "x is the width and y the height throughout, as the examples of Dilation2D and Erosion2D require">,
  Resolved<"absent pads are said to keep the input's shape, which has no meaning with a stride above 1",
    "absent in IR text, they are the least that give the declared shape, half of them, rounded down, at the left and above, or 0 if "
    "none do. The reference tools always write them">];
defvar ConvResolved2D = WindowResolved;
defvar ConvResolved = [
  Resolved<"no key says whether scale and shift have one value or one per channel",
    "if there is a stored tensor (scale_offset ...), it is used and has one value per output channel; otherwise scale_value">,
  Resolved<"how zero points enter the sum is not specified",
    "the bias of integer IR contains the input's zero point times the sum of the weights; padding is stored as -zp. "
    "The weights' zero point is 0 in practice">,
  Resolved<"type and scale of the bias are not specified", "int32 at the product's scale, s_x * s_w, with zero point 0">];

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVKEYS_TD
