#pragma once

#include <string>
#include <string_view>

#include "app/gui/ui.h"
#include "experiments/manual/topic.h"

namespace orrery {

/// The pages of the manual: a list of topics and a page. Up and Down go through the topics, Page up
/// and Page down scroll.
class ManualSheet : public Overlay {
 public:
  /// Opens at this page; at the one that was read last when `topic` is empty.
  void open_at(std::string_view topic);
  void draw(const Ui& ui);

 private:
  void draw_topics(const Ui& ui);
  void draw_page(const Topic& topic, const Ui& ui);
  void show(const std::string& topic);

  std::string shown_{"desktop"};
  bool at_top_{true};  ///< whether the page begins at its top in the next frame
};

}  // namespace orrery
