//===- Svg.cpp - Plots in pages -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Svg.h"
#include "support/Format.h"

#include <algorithm>

using namespace yarrow;

std::string svg::escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

static std::string number(double value) { return formatFixed(value, 1); }

/// ` name="12.0"`
static std::string attribute(const char *name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

static std::string mark(const std::string &name, const std::string &attributes,
                        const std::string &colour, const std::string &title) {
  return "<" + name + attributes + " fill=\"" + colour + "\"><title>" +
         svg::escaped(title) + "</title></" + name + ">\n";
}

std::string svg::rectangle(double x, double y, double width, double height,
                           const std::string &colour,
                           const std::string &title) {
  return mark("rect",
              attribute("x", x) + attribute("y", y) +
                  attribute("width", std::max(width, 0.0)) +
                  attribute("height", std::max(height, 0.0)),
              colour, title);
}

std::string svg::circle(double x, double y, double radius,
                        const std::string &colour, const std::string &title) {
  return mark("circle",
              attribute("cx", x) + attribute("cy", y) + attribute("r", radius),
              colour, title);
}

std::string svg::line(double x1, double y1, double x2, double y2,
                      const std::string &colour) {
  return "<line" + attribute("x1", x1) + attribute("y1", y1) +
         attribute("x2", x2) + attribute("y2", y2) + " stroke=\"" + colour +
         "\"/>\n";
}

std::string svg::polyline(const std::string &points,
                          const std::string &colour) {
  return "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" +
         colour + "\" stroke-opacity=\"0.5\"/>\n";
}

std::string svg::point(double x, double y) {
  return number(x) + "," + number(y) + " ";
}

std::string svg::label(double x, double y, const std::string &text,
                       const char *anchor) {
  return "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" +
         anchor + "\">" + escaped(text) + "</text>\n";
}

std::string svg::picture(double width, double height,
                         const std::string &content) {
  return "<svg" + attribute("width", width) + attribute("height", height) +
         " viewBox=\"0 0 " + number(width) + " " + number(height) + "\">\n" +
         content + "</svg>\n";
}

std::string svg::key(const std::string &colour, const std::string &text) {
  return "<i style=\"background:" + colour + "\"></i>" + escaped(text);
}
