#include "app/views/catalogue.h"

#include <string>

#include "app/views/attention_view.h"
#include "app/views/decay_view.h"
#include "app/views/invariance_view.h"
#include "app/views/plain_view.h"

namespace orrery {

std::unique_ptr<View> make_view(std::string_view experiment) {
  for (auto* make : {make_decay_view, make_invariance_view, make_attention_view})
    if (std::unique_ptr<View> view = make(); view->experiment() == experiment) return view;
  return make_plain_view(std::string(experiment));
}

}  // namespace orrery
