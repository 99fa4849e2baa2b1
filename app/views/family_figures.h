#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace orrery::views {

/// The figures of a number that is swept in place: see combine::family.
class FamilyFigures {
 public:
  /// Works them out where anything has changed. Returns whether there are any.
  bool update(Session& session);
  void forget();

  /// The result on screen with families in place of its figures of curves; null without any.
  std::shared_ptr<const Result> result() const;
  /// Whether this figure of it is a family.
  bool has(const std::string& id) const { return made_ && made_->in_place.contains(id); }
  /// Figures at each value in place of one that cannot show them all; empty where it can.
  std::vector<const Figure*> panels(const std::string& id);
  /// Says once why what is on screen is no family. Call after everything was drawn.
  void tell(Session& session);

 private:
  struct Made {
    Result result{};
    std::map<std::string, std::vector<Figure>> panels{};
    std::set<std::string> in_place{};
  };
  static std::shared_ptr<const Made> make(const Result& result, const LiveSweep& sweep);

  std::shared_ptr<const Result> source_{};
  std::vector<std::shared_ptr<const Result>> points_{};
  std::shared_ptr<const Made> made_{};
  bool in_panels_{};  ///< whether panels were asked for in this frame
  bool told_{};
};

}  // namespace orrery::views
