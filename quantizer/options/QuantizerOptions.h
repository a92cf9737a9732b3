//===- QuantizerOptions.h - How a network is quantized --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Options of the quantizer, named after the keys of an AIPUBuilder
// configuration, with its defaults. Any of them can be overridden for some
// layers; later overrides win.
//
//   QuantizerOptions options;
//   options.global.weightMethod.perChannel = true;
//   LayerOverride sixteen;
//   sixteen.layerTypes = {"Softmax", "LayerNorm"};
//   sixteen.apply = [](LayerOptions &o) { o.activationBits = 16; };
//   options.overrides.push_back(sixteen);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OPTIONS_QUANTIZEROPTIONS_H
#define YARROW_QUANTIZER_OPTIONS_QUANTIZEROPTIONS_H

#include "quantizer/math/QuantParams.h"
#include "quantizer/observe/Observer.h"
#include "quantizer/options/GlobalMethod.h"
#include "quantizer/options/ScaleUnion.h"
#include "support/ElementType.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yarrow {

class IrRanges;

enum class SoftmaxMethod {
  Auto,   ///< table where it decides a result or order, else powers of two
  Lut,    ///< table of exponentials: accurate
  FastExp ///< powers of two: no table, coarse
};

/// The form of a 3x3 convolution's weights (rules/Winograd.h).
enum class WinogradTransform {
  None,    ///< direct
  F2_3,    ///< along the width: 12 weights for 9, 2/3 of the multiplications
  F2x2_3x3 ///< along both axes: 16 weights for 9, 4/9 of the multiplications
};

struct LayerOptions {
  QuantMethod weightMethod{false, RangeMode::SymmetricRestricted};
  QuantMethod activationMethod{false, RangeMode::SymmetricFull};
  unsigned weightBits = 8;      ///< weight_bits, 2..16 (BatchNorm: always 16)
  unsigned normWeightBits = 16; ///< of BatchNorm, by opt_config
  unsigned activationBits = 8;  ///< activation_bits, 4..16
  unsigned biasBits = 32;       ///< bias_bits, 16..48
  unsigned biasEffectiveBits = 32; ///< bias_effective_bits
  unsigned multiplierBits = 0;     ///< multiplier_bits; 0: activationBits
  unsigned lutItemsInBits = 8;     ///< lut_items_in_bits
  bool unifyShifts = true;         ///< unify_shifts_for_aiff
  /// unify_shifts_merge
  ShiftsMerge shiftsMerge = ShiftsMerge::Layer;
  bool forceShiftPositive = false; ///< force_shift_positive
  bool adaptBiasBits = false;      ///< bias_effective_bits_auto_adaption
  bool perfMode = true;            ///< perf_mode_for_lib
  bool resizeToNearest = false;    ///< resize_degrade_to_nearest
  bool compressWeights = false;    ///< optimize_wdc_for_x2
  bool keepIntegers = false;       ///< set_qinvariant_for_start_nodes
  /// unify_scales_for_multi_inputs_operators; those of other types are passed
  /// over.
  std::vector<ScaleUnion> scaleUnions;
  bool sharesCacheScale = false; ///< unify_scales_for_kvc_concat
  float alignThreshold = 1; ///< Input scales within this ratio count as one.
  bool forceSigned = false; ///< force_dtype_int
  CalibrationStrategy weightStrategy{CalibrationStrategy::Kind::Extrema};
  CalibrationStrategy activationStrategy{CalibrationStrategy::Kind::Mean};
  /// range_headroom_of_16_bits: such activations get the extrema times this.
  float wideRangeHeadroom = 1;
  /// A Concat has activationBits if its branches have fewer.
  bool widensConcat = false;
  ObserverOptions observer; ///< Of weights and activations.
  SoftmaxMethod softmaxMethod = SoftmaxMethod::Auto;
  // adapt_to_functions, but for what other keys decide:
  bool fitsTables = false; ///< Tables have the items that functions ask for.
  unsigned mostTableItemsInBits = 12; ///< Of a table that is fitted.
  bool raisesBits = false;  ///< Steep functions read 16 bits where 8 are few.
  bool keepsDigits = false; ///< Softmax and norms lose none that 32 bits hold.
  /// trigger_float_op: what the layer computes in, in the place of integers.
  std::optional<ElementType> floatType;
  /// What has chosen that, for who is told of it.
  std::string floatReason;
  /// With floatType: weights of convolutions and fully connected layers are
  /// integers of weightBits all the same.
  bool weightsOnly = false;
  unsigned weightBlockSize = 256; ///< weight_block_size, of per_block_ methods
  /// Where a convolution's window allows it.
  WinogradTransform winograd = WinogradTransform::None;

  unsigned multiplierWidth() const {
    // Of 4 bits there are too few for any ratio.
    return multiplierBits ? multiplierBits : std::max(activationBits, 8u);
  }
  /// How channels share shifts, where \p areShared.
  ShiftRules shiftRules(bool areShared) const {
    return {areShared && unifyShifts, forceShiftPositive, shiftsMerge};
  }
  /// 16-bit activations are symmetric, whatever the method says
  /// (hasZeroPoints).
  void settle();
};

/// Applies to layers that meet every condition that is given.
struct LayerOverride {
  std::vector<std::string> layerTypes; ///< without case; empty: any
  /// Inclusive ranges of layer_id; empty: any.
  std::vector<std::pair<unsigned, unsigned>> layerIds;
  std::string nameRegex; ///< of the whole layer_name; empty: any
  std::function<void(LayerOptions &)> apply;
};

struct QuantizerOptions {
  LayerOptions global;
  std::vector<LayerOverride> overrides;
  unsigned calibrationBatchSize = 1; ///< calibration_batch_size
  std::vector<GlobalMethod> methods; ///< global_calibration, as given
  bool shufflesSamples = false;      ///< calibration_shuffe
  /// enable_pass_detect_inf_mask_nodes: masked values have no part in ranges
  /// (masks/MaskRanges.h).
  bool detectsMasks = false;
  /// split_resizes: one axis after the other (prepare/ResizeAxes.h).
  bool splitsResizes = false;
  /// False where a copy is quantized to see its scales.
  bool unifiesScales = true;
  /// Every statistic of every tensor, whatever its strategy needs.
  bool takesAllStatistics = false;
  /// Of the IR before clean-up, for the strategy in_ir. If null, those that the
  /// calibrated module still has.
  std::shared_ptr<const IrRanges> rangesInIr;

  LayerOptions forLayer(const std::string &layerType, const std::string &name,
                        unsigned layerId) const;
};

/// A value that no layer can be quantized with.
struct OptionProblem {
  std::string key; ///< Of a configuration: "activation_bits".
  std::string found, expected;
};
/// Empty if \p options make sense, whatever the layer.
std::vector<OptionProblem> problemsOf(const LayerOptions &options);

} // namespace yarrow

#endif // YARROW_QUANTIZER_OPTIONS_QUANTIZEROPTIONS_H
