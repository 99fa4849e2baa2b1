#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/fonts.h"
#include "app/session/session.h"

namespace orrery {

/// Finds fonts for the characters that were drawn without a glyph.
class GlyphFinder {
 public:
  /// Replaces installed_fonts, for tests.
  void find_with(std::function<std::vector<InstalledFont>()> finder) {
    find_fonts_ = std::move(finder);
  }
  /// Looks for characters that `fonts` lack, together with the rest of the text on screen, so that
  /// each text is searched for once. Tells `shown` which packages to install for characters that no
  /// font has. Returns whether plan() is new.
  bool update(const Fonts& fonts, const Session& live, Session& shown);
  const GlyphPlan& plan() const { return plan_; }

 private:
  void report_missing(const Characters& missing_before, Session& shown);

  std::function<std::vector<InstalledFont>()> find_fonts_{installed_fonts};
  std::set<std::string> named_packages_{};  ///< so that each is suggested once
  Characters searched_{};                   ///< looked for in other fonts
  GlyphPlan plan_{};                        ///< where they were found
};

}  // namespace orrery
