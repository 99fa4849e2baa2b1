#include "app/views/catalogue.h"

#include "app/views/attention_view.h"
#include "app/views/tabs_view.h"

namespace orrery {

std::unique_ptr<View> make_view(std::string_view experiment) {
  if (experiment == "attention_map") return make_attention_view();
  return make_tabs_view();
}

}  // namespace orrery
