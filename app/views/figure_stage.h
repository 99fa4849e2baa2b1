#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/views/figure_set.h"
#include "app/views/figures.h"
#include "app/views/map_zoom.h"
#include "app/views/subtraction.h"
#include "experiments/model/experiment.h"

namespace orrery {

struct SweptResults {
  std::shared_ptr<const Result> result{};                ///< on screen
  std::vector<std::shared_ptr<const Result>> members{};  ///< at the values that are swept
  std::string key{};                                     ///< of the parameter
  friend bool operator==(const SweptResults&, const SweptResults&) = default;
};

/// The figures of a number that is swept in place: see family.
struct FamilyFigures {
  Figures figures{};                        ///< those of the result; curves as families
  std::set<std::string> in_place{};         ///< ids of the families among them
  std::map<std::string, Figures> panels{};  ///< figures at each value, where one cannot show all

  bool empty() const { return in_place.empty() && panels.empty(); }
};

/// What the choice of a figure is called where its title is too long: its experiment's words for
/// it, or what it shows and of which encoding ("Weights: RoPE"), or its id in words.
std::string tab_title(const Figure& figure, const ExperimentView& view);

/// The name of a group of figures: an encoding's label for its name ("RoPE" for "rope"), words for
/// a kind ("Mean logit" for "mean_logit").
std::string group_title(std::string_view group, const ExperimentView& view);

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

/// Where the figures on screen come from.
enum class FigureOrigin { result, reference, difference };

/// All that decides which figures are on screen, before their arrangement.
struct StageRequest {
  std::shared_ptr<const Result> result{};
  ViewState shown{};                                      ///< references, and what is subtracted
  bool flipped{};                                         ///< to the last reference
  std::shared_ptr<const Result> before{};                 ///< a drag; null without one
  SweptResults swept{};                                   ///< no members without a sweep
  std::shared_ptr<const Result> turned{};                 ///< see result_at_distance; or null
  std::map<std::string, std::set<std::string>> hidden{};  ///< names of curves, by figure
};

/// The request of the current experiment. Asks for the result at the distance pointed at.
StageRequest stage_request(Session& session, bool flipped,
                           const std::shared_ptr<const Result>& before);

struct StagedFigures {
  FigureOrigin origin{FigureOrigin::result};
  std::shared_ptr<const Result> read{};  ///< the result that readouts are of
  Figures figures{};
  std::set<std::string> subtracted{};  ///< ids of figures minus something
  FamilyFigures family{};              ///< empty where nothing is swept
};

/// A function with its last value, which is made again where its input has changed.
template <class Input, class Output>
class Remembered {
 public:
  template <class Make>
  const Output& of(Input input, const Make& make) {
    if (!last_ || !(last_->first == input)) {
      Output made = make(input);
      last_.emplace(std::move(input), std::move(made));
    }
    return last_->second;
  }
  void forget() { last_.reset(); }

 private:
  std::optional<std::pair<Input, Output>> last_{};
};

/// The way of figures from a result to the screen: an ordered list of pure steps, each of which
/// works on what the one before made and is done again only where that has changed. A later step
/// wins over an earlier one.
///
///   families      of a number that is swept in place
///   references    the last one instead, what differs from it, or their curves behind
///   subtraction   of other figures or curves of the result
///   distance      figures at the distance pointed at
///   captions      as short as the arrangement asks
///   parts         of maps, finer, where they are zoomed into
class FigureStage {
 public:
  StagedFigures figures(const StageRequest& request);
  Figures captioned(ScreenCaptions captions) {
    return captions_.of(std::move(captions), with_screen_captions);
  }
  /// Asks for the part of the maps that is seen, and puts what is there in place of them.
  void zoom(Session& session, std::span<PlacedFigure> placed);

 private:
  FamilyFigures families(const StageRequest& request);
  Figures compared(const StageRequest& request, StagedFigures& staged);
  void subtract(const StageRequest& request, StagedFigures& staged);
  void turn(const StageRequest& request, StagedFigures& staged);

  using ById = std::map<std::string, FigurePtr>;
  Remembered<SweptResults, FamilyFigures> families_{};
  Remembered<ReferencesBehind, Figures> behind_{};
  Remembered<MinusReference, Figures> differences_{};
  Remembered<MinusOthers, ById> minus_{};
  Remembered<std::shared_ptr<const Result>, ById> turned_{};
  Remembered<ScreenCaptions, Figures> captions_{};
  Remembered<FinerMaps, Figures> finer_{};
};

}  // namespace orrery
