#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/layers.h"
#include "app/views/figure_set.h"
#include "experiments/model/experiment.h"
#include "experiments/model/result.h"

namespace orrery::views {

using Figures = std::vector<const Figure*>;

/// The results that figures come from, held so that their addresses stay theirs.
using Stamp = std::vector<std::shared_ptr<const Result>>;

/// Figures with the captions that they have on screen: alone without settings that are the default;
/// beside others, where each would say the same, and projected, where the room is for the figure,
/// nothing but notices (notices_in).
class ScreenCaptions {
 public:
  struct Kept {
    const ExperimentInfo* alone{};  ///< whose defaults need not be said; null for notices alone
    bool titles{true};
    friend bool operator==(const Kept&, const Kept&) = default;
  };

  /// `stamp` is what the figures are made of, the result first: an address alone may be another
  /// figure's by now.
  Figures of(const Figures& figures, const Stamp& stamp, const Kept& kept);
  /// Short titles, and the ids of figures that keep their own.
  struct Titles {
    const ExperimentView& view;
    const std::set<std::string>& kept;
  };
  /// Where titles do not fit into `most_lines`, those of tabs tell figures apart better than the
  /// beginnings of their own.
  void fit_titles(const std::vector<PlacedFigure>& placed, int most_lines, const Titles& titles,
                  const Ui& ui);
  /// Keeps the copies made last.
  std::shared_ptr<const void> owner() const { return copies_; }

 private:
  void copy(const Figures& figures, const Stamp& stamp, const Kept& kept);

  Figures sources_{};
  Stamp stamp_{};
  Kept kept_{};
  std::shared_ptr<std::vector<Figure>> copies_ = std::make_shared<std::vector<Figure>>();
};

}  // namespace orrery::views
