#pragma once

#include <memory>
#include <vector>

#include "app/session/view_state.h"
#include "experiments/model/result.h"

namespace orrery::views {

/// The figures to show for a result that may be compared with a reference.
class Comparison {
 public:
  /// The origin of the figures.
  enum class Kind { result, reference, difference };

  /// The result's own figures; the reference's while `flipped`; or what differs, worked out when
  /// either changes. A figure that has no difference stays as it is.
  const std::vector<Figure>& figures(const std::shared_ptr<const Result>& result,
                                     const ViewState& shown, bool flipped);
  Kind kind() const { return kind_; }
  /// Keeps the differences worked out last; may be null.
  std::shared_ptr<const void> owner() const { return differences_; }

 private:
  Kind kind_{Kind::result};
  std::shared_ptr<const Result> result_{};
  std::shared_ptr<const Result> reference_{};
  std::shared_ptr<const std::vector<Figure>> differences_{};
};

}  // namespace orrery::views
