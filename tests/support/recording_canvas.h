#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/equation/box.h"
#include "experiments/text/utf8.h"

namespace orrery::test {

/// A Canvas that logs what is drawn, one line per call. Every character of its font is 0.6 em wide
/// and a line is 1.2 em high; those of symbols are as wide and high as they are.
class RecordingCanvas final : public Canvas {
 public:
  struct Text {
    Rect box{};
    std::string utf8{};
    TextStyle style{};
  };

  void line_strip(std::span<const Point> strip, const Stroke& stroke) override {
    log_ += fmt::format("line {} {}", number(stroke.width), color(stroke.color));
    if (stroke.dash != Dash::solid) log_ += stroke.dash == Dash::dashed ? " dashed" : " dotted";
    add_points(strip);
  }
  void fill(std::span<const Point> polygon, Color c) override {
    log_ += "fill " + color(c);
    add_points(polygon);
  }
  void rect(const Rect& r, Color c) override {
    log_ += fmt::format("rect {} {}\n", box(r), color(c));
    note(r);
  }
  void image(const std::shared_ptr<const Image>& i, const Rect& target, Filter filter) override {
    log_ += fmt::format("image {}x{} to {} {}\n", i->width, i->height, box(target),
                        filter == Filter::nearest ? "nearest" : "linear");
    images.push_back(i);
    note(target);
  }
  void text(Point anchor, std::string_view utf8, const TextStyle& style) override {
    const Rect placed = text_box(anchor, utf8, style);
    log_ += fmt::format("text {} {} {}{}{}{} \"{}\"\n", box(placed), number(style.size),
                        color(style.color), style.bold ? " bold" : "", face(style.face),
                        style.upward ? " upward" : "", utf8);
    texts.push_back({placed, std::string(utf8), style});
    add_point({placed.x, placed.y});
    add_point({placed.right(), placed.bottom()});
  }
  void push_clip(const Rect& r) override {
    log_ += fmt::format("clip {}\n", box(r));
    clips_.push_back(r);
  }
  void pop_clip() override {
    log_ += "unclip\n";
    clips_.pop_back();
  }
  Size text_size(std::string_view utf8, const TextStyle& style) const override {
    if (style.face != Face::sans) return {ink_of(utf8, style).advance, 1.2 * style.size};
    const auto characters = std::count_if(utf8.begin(), utf8.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    return {0.6 * style.size * static_cast<double>(characters), 1.2 * style.size};
  }

  const std::string& log() const { return log_; }
  bool balanced() const { return clips_.empty(); }

  std::vector<Text> texts;
  std::vector<std::shared_ptr<const Image>> images;
  bool all_finite{true};
  std::size_t points{0};
  double farthest{0.0};  ///< largest coordinate received, clipped or not

 private:
  static std::string number(double v) {
    const double rounded = std::round(v * 100.0) / 100.0;
    return fmt::format("{:.2f}", rounded == 0.0 ? 0.0 : rounded);
  }
  static std::string color(Color c) {
    return fmt::format("#{:02x}{:02x}{:02x}{:02x}", c.r, c.g, c.b, c.a);
  }
  static std::string_view face(Face face) {
    if (face == Face::sans) return "";
    return face == Face::italic ? " italic" : " roman";
  }
  static std::string box(const Rect& r) {
    return fmt::format("[{} {} {} {}]", number(r.x), number(r.y), number(r.width),
                       number(r.height));
  }
  static double start(HorizontalAlign align, double width) {
    return align == HorizontalAlign::left
               ? 0.0
               : (align == HorizontalAlign::center ? -0.5 : -1.0) * width;
  }
  static double start(VerticalAlign align, double height) {
    if (align == VerticalAlign::baseline) return -1901.0 / 2384 * height;
    return align == VerticalAlign::top ? 0.0
                                       : (align == VerticalAlign::middle ? -0.5 : -1.0) * height;
  }
  /// Of letters of a formula, in points.
  static LetterExtent ink_of(std::string_view utf8, const TextStyle& style) {
    LetterExtent all;
    for (std::size_t at = 0; at < utf8.size();) {
      const LetterExtent one = letter_extent(next_character(utf8, at), style.face, style.bold);
      all.advance += one.advance * style.size;
      all.ascent = std::max(all.ascent, one.ascent * style.size);
      all.descent = std::max(all.descent, one.descent * style.size);
    }
    return all;
  }
  Rect text_box(Point anchor, std::string_view utf8, const TextStyle& style) const {
    Size size = text_size(utf8, style);
    const double along = start(style.horizontal, size.width);
    double across = start(style.vertical, size.height);
    if (style.face != Face::sans && style.vertical == VerticalAlign::baseline) {
      const LetterExtent ink = ink_of(utf8, style);
      across = -ink.ascent;
      size.height = ink.ascent + ink.descent;
    }
    if (!style.upward) return {anchor.x + along, anchor.y + across, size.width, size.height};
    return {anchor.x + across, anchor.y - along - size.width, size.height, size.width};
  }
  void add_points(std::span<const Point> list) {
    log_ += ":";
    for (const Point& p : list) {
      log_ += fmt::format(" {},{}", number(p.x), number(p.y));
      add_point(p);
    }
    log_ += "\n";
  }
  void add_point(Point p) {
    all_finite = all_finite && std::isfinite(p.x) && std::isfinite(p.y);
    farthest = std::max({farthest, std::abs(p.x), std::abs(p.y)});
    ++points;
  }
  void note(const Rect& r) {
    add_point({r.x, r.y});
    add_point({r.right(), r.bottom()});
  }

  std::string log_;
  std::vector<Rect> clips_;
};

}  // namespace orrery::test
