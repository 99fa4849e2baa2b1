#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/views/figure_set.h"
#include "app/views/figures.h"
#include "app/views/map_zoom.h"
#include "app/views/subtraction.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// What the choice of a figure is called where its title is too long: its experiment's words for
/// it, or what it shows and of which encoding ("Weights: RoPE"), or its id in words.
std::string tab_title(const Figure& figure, const ExperimentView& view);

/// The name of a group of figures: an encoding's label for its name ("RoPE" for "rope"), words for
/// a kind ("Mean logit" for "mean_logit").
std::string group_title(std::string_view group, const ExperimentView& view);

/// Where the figures on screen come from.
enum class FigureOrigin { result, reference, difference };

/// All that decides which figures are on screen, before their arrangement.
struct StageRequest {
  ResultPtr result{};
  ViewState shown{};               ///< references, and what is subtracted
  bool flipped{};                  ///< to the last reference
  ResultPtr before{};              ///< a drag; null without one
  std::vector<ResultPtr> swept{};  ///< at the values of a number that is swept in place
  std::string swept_key{};         ///< of the number
  ResultPtr turned{};              ///< at the distance pointed at; or null
  HiddenCurves hidden{};
};

/// The request of the current experiment. Asks for the result at the distance pointed at.
StageRequest stage_request(Session& session, bool flipped, const ResultPtr& before);

struct StagedFigures {
  /// The figures of a number that is swept in place: see family.
  struct Family {
    Figures figures{};                        ///< those of the result; curves as families
    std::set<std::string> in_place{};         ///< ids of the families among them
    std::map<std::string, Figures> panels{};  ///< figures at each value, where one cannot show all

    bool empty() const { return in_place.empty() && panels.empty(); }
  };

  FigureOrigin origin{FigureOrigin::result};
  ResultPtr read{};  ///< the result that readouts are of
  Figures figures{};
  std::set<std::string> subtracted{};  ///< ids of figures minus something
  Family family{};                     ///< empty where nothing is swept
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
  /// What a figure has above and below it on screen.
  struct Captions {
    enum class Titles { own, short_ones };

    const ExperimentInfo* alone{};  ///< whose defaults need not be said; null for notices alone
    Titles titles{Titles::own};
    const ExperimentView* view{};         ///< whose words the short titles are; null without any
    std::set<std::string> keep_titles{};  ///< ids of figures that have their own in any case
    bool once{};  ///< the first figure has the notices, which are those of all
    friend bool operator==(const Captions&, const Captions&) = default;
  };

  StagedFigures figures(const StageRequest& request);
  /// The figures of a result with the captions that they have on screen: alone without settings
  /// that are the default; beside others, where each would say the same, and projected, where the
  /// room is for the figure, nothing but notices (notices_in).
  Figures captioned(Figures figures, ResultPtr result, Captions captions);
  /// Asks for the part of the maps that is seen, and puts what is there in place of them.
  void zoom(Session& session, std::span<PlacedFigure> placed);

 private:
  using Family = StagedFigures::Family;
  /// The last value of a function, which is made again where its inputs have changed.
  template <class Output, class... Inputs>
  class Remembered {
   public:
    template <class Make>
    const Output& of(const Make& make, Inputs... inputs) {
      std::tuple<Inputs...> now(std::move(inputs)...);
      if (!last_ || last_->first != now) {
        Output made = std::apply(make, now);
        last_.emplace(std::move(now), std::move(made));
      }
      return last_->second;
    }
    void forget() { last_.reset(); }

   private:
    std::optional<std::pair<std::tuple<Inputs...>, Output>> last_{};
  };

  Family families(const StageRequest& request);
  Figures compared(const StageRequest& request, StagedFigures& staged);
  void subtract(const StageRequest& request, StagedFigures& staged);
  void turn(const StageRequest& request, StagedFigures& staged);

  Remembered<Family, ResultPtr, std::vector<ResultPtr>, std::string> families_{};
  Remembered<Figures, Figures, ResultPtr, std::vector<ResultPtr>, std::size_t, HiddenCurves>
      behind_{};
  Remembered<Figures, ResultPtr, ResultPtr> differences_{};
  Remembered<FiguresById, ResultPtr, std::map<std::string, Subtrahend>> minus_{};
  Remembered<FiguresById, ResultPtr> turned_{};
  Remembered<Figures, Figures, ResultPtr, Captions> captions_{};
  Remembered<Figures, Figures, ResultPtr> finer_{};
};

}  // namespace orrery
