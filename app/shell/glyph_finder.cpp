#include "app/shell/glyph_finder.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

}  // namespace

bool GlyphFinder::update(const Fonts& fonts, const Session& live, Session& shown) {
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

void GlyphFinder::report_missing(const Characters& missing_before, Session& shown) {
  Characters news;
  std::set_difference(plan_.missing.begin(), plan_.missing.end(), missing_before.begin(),
                      missing_before.end(), std::inserter(news, news.end()));
  std::erase_if(news,
                [this](char32_t c) { return !named_packages_.insert(package_for(c)).second; });
  if (!news.empty()) shown.say(missing_text(plan_.missing));
}

}  // namespace orrery
