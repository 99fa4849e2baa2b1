#include "app/dialogs/comparing_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "app/panels/param_controls.h"
#include "app/session/number_scale.h"
#include "app/session/value_in_use.h"
#include "app/views/subtraction.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/ascii.h"
#include "experiments/text/number_text.h"

namespace orrery::dialogs {
namespace {

PaletteEntry sweep_entry(const ParamSpec& spec, const Ends& ends) {
  return {.kind = PaletteEntry::Kind::sweep,
          .title = fmt::format("Sweep {} from {} to {}", spec.key, grouped_number(ends.from),
                               grouped_number(ends.to)),
          .detail = plain_text(spec.description),
          .key = spec.key,
          .from = ends.from,
          .to = ends.to};
}

bool can_sweep(const ParamSet& params, const ParamSpec& spec) {
  return is_number(spec) && fits_slider(spec) && params.is_used(spec.key);
}

}  // namespace

void add_sweeps(const Session& session, std::vector<PaletteEntry>& entries) {
  const ParamSet& params = session.current().params;
  for (const ParamSpec& spec : params.specs())
    if (can_sweep(params, spec))
      entries.push_back(sweep_entry(spec, ends_around(spec, number_shown(session, spec))));
}

std::optional<PaletteEntry> typed_sweep(const Session& session, std::string_view typed) {
  std::istringstream words{std::string(typed)};
  std::string verb, key, from, to;
  words >> verb >> key >> from >> to;
  const bool says_so = session.size() > 0 && lower_ascii(verb) == "sweep";
  if (!says_so || !session.current().params.has(key)) return std::nullopt;
  const ParamSet& params = session.current().params;
  const ParamSpec& spec = params.spec(key);
  const auto low = number_in(from), high = number_in(to);
  if (!can_sweep(params, spec) || !low || !high) return std::nullopt;
  const auto within = [&](double number) { return std::clamp(number, spec.min, spec.max); };
  return sweep_entry(spec, {within(*low), within(*high)});
}

void add_differences(const Session& session, std::vector<PaletteEntry>& entries) {
  if (session.size() == 0 || !session.current().result) return;
  for (const Figure* figure : session.on_screen)
    for (MinusChoice& choice : minus_choices(*session.current().result, figure->id))
      entries.push_back({.kind = PaletteEntry::Kind::difference,
                         .title = plain_text(choice.title),
                         .detail = "Subtracts one from the other, or shows the figure again.",
                         .key = figure->id,
                         .minus = std::move(choice.what)});
}

}  // namespace orrery::dialogs
