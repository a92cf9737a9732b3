//===- Svg.h - Plots in pages -----------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The shapes of which the plots of our HTML pages are made. A shape may have a
// title, which browsers show at the pointer and read aloud.
//
//   std::string content = svg::line(0, 10, 100, 10, "#ccc") +
//                         svg::circle(50, 10, 4, svg::kBlue, "conv1: 12 dB");
//   page += svg::picture(100, 20, content);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_SVG_H
#define YARROW_SUPPORT_SVG_H

#include <string>
#include <string_view>

namespace yarrow::svg {

/// Colours that stay apart for most eyes (Okabe and Ito).
constexpr const char kGrey[] = "#999999", kBlue[] = "#0072b2",
                     kSky[] = "#56b4e9", kPurple[] = "#cc79a7",
                     kYellow[] = "#f0e442", kVermilion[] = "#d55e00",
                     kOrange[] = "#e69f00", kGreen[] = "#009e73";

/// Text for a page or an attribute in it.
std::string escaped(std::string_view text);
std::string rectangle(double x, double y, double width, double height,
                      const std::string &colour, const std::string &title);
std::string circle(double x, double y, double radius, const std::string &colour,
                   const std::string &title);
std::string line(double x1, double y1, double x2, double y2,
                 const std::string &colour);
/// \p points are "x,y x,y"; see point().
std::string polyline(const std::string &points, const std::string &colour);
std::string point(double x, double y);
std::string label(double x, double y, const std::string &text,
                  const char *anchor = "start");
std::string picture(double width, double height, const std::string &content);
/// A small square of the colour and what it stands for, outside of a picture.
std::string key(const std::string &colour, const std::string &text);

} // namespace yarrow::svg

#endif // YARROW_SUPPORT_SVG_H
