//===- Segmentation.cpp - Metrics of a class for each pixel ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// All from one table: of the pixels that are of a class, how many were given
// each class. Labels that are no class (255) are left out.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "quantizer/scores/MeanScore.h"
#include "quantizer/scores/Resize.h"

#include <cmath>
#include <limits>

using namespace yarrow;

namespace {

/// How an output becomes a class per pixel.
enum class Channels { Last, First, Chosen };
enum class Figure { MeanIou, MeanIouOfSeen, F1 };

struct Form {
  Channels channels = Channels::Last;
  Figure figure = Figure::MeanIou;
  std::size_t classes = 0; ///< 0: as many as the output has.
  std::size_t size = 0;    ///< Not 0: scores are resized to size x size.
};

class Segmentation : public Score {
public:
  explicit Segmentation(Form form) : form(form) {}

  std::string misfit(const ScoreContext &context) const override {
    const ScoreShape &output = context.outputs[0];
    if (form.channels != Channels::Chosen && output.size() != 3)
      return form.channels == Channels::Last
                 ? "an output [height,width,classes]"
                 : "an output [classes,height,width]";
    if (form.figure == Figure::F1 && classesOf(output) < 2)
      return "an output of two classes or more";
    std::size_t pixels = form.size ? form.size * form.size
                         : form.channels == Channels::Chosen
                             ? countOf(output)
                             : countOf(output) / classesOf(output);
    return expectLabel(context, pixels);
  }

  std::vector<double> observe(const ScoredSample &sample) const override {
    const ScoredTensor &output = sample.outputs[0];
    std::size_t classes = classesOf(output.shape);
    std::vector<std::size_t> chosen = chosenOf(output);
    std::vector<double> table(classes * classes);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      float label = sample.labels[0].values[i];
      if (label >= 0 && label < float(classes) && chosen[i] < classes)
        ++table[std::size_t(label) * classes + chosen[i]];
    }
    return table;
  }

  void add(std::span<const double> observation) override {
    table.resize(observation.size());
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] += observation[i];
  }

  std::optional<double> result(DiagnosticEngine &) override {
    auto classes = std::size_t(std::lround(std::sqrt(double(table.size()))));
    if (form.figure == Figure::F1)
      return f1(classes);
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      Counts counts = countsOf(c, classes);
      double all = counts.ofLabel + counts.ofOutput - counts.both;
      if (form.figure == Figure::MeanIouOfSeen && counts.ofLabel == 0)
        continue;
      sum += all ? counts.both / all : 0;
      ++count;
    }
    return count ? sum / double(count)
                 : std::numeric_limits<double>::quiet_NaN();
  }

private:
  struct Counts {
    double both = 0, ofLabel = 0, ofOutput = 0;
  };
  Counts countsOf(std::size_t c, std::size_t classes) const {
    Counts counts;
    counts.both = table[c * classes + c];
    for (std::size_t other = 0; other < classes; ++other) {
      counts.ofLabel += table[c * classes + other];
      counts.ofOutput += table[other * classes + c];
    }
    return counts;
  }
  double f1(std::size_t classes) const {
    Counts counts = countsOf(1, classes);
    double precision = counts.both / counts.ofOutput,
           recall = counts.both / counts.ofLabel;
    return 2 * precision * recall / (precision + recall);
  }

  std::size_t classesOf(std::span<const int64_t> shape) const {
    if (form.classes)
      return form.classes;
    return std::size_t(form.channels == Channels::Last ? shape.back()
                                                       : shape.front());
  }

  std::vector<std::size_t> chosenOf(const ScoredTensor &output) const {
    if (form.channels == Channels::Chosen) {
      std::vector<std::size_t> chosen;
      for (float v : output.values)
        chosen.push_back(v >= 0 ? std::size_t(v)
                                : std::numeric_limits<std::size_t>::max());
      return chosen;
    }
    bool isLast = form.channels == Channels::Last;
    std::size_t channels =
        std::size_t(isLast ? output.shape[2] : output.shape[0]);
    std::size_t height = std::size_t(output.shape[isLast ? 0 : 1]),
                width = std::size_t(output.shape[isLast ? 1 : 2]);
    std::size_t pixels = form.size ? form.size * form.size : height * width;
    std::vector<std::size_t> chosen(pixels);
    std::vector<float> best(pixels, -std::numeric_limits<float>::infinity());
    for (std::size_t c = 0; c < channels; ++c) {
      Plane plane{output.values.subspan(isLast ? c : c * height * width),
                  height, width, isLast ? channels : 1};
      std::vector<float> large;
      if (form.size)
        large = resized(plane, form.size, form.size, Resize::Bilinear);
      for (std::size_t i = 0; i < pixels; ++i) {
        float score = form.size ? large[i] : plane.values[i * plane.step];
        if (score > best[i]) {
          best[i] = score;
          chosen[i] = c;
        }
      }
    }
    return chosen;
  }

  Form form;
  std::vector<double> table;
};

std::unique_ptr<Score> make(Form form) {
  return std::make_unique<Segmentation>(form);
}

} // namespace

std::unique_ptr<Score> scores::makeMeanIou(ScoreArguments &) {
  return make({});
}
std::unique_ptr<Score> scores::makeMeanIouChannelsFirst(ScoreArguments &) {
  return make({Channels::First});
}
/// Labels lie as the output does, so the layout changes nothing.
std::unique_ptr<Score> scores::makeMeanIouOfClasses(ScoreArguments &arguments) {
  int64_t classes = arguments.integer("class_num", 19, 1, 10000);
  arguments.word("layout", {"NHWC", "NCHW"});
  return make({Channels::Chosen, Figure::MeanIou, std::size_t(classes)});
}
std::unique_ptr<Score> scores::makeMeanIouResized(ScoreArguments &arguments) {
  int64_t classes = arguments.integer("class_num", 21, 1, 10000),
          size = arguments.integer("size", 513, 1, 100000);
  Channels channels = arguments.integer("channel_axis", 1, 1, 3) == 1
                          ? Channels::First
                          : Channels::Last;
  return make({channels, Figure::MeanIouOfSeen, std::size_t(classes),
               std::size_t(size)});
}
std::unique_ptr<Score> scores::makeF1(ScoreArguments &arguments) {
  bool isLast = arguments.word("layout", {"NHWC", "NCHW"}) == "NHWC";
  return make({isLast ? Channels::Last : Channels::First, Figure::F1});
}
