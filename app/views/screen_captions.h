#pragma once

#include <memory>
#include <set>
#include <string>

#include "app/views/figures.h"
#include "experiments/model/experiment.h"

namespace orrery {

struct ScreenCaptions {
  enum class Titles { own, short_ones, none };

  Figures figures{};
  std::shared_ptr<const Result> result{};  ///< that they are of
  const ExperimentInfo* alone{};  ///< whose defaults need not be said; null for notices alone
  Titles titles{Titles::own};
  const ExperimentView* view{};         ///< whose words the short titles are; null without any
  std::set<std::string> keep_titles{};  ///< ids of figures that have their own in any case
  friend bool operator==(const ScreenCaptions&, const ScreenCaptions&) = default;
};

/// The figures with the captions that they have on screen: alone without settings that are the
/// default; beside others, where each would say the same, and projected, where the room is for the
/// figure, nothing but notices (notices_in).
Figures with_screen_captions(const ScreenCaptions& input);

}  // namespace orrery
