//===- KeyChecks.cpp - Keys by what other keys say ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/KeyChecks.h"

#include "compiler/config/ConfigKeys.h"
#include "compiler/config/Ini.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/data/DataSet.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <initializer_list>

using namespace yarrow;
using namespace yarrow::config;

namespace {

std::string optimizerKey(const char *key) {
  return std::string("Optimizer.") + key;
}

/// The keys of [AutoQuantizationTool] before it became [Optimizer].
class OldKeys {
public:
  OldKeys(BuildConfig &config, std::vector<std::string> &unused,
          DiagnosticEngine &diags)
      : config(config), unused(unused), diags(diags) {}

  bool translate() {
    if (counts("quantize_method", {"quantize_method_for_activation"}) &&
        config.oldQuantizeMethod == "ASYMMETRIC")
      set("quantize_method_for_activation", "per_tensor_asymmetric",
          "quantize_method");
    if (counts("ops_per_channel", {"quantize_method_for_weight"}) &&
        !config.oldOpsPerChannel.empty())
      set("quantize_method_for_weight",
          "per_tensor_symmetric_restricted_range & <[" + typesPerChannel() +
              "]:per_channel_symmetric_restricted_range>",
          "ops_per_channel");
    if (counts("quant_precision", {"weight_bits", "activation_bits"}))
      for (const char *key : {"weight_bits", "activation_bits"})
        set(key, config.oldQuantPrecision == "int16" ? "16" : "8",
            "quant_precision");
    if (counts("dataset_name", {"dataset"}))
      set("dataset", config.oldDatasetName, "dataset_name");
    checkLabels();
    return ok;
  }

private:
  /// Whether a file gives \p old, and none of \p keys that say the same.
  bool counts(const char *old, std::initializer_list<const char *> keys) {
    if (!config.isSet(optimizerKey(old)))
      return false;
    for (const char *key : keys)
      if (config.isSet(optimizerKey(key))) {
        unused.push_back(std::string(old) + " (" + key + " is given)");
        return false;
      }
    return true;
  }

  /// Problems are those of the old key.
  void set(const char *key, const std::string &value, const char *old) {
    ok &= setConfigKey("Optimizer", key, value, "", config, diags,
                       config.place(optimizerKey(old)));
  }

  std::string typesPerChannel() const {
    std::string types;
    for (const std::string &type : config.oldOpsPerChannel)
      types += (types.empty() ? "" : ",") + type;
    return types;
  }

  /// Which way labels were moved differed between models: they have to be the
  /// numbers of the classes.
  void checkLabels() {
    if (config.oldLabelIdOffset == 0)
      return;
    if (config.label.empty()) {
      unused.push_back("label_id_offset");
      return;
    }
    ok = false;
    diags
        .report(diag::QuantUnsupported,
                config.place(optimizerKey("label_id_offset")),
                "label_id_offset has a value that is not supported")
        .found(std::to_string(config.oldLabelIdOffset))
        .expected("0, with labels that are class numbers");
  }

  BuildConfig &config;
  std::vector<std::string> &unused;
  DiagnosticEngine &diags;
  bool ok = true;
};

} // namespace

bool yarrow::config::translateOldKeys(BuildConfig &config,
                                      std::vector<std::string> &unused,
                                      DiagnosticEngine &diags) {
  return OldKeys(config, unused, diags).translate();
}

static bool checkDataset(const BuildConfig &config, DiagnosticEngine &diags) {
  // What dataset_name named was no plug-in: imagenet.
  bool isOld = config.isSet("Optimizer.dataset_name");
  if (config.dataset.empty() || (isOld && !findDataSet(config.dataset)))
    return true;
  return checkDataSet(config.dataset, config.place("Optimizer.dataset"),
                      diag::ConfigNotApplied, diags);
}

bool yarrow::config::checkValues(const BuildConfig &config,
                                 DiagnosticEngine &diags) {
  bool arePicturesGood = pictureOptions(config, diags).has_value();
  return checkDataset(config, diags) && arePicturesGood;
}
