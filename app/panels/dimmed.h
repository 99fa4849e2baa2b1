#pragma once

#include <string>
#include <string_view>

#include "app/session/session.h"

namespace orrery {

/// Why a parameter changes nothing that is seen, "Changes nothing in the figure on screen.", "The
/// file says 8192." or, after a move without effect, "4 in place of 2 changed nothing in the figure
/// on screen."; empty where it may change something.
std::string why_ignored(const Session& session, std::string_view key);

/// Draws items paler than the others, for as long as it lives. They can still be used.
class Dimmed {
 public:
  explicit Dimmed(bool dims);
  ~Dimmed();
  Dimmed(const Dimmed&) = delete;
  Dimmed& operator=(const Dimmed&) = delete;

 private:
  bool dims_;
};

}  // namespace orrery
