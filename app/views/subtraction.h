#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace orrery::views {

/// Something that may be subtracted from a figure of a result.
struct MinusChoice {
  Subtrahend what{};
  std::string title{};  ///< "ALiBi − RoPE: attention weight"
};

/// What may be subtracted from the figure of this id: other figures of the result that show the
/// same quantity over the same axes, and each of its own curves where it has several.
std::vector<MinusChoice> minus_choices(const Result& result, const std::string& figure);

/// Shows a figure minus something from now on, or the figure itself again.
void set_minus(ViewState& shown, const std::string& figure, const std::optional<Subtrahend>& what);

/// The figures from which something is subtracted: see ViewState::minus.
class Subtraction {
 public:
  /// The difference in place of this figure; null where nothing is subtracted, or nothing can be.
  const Figure* of(const ExperimentState& state, const Figure& figure);
  /// Keeps the figures that were worked out.
  std::shared_ptr<const void> owner() const;

 private:
  struct Made {
    Subtrahend what{};
    std::shared_ptr<const Figure> figure{};  ///< null where there is no difference
  };
  std::shared_ptr<const Result> source_{};
  std::map<std::string, Made> made_{};
};

}  // namespace orrery::views
