#include "app/shell/regions.h"

#include <algorithm>

#include "app/player/lesson_pane.h"

namespace orrery {
namespace {

// Lengths at scale 1.
constexpr double list_width = 216;
constexpr double params_width = 304;
constexpr double status_height = 28;
constexpr double controls_height = 34;
// The narrowest windows that show the list, and the parameters, unasked and at all.
constexpr double list_fits = 2200, list_possible = 900;
constexpr double params_fit = 1500, saved_params_fit = 900, params_possible = 480;
constexpr double max_params_share = 0.45;  // of the width beside the list

}  // namespace

Regions window_regions(Size size, const Look& look, double scale, bool saved) {
  const double width = size.width / scale;
  const bool with_list =
      !look.projector && width >= list_possible && look.show_list.value_or(width >= list_fits);
  const bool with_params =
      !look.projector && width >= params_possible &&
      look.show_panel.value_or(width >= (saved ? saved_params_fit : params_fit));
  const double list = with_list ? list_width * scale : 0.0;
  const double params =
      with_params ? std::min(params_width * scale, max_params_share * (size.width - list)) : 0.0;
  const double bar = std::min((with_params ? status_height : controls_height) * scale, size.height);
  const double body = size.height - bar;
  return {.list = {0, 0, list, body},
          .view = {list, 0, size.width - list - params, body},
          .params = {size.width - params, 0, params, body},
          .bar = {0, body, size.width, bar},
          .with_controls = !with_params && !saved};
}

Regions lesson_regions(Size size, const Look& look, double scale, bool sandbox,
                       std::optional<double> for_controls) {
  const double pane = look.projector ? 0.0 : pane_width(size.width, scale);
  const double rest = size.width - pane;
  const double params =
      sandbox && !look.projector ? std::min(params_width * scale, max_params_share * rest) : 0.0;
  const double wanted = for_controls.value_or((sandbox ? status_height : controls_height) * scale);
  const double bar = std::min(wanted, size.height);
  const double body = size.height - bar;
  return {.list = {0, 0, pane, size.height},
          .view = {pane, 0, rest - params, body},
          .params = {size.width - params, 0, params, body},
          .bar = {pane, body, rest, bar},
          .with_controls = params <= 0};
}

}  // namespace orrery
