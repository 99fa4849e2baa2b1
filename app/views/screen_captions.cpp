#include "app/views/screen_captions.h"

#include <exception>
#include <optional>
#include <utility>

#include "app/views/tab_titles.h"
#include "experiments/model/notices.h"
#include "experiments/setup/provenance.h"

namespace orrery {
namespace {

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

Figures with_screen_captions(const ScreenCaptions& input) {
  const auto settings =
      input.alone ? settings_of(*input.alone, input.result->provenance) : std::nullopt;
  Figures figures;
  for (const FigurePtr& figure : input.figures) {
    Figure made = *figure;
    if (!input.alone) made.caption = notices_in(made.caption);
    if (input.titles == ScreenCaptions::Titles::none) made.title.clear();
    if (input.titles == ScreenCaptions::Titles::short_ones && !input.keep_titles.contains(made.id))
      made.title = tab_title(made, *input.view);
    if (settings) made.caption = brief_caption(made.caption, *settings);
    figures.push_back(make_figure(std::move(made)));
  }
  return figures;
}

}  // namespace orrery
