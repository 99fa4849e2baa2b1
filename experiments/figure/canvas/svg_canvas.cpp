#include "experiments/figure/canvas/svg_canvas.h"

#include <cairo.h>
#include <fmt/format.h>
#include <nettle/base64.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/figure/canvas/image_surface.h"
#include "experiments/figure/canvas/text_metrics.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr std::int64_t steps_per_point = 100;  ///< everything is rounded to two decimals

std::int64_t rounded(double value) {
  check_invariant(std::isfinite(value), "points on a Canvas are finite");
  return std::llround(value * static_cast<double>(steps_per_point));
}

void append_decimals(std::string& text, std::int64_t hundredths) {
  if (hundredths == 0) return;
  text += '.';
  text += static_cast<char>('0' + hundredths / 10);
  if (hundredths % 10 != 0) text += static_cast<char>('0' + hundredths % 10);
}

void append_number(std::string& text, std::int64_t value) {
  if (value < 0) text += '-';
  const std::int64_t size = value < 0 ? -value : value;
  if (size >= steps_per_point || size == 0) text += std::to_string(size / steps_per_point);
  append_decimals(text, size % steps_per_point);
}

/// Numbers are separated by a space, or by the minus sign of the next one.
void append_next(std::string& text, std::int64_t value) {
  if (value >= 0) text += ' ';
  append_number(text, value);
}

/// A point in hundredths, as it is written.
struct GridPoint {
  std::int64_t x{};
  std::int64_t y{};
  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

GridPoint to_grid(Point point) { return {rounded(point.x), rounded(point.y)}; }

constexpr double image_pixels_per_point = 2.0;

/// A context without a drawing, for measuring text.
CairoContext measuring_context() {
  const CairoSurface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  CairoContext context(cairo_create(surface.get()));
  check_cairo(cairo_status(context.get()));
  return context;
}

std::string base64(std::string_view bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return text;
}

/// Attribute such as stroke="#1a2b3c", with an opacity unless the colour is opaque.
std::string paint(std::string_view property, Color c) {
  std::string text = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", property, c.r, c.g, c.b);
  if (c.a != 255) text += fmt::format(" {}-opacity=\"{}\"", property, svg_number(c.a / 255.0));
  return text;
}

std::string dashes(const Stroke& stroke) {
  const std::vector<double> pattern = dash_pattern(stroke);
  if (pattern.empty()) return {};
  return fmt::format(" stroke-dasharray=\"{} {}\"", svg_number(pattern[0]), svg_number(pattern[1]));
}

std::string box(const Rect& r) {
  return fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", svg_number(r.x),
                     svg_number(r.y), svg_number(r.width), svg_number(r.height));
}

std::string_view text_anchor(HorizontalAlign align) {
  if (align == HorizontalAlign::left) return "";
  return align == HorizontalAlign::center ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
}

/// A valid id: it starts with a letter and has no special characters.
std::string id_of(std::string_view name) {
  std::string id;
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    id += plain ? c : '-';
  }
  const bool letter = !id.empty() && !(id[0] >= '0' && id[0] <= '9') && id[0] != '-';
  return letter ? id : "f" + id;
}

/// Keeps spaces that viewers would drop: at the ends of a text, and all but one in a row.
std::string with_nonbreaking_spaces(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inner = i > 0 && i + 1 < text.size() && text[i - 1] != ' ' && text[i + 1] != ' ';
    if (text[i] == ' ' && !inner)
      out += "\u00A0";
    else
      out += text[i];
  }
  return out;
}

/// What differs from the text of the whole drawing.
std::string font(const TextStyle& style) {
  std::string attributes;
  if (style.face != Face::sans)
    attributes = " font-family=\"STIXGeneral,'STIX Two Text','Times New Roman',serif\"";
  if (style.face == Face::italic) attributes += " font-style=\"italic\"";
  if (style.bold) attributes += " font-weight=\"bold\"";
  return attributes;
}

Size required_size(Size size) {
  if (size.width > 0.0 && size.height > 0.0 && size.width < 1e6 && size.height < 1e6) return size;
  throw UsageError(fmt::format("{} x {}", number_text(size.width), number_text(size.height)),
                   "width and height must be above 0 and below a million points",
                   "choose another size");
}

}  // namespace

std::string svg_number(double value) {
  std::string text;
  append_number(text, rounded(value));
  return text;
}

std::string svg_path(std::span<const Point> points) {
  if (points.size() < 2) return {};
  GridPoint last = to_grid(points.front());
  std::string path = "M";
  append_number(path, last.x);
  append_next(path, last.y);
  bool first = true;
  for (const Point& point : points.subspan(1)) {
    const GridPoint next = to_grid(point);
    if (next == last && !first) continue;
    if (first) path += 'l';
    const GridPoint step{next.x - last.x, next.y - last.y};
    if (first)
      append_number(path, step.x);
    else
      append_next(path, step.x);
    append_next(path, step.y);
    first = false;
    last = next;
  }
  return path;
}

namespace {

class SvgCanvas final : public FileCanvas {
 public:
  SvgCanvas(Size size, const SvgMetadata& metadata)
      : size_(required_size(size)), metadata_(metadata), id_(id_of(metadata.id)) {}

  void line_strip(std::span<const Point> points, const Stroke& stroke) override {
    add_stroke(svg_path(points), stroke);
  }

  void fill(std::span<const Point> polygon, Color color) override {
    const std::string path = svg_path(polygon);
    if (path.empty()) return;
    add(fmt::format("<path{} d=\"{}z\"/>", paint("fill", color), path));
  }

  void rect(const Rect& rect, Color color) override {
    if (!(rect.width > 0.0 && rect.height > 0.0)) return;
    add(fmt::format("<rect {}{}/>", box(rect), paint("fill", color)));
  }

  void image(const std::shared_ptr<const Image>& image, const Rect& target,
             Filter filter) override {
    if (!image || image->width <= 0 || image->height <= 0) return;
    // `pixelated` is CSS, `optimizeSpeed` SVG 1.1; for viewers that support neither, pixels are
    // repeated.
    const int factor = upscale_factor(*image, target, filter, image_pixels_per_point);
    const std::string_view sharp =
        filter == Filter::nearest
            ? " style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\""
            : "";
    add(fmt::format(
        "<image {} preserveAspectRatio=\"none\"{} xlink:href=\"data:image/png;base64,{}\"/>",
        box(target), sharp, base64(png_bytes(*image, factor))));
  }

  void text(Point anchor, std::string_view utf8, const TextStyle& style) override {
    const double width = text_size(utf8, style).width;
    const double down = metrics_.baseline_start(style, width).y;
    const std::string place =
        style.upward
            ? fmt::format("transform=\"translate({} {})rotate(-90)\"", svg_number(anchor.x + down),
                          svg_number(anchor.y))
            : fmt::format("x=\"{}\" y=\"{}\"", svg_number(anchor.x), svg_number(anchor.y + down));
    const std::string fitted =
        width > 0.0
            ? fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", svg_number(width))
            : "";
    add(fmt::format("<text {} font-size=\"{}\"{}{}{}{}>{}</text>", place, svg_number(style.size),
                    font(style), text_anchor(style.horizontal), paint("fill", style.color), fitted,
                    xml_escaped(with_nonbreaking_spaces(utf8))));
  }

  void push_clip(const Rect& rect) override {
    const bool group = !covers_all(rect);
    clip_has_group_.push_back(group);
    if (!group) return;
    const std::string name = clip(rect);
    add(fmt::format("<g clip-path=\"url(#{})\">", name));
  }

  void pop_clip() override {
    check_invariant(!clip_has_group_.empty(), "only clips that were pushed are popped");
    if (clip_has_group_.back()) add("</g>");
    clip_has_group_.pop_back();
  }

  Size text_size(std::string_view utf8, const TextStyle& style) const override {
    return metrics_.size(utf8, style);
  }

  double pixels_per_point() const override { return image_pixels_per_point; }

  std::string finish() override {
    finish_strokes();
    const std::string width = svg_number(size_.width);
    const std::string height = svg_number(size_.height);
    std::string svg = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "font-family=\"'DejaVu Sans',sans-serif\" stroke-linejoin=\"round\">\n",
        width, height);
    svg += fmt::format("<title>{}</title>\n", xml_escaped(metadata_.title));
    if (!metadata_.description.empty())
      svg += fmt::format("<desc>{}</desc>\n", xml_escaped(metadata_.description));
    return svg + body_ + "</svg>\n";
  }

 private:
  /// Merges strips of the same colour and width into one path, except translucent ones, whose
  /// crossings would look different.
  void add_stroke(const std::string& path, const Stroke& how) {
    if (path.empty()) return;
    const std::string attributes = paint("stroke", how.color) +
                                   fmt::format(" stroke-width=\"{}\"", svg_number(how.width)) +
                                   dashes(how);
    if (attributes != stroke_attributes_ || how.color.a != 255) finish_strokes();
    stroke_attributes_ = attributes;
    strokes_ += path;
  }
  void finish_strokes() {
    if (strokes_.empty()) return;
    body_ += fmt::format("<path fill=\"none\"{} d=\"{}\"/>\n", stroke_attributes_, strokes_);
    strokes_.clear();
  }
  void add(std::string_view element) {
    finish_strokes();
    body_ += element;
    body_ += '\n';
  }

  /// The id of the clip path for a rectangle, which is created on first use.
  std::string clip(const Rect& rect) {
    const auto known = std::ranges::find(clips_, rect);
    std::string name = fmt::format("{}-clip{}", id_, known - clips_.begin());
    if (known != clips_.end()) return name;
    clips_.push_back(rect);
    add(fmt::format("<clipPath id=\"{}\"><rect {}/></clipPath>", name, box(rect)));
    return name;
  }

  bool covers_all(const Rect& rect) const {
    return rect.x <= 0.0 && rect.y <= 0.0 && rect.right() >= size_.width &&
           rect.bottom() >= size_.height;
  }

  Size size_;
  SvgMetadata metadata_;
  std::string id_;
  std::string body_{};
  std::string strokes_{};
  std::string stroke_attributes_{};
  std::vector<Rect> clips_{};
  std::vector<bool> clip_has_group_{};
  CairoTurn turn_{};
  CairoContext context_{measuring_context()};
  mutable TextMetrics metrics_{context_.get()};
};

}  // namespace

std::unique_ptr<FileCanvas> svg_canvas(Size size, const SvgMetadata& metadata) {
  return std::make_unique<SvgCanvas>(size, metadata);
}

}  // namespace orrery
