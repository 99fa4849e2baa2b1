#include "app/views/screen_captions.h"

#include <imgui.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "app/views/tab_titles.h"
#include "experiments/model/notices.h"
#include "experiments/setup/provenance.h"

namespace orrery::views {
namespace {

// A figure this high has two lines for its title, of which words fill this part.
constexpr double two_line_height = 190, title_fill = 0.85;

/// The settings that a result was made with, if this build knows them all.
std::optional<ParamSet> settings_of(const ExperimentInfo& info, const Provenance& provenance) {
  try {
    ParamSet params(info.params);
    for (const auto& [key, value] : provenance.params) params.set(key, value);
    return params;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Figures ScreenCaptions::of(const Figures& figures, const Stamp& stamp, const Kept& kept) {
  if (sources_ != figures || stamp_ != stamp || kept_ != kept) copy(figures, stamp, kept);
  Figures shown;
  for (const Figure& figure : *copies_) shown.push_back(&figure);
  return shown;
}

void ScreenCaptions::copy(const Figures& figures, const Stamp& stamp, const Kept& kept) {
  sources_ = figures;
  stamp_ = stamp;
  kept_ = kept;
  const auto settings =
      kept.alone ? settings_of(*kept.alone, stamp.front()->provenance) : std::nullopt;
  // The old ones may still be held, with the pictures made of them.
  copies_ = std::make_shared<std::vector<Figure>>();
  for (const Figure* figure : figures) {
    Figure& made = copies_->emplace_back(*figure);
    if (!kept.alone) made.caption = notices_in(made.caption);
    if (!kept.titles) made.title.clear();
    if (settings) made.caption = setup::brief_caption(made.caption, *settings);
  }
}

void ScreenCaptions::fit_titles(const std::vector<PlacedFigure>& placed, int most_lines,
                                const Titles& titles, const Ui& ui) {
  if (placed.size() != copies_->size()) return;
  bool all_fit = true;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const Rect& area = placed[i].area;
    const double lines = area.height >= two_line_height * ui.scale ? most_lines : 1;
    const ImVec2 size = ImGui::CalcTextSize(sources_[i]->title.c_str());
    all_fit = all_fit && static_cast<double>(size.x) <= title_fill * lines * area.width;
  }
  for (std::size_t i = 0; i < copies_->size(); ++i) {
    Figure& copy = (*copies_)[i];
    const bool whole = all_fit || titles.kept.contains(copy.id);
    copy.title = whole ? sources_[i]->title : tab_title(copy, titles.view);
  }
}

}  // namespace orrery::views
