#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "experiments/model/result.h"

namespace orrery::views {

/// The figures to show for a result that may be compared with references.
class ReferenceFigures {
 public:
  /// The origin of the figures.
  enum class Kind { result, reference, difference };

  /// The result's own figures, with the curves of the references and of `before` as ghosts; those
  /// of the last reference while `flipped`; or what differs from it. They are worked out when
  /// anything changes. A figure that has no difference stays as it is.
  /// `instead` stands for the result, with the same settings.
  const std::vector<Figure>& figures(const ExperimentState& state, bool flipped,
                                     const std::shared_ptr<const Result>& before = nullptr,
                                     const std::shared_ptr<const Result>& instead = nullptr);
  Kind kind() const { return sources_.kind; }
  /// Keeps the figures worked out last; null where they are a result's own.
  const std::shared_ptr<const Result>& made() const { return made_; }

 private:
  /// All that the figures depend on.
  struct Sources {
    Kind kind{Kind::result};
    std::shared_ptr<const Result> result{};
    std::vector<std::shared_ptr<const Result>> others{};    ///< references, and before a drag
    std::size_t pinned{};                                   ///< of those, how many are references
    std::map<std::string, std::set<std::string>> hidden{};  ///< names of curves, by figure
    friend bool operator==(const Sources&, const Sources&) = default;
  };
  static std::shared_ptr<const Result> make(const Sources& sources);
  static void add_all_ghosts(std::vector<Figure>& figures, const Sources& sources);

  Sources sources_{};
  std::shared_ptr<const Result> made_{};
};

}  // namespace orrery::views
