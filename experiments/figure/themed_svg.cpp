#include "experiments/figure/themed_svg.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "experiments/figure/export.h"

namespace orrery {
namespace {

/// The drawing without the XML declaration, which is only for files.
std::string element(const std::string& svg) { return svg.substr(svg.find("<svg")); }

std::vector<std::string_view> split_at_quotes(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"')) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// "fill" or "stroke" if the text before a value ends in that attribute, else empty.
std::string color_property(std::string_view before) {
  if (before.ends_with(" fill=")) return "fill";
  return before.ends_with(" stroke=") ? "stroke" : "";
}

}  // namespace

std::string ThemedSvgs::class_of(const std::string& property, const std::string& light,
                                 const std::string& dark) {
  const auto [known, fresh] =
      classes_.try_emplace(std::tuple(property, light, dark), classes_.size());
  return fmt::format("k{}", known->second);
}

/// Both drawings in one; empty when they differ in more than colours. Relies on elements having at
/// most one colour other than "none".
std::string ThemedSvgs::merged(const std::string& light, const std::string& dark) {
  const auto a = split_at_quotes(light), b = split_at_quotes(dark);
  if (a.size() != b.size()) return {};
  std::string out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i > 0) out += '"';
    out += a[i];
    if (a[i] == b[i]) continue;
    const std::string property = i % 2 == 1 ? color_property(a[i - 1]) : "";
    if (property.empty()) return {};
    out += fmt::format("\" class=\"{}", class_of(property, std::string(a[i]), std::string(b[i])));
  }
  return out;
}

std::string ThemedSvgs::draw(const Draw& svg_in, const std::string& id) {
  const std::string light = element(svg_in(Theme::light, id));
  const std::string both = merged(light, element(svg_in(Theme::dark, id)));
  if (!both.empty()) return both;
  return fmt::format("<div class=\"in-light\">{}</div><div class=\"in-dark\">{}</div>", light,
                     element(svg_in(Theme::dark, id + "-dark")));
}

std::string ThemedSvgs::draw(const Figure& figure, const std::string& id, const FigureView& view,
                             std::span<const PlacedNote> notes) {
  return draw(
      [&](Theme theme, const std::string& ids) {
        return svg_of(figure, theme, page_, ids, view, notes);
      },
      id);
}

std::string ThemedSvgs::draw(const Panels& panels, const std::string& id) {
  if (panels.panels.size() == 1) return draw(panels.panels.front(), id);
  return draw(
      [&](Theme theme, const std::string& ids) { return svg_of(panels, theme, page_, ids); }, id);
}

std::string ThemedSvgs::dark_rules() const {
  std::string rules;
  for (const auto& [key, number] : classes_)
    rules += fmt::format(".k{}{{{}:{}}}\n", number, std::get<0>(key), std::get<2>(key));
  return rules;
}

}  // namespace orrery
