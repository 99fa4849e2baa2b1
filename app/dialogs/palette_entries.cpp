#include "app/dialogs/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/panels/param_controls.h"
#include "app/session/number_scale.h"
#include "app/views/subtraction.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/ascii.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

PaletteEntry sweep_entry(const ParamSpec& spec, std::pair<double, double> ends) {
  return {.kind = PaletteEntry::Kind::sweep,
          .title = fmt::format("Sweep {} from {} to {}", spec.key, grouped_number(ends.first),
                               grouped_number(ends.second)),
          .detail = plain_text(spec.description),
          .key = spec.key,
          .from = ends.first,
          .to = ends.second};
}

/// The choice that is meant by a word: its name or its title, or the one that matches best.
const Choice* choice_meant(const ParamSpec& spec, const std::string& word) {
  const Choice* best = nullptr;
  double most = 0.0;
  for (const Choice& choice : spec.choices) {
    const auto by_name = fuzzy_score(word, choice.name),
               by_title = fuzzy_score(word, choice_title(spec, choice.name));
    const double score = std::max(by_name.value_or(0.0), by_title.value_or(0.0));
    if (score > most) {
      most = score;
      best = &choice;
    }
  }
  return best;
}

/// The words of "compare A, B and C" after the first; none where that is another.
std::vector<std::string> compared_words(std::string_view typed) {
  std::string text(typed);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '+'; }, ' ');
  std::istringstream in{text};
  std::string word;
  std::vector<std::string> words;
  if (!(in >> word) || lower_ascii(word) != "compare") return {};
  while (in >> word)
    if (lower_ascii(word) != "and" && lower_ascii(word) != "with") words.push_back(word);
  return words;
}

/// The choices that are meant, where a list of names has each of them; else none.
std::optional<PaletteEntry> comparison_of(const ParamSpec& spec,
                                          const std::vector<std::string>& words) {
  std::string titles, names;
  for (const std::string& word : words) {
    const Choice* choice = choice_meant(spec, word);
    if (!choice) return std::nullopt;
    titles += (titles.empty() ? "" : " and ") + choice_title(spec, choice->name);
    names += (names.empty() ? "" : "+") + choice->name;
  }
  return PaletteEntry{.kind = PaletteEntry::Kind::setting,
                      .title = "Compare " + titles,
                      .key = spec.key,
                      .value = names};
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

std::optional<PaletteEntry> typed_comparison(const Session& session, std::string_view typed) {
  const std::vector<std::string> words = compared_words(typed);
  if (words.size() < 2) return std::nullopt;
  std::vector<std::size_t> views{session.selected()};
  for (std::size_t i = 0; i < session.size(); ++i) views.push_back(i);
  for (const std::size_t view : views)
    for (const ParamSpec& spec : session.state(view).params.specs()) {
      if (spec.kind != ParamKind::choice_list) continue;
      auto entry = comparison_of(spec, words);
      if (!entry) continue;
      entry->detail = session.state(view).experiment->info.title;
      entry->view = view;
      return entry;
    }
  return std::nullopt;
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

}  // namespace orrery
