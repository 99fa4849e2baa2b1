#include "app/shell/regions.h"

#include <algorithm>

namespace orrery::shell {
namespace {

// Lengths at scale 1.
constexpr double list_width = 216;
constexpr double params_width = 300;
constexpr double status_height = 36;
// The narrowest windows that show the list, and the parameters.
constexpr double min_width_with_list = 980;
constexpr double min_width_with_params = 480;
constexpr double max_params_share = 0.45;  // of the width beside the list

}  // namespace

Regions window_regions(Size size, const Look& look, double scale) {
  const double status = std::min(status_height * scale, size.height);
  const bool with_columns = !look.projector;
  const bool with_list =
      with_columns && look.show_list && size.width >= min_width_with_list * scale;
  const bool with_params =
      with_columns && look.show_panel && size.width >= min_width_with_params * scale;
  const double list = with_list ? list_width * scale : 0.0;
  const double params =
      with_params ? std::min(params_width * scale, max_params_share * (size.width - list)) : 0.0;
  const double body = size.height - status;
  return {.list = {0, 0, list, body},
          .view = {list, 0, size.width - list - params, body},
          .params = {size.width - params, 0, params, body},
          .status = {0, body, size.width, status}};
}

}  // namespace orrery::shell
