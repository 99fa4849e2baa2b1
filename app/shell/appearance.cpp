#include "app/shell/appearance.h"

#include <algorithm>
#include <iterator>

#include "app/gui/ui.h"
#include "app/player/lesson_pane.h"

namespace orrery {
namespace {

void note_labels(const Fonts& fonts, const Heatmap& map) {
  for (const std::vector<std::string>* labels : {&map.row_labels, &map.column_labels})
    for (const std::string& label : *labels) fonts.note_lacking(label);
}

void note_labels(const Fonts& fonts, const Result& result) {
  for (const Figure& figure : result.figures) {
    if (const auto* map = std::get_if<Heatmap>(&figure.content)) note_labels(fonts, *map);
    if (const auto* equation = std::get_if<MapEquation>(&figure.content))
      for (const MapTerm& term : equation->terms) note_labels(fonts, term.map);
  }
}

void note_paths(const Fonts& fonts, const ParamSet& params) {
  for (const ParamSpec& spec : params.specs())
    if (spec.kind == ParamKind::file) fonts.note_lacking(params.text(spec.key));
}

// Projector mode: text that can be read from the back row, and lines to match.
constexpr double projector_scale = 1.5, projector_line_width = 1.4;

// Lengths at scale 1.
constexpr double list_width = 216;
constexpr double params_width = 304;
constexpr double status_height = 28;
constexpr double controls_height = 34;
// The narrowest windows that show the list, and the parameters, unasked and at all.
constexpr double list_fits = 2200, list_possible = 900;
constexpr double params_fit = 1500, saved_params_fit = 900, params_possible = 480;
constexpr double max_params_share = 0.45;  // of the width beside the list

}  // namespace

/// Looks for characters that the fonts lack, together with the rest of the text on screen, so that
/// each text is searched for once. Returns whether plan_ is new.
bool Appearance::find_glyphs(const Session& live, Session& shown) {
  if (!fonts_ || live.size() == 0) return false;
  const Fonts& fonts = *fonts_;
  note_paths(fonts, live.current().params);
  const bool all_known = std::all_of(fonts.lacking().begin(), fonts.lacking().end(),
                                     [this](char32_t c) { return searched_.contains(c); });
  if (all_known) return false;
  if (const auto& result = shown.current().result) note_labels(fonts, *result);
  searched_.insert(fonts.lacking().begin(), fonts.lacking().end());
  const Characters missing_before = std::move(plan_.missing);
  plan_ = plan_glyphs(searched_, find_fonts_());
  report_missing(missing_before, shown);
  return true;
}

void Appearance::report_missing(const Characters& missing_before, Session& shown) {
  Characters news;
  std::set_difference(plan_.missing.begin(), plan_.missing.end(), missing_before.begin(),
                      missing_before.end(), std::inserter(news, news.end()));
  std::erase_if(news,
                [this](char32_t c) { return !named_packages_.insert(package_for(c)).second; });
  if (!news.empty()) shown.say(missing_text(plan_.missing));
}

double Appearance::scale_for(const Look& look) const {
  return look.scale * screen_scale_ * (look.projector ? projector_scale : 1.0);
}

bool Appearance::update(const Session& live, Session& shown) {
  const bool glyphs_are_new = find_glyphs(live, shown);
  const Look& look = live.look;
  const double scale = scale_for(look);
  const bool new_fonts = !fonts_ || scale != scale_ || glyphs_are_new;
  if (new_fonts) fonts_ = Fonts::load(scale, plan_);
  if (!new_fonts && theme_ == look.theme && projector_ == look.projector) return false;
  projector_ = look.projector;
  style_ = desktop_style(look.theme, scale);
  if (projector_) style_.line_width *= projector_line_width;
  apply_theme(style_, scale);
  theme_ = look.theme;
  scale_ = scale;
  return new_fonts;
}

Regions window_regions(Size size, const Look& look, double scale, bool saved) {
  const double width = size.width / scale;
  const bool with_list =
      !look.projector && width >= list_possible && look.show_list.value_or(width >= list_fits);
  const bool with_params =
      !look.projector && width >= params_possible &&
      look.show_panel.value_or(width >= (saved ? saved_params_fit : params_fit));
  const double list = with_list ? list_width * scale : 0.0;
  const double params =
      with_params ? std::min(params_width * scale, max_params_share * (size.width - list)) : 0.0;
  const double bar = std::min((with_params ? status_height : controls_height) * scale, size.height);
  const double body = size.height - bar;
  return {.list = {0, 0, list, body},
          .view = {list, 0, size.width - list - params, body},
          .params = {size.width - params, 0, params, body},
          .bar = {0, body, size.width, bar},
          .with_controls = !with_params && !saved};
}

Regions lesson_regions(Size size, const Look& look, double scale, bool sandbox,
                       std::optional<double> for_controls) {
  const double pane = look.projector ? 0.0 : pane_width(size.width, scale);
  const double rest = size.width - pane;
  const double params =
      sandbox && !look.projector ? std::min(params_width * scale, max_params_share * rest) : 0.0;
  const double wanted = for_controls.value_or((sandbox ? status_height : controls_height) * scale);
  const double bar = std::min(wanted, size.height);
  const double body = size.height - bar;
  return {.list = {0, 0, pane, size.height},
          .view = {pane, 0, rest - params, body},
          .params = {size.width - params, 0, params, body},
          .bar = {pane, body, rest, bar},
          .with_controls = params <= 0};
}

}  // namespace orrery
