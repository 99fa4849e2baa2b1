// The half of state_text.h that reads.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "app/state_text.h"
#include "experiments/data/file.h"

namespace orrery {
namespace {

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

[[noreturn]] void refuse(const std::string& what, const std::string& rule,
                         const std::string& remedy) {
  throw UsageError(what, rule, remedy);
}

toml::table parse(std::string_view text) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    refuse(fmt::format("line {}", line), fmt::format("is no setting ({})", error.description()),
           "write lines like dim = 128 below [params]");
  }
}

std::string word_of(const toml::node& node, std::string_view key) {
  if (const auto word = node.value_exact<std::string>()) return *word;
  refuse(std::string(key), "must be text in quotes", fmt::format("write {} = \"…\"", key));
}

const toml::table& table_of(const toml::node& node, std::string_view key) {
  if (const toml::table* table = node.as_table()) return *table;
  refuse(std::string(key), "must be a section",
         fmt::format("write [{}] on a line of its own", key));
}

std::vector<std::string> words_of(const toml::node& node, std::string_view key) {
  const toml::array* list = node.as_array();
  if (!list) refuse(std::string(key), "must be a list", fmt::format("write {} = [\"…\"]", key));
  std::vector<std::string> words;
  for (const toml::node& word : *list) words.push_back(word_of(word, key));
  return words;
}

Range range_of(const toml::node& node, std::string_view key) {
  const toml::array* list = node.as_array();
  const auto end = [&](std::size_t i) { return list->get(i)->value<double>(); };
  if (list && list->size() == 2 && end(0) && end(1) && *end(0) < *end(1)) return {*end(0), *end(1)};
  refuse(std::string(key), "must be a range, the lower end first",
         fmt::format("write {} = [0.0, 1.0]", key));
}

double number_of(const toml::node& node, std::string_view key) {
  const auto number = node.value<double>();
  if (number && std::isfinite(*number)) return *number;
  refuse(std::string(key), "must be a number", fmt::format("write {} = 1.0", key));
}

std::vector<double> numbers_of(const toml::node& node, std::string_view key) {
  const toml::array* list = node.as_array();
  if (!list) refuse(std::string(key), "must be a list", fmt::format("write {} = [1.0]", key));
  std::vector<double> numbers;
  for (const toml::node& number : *list) numbers.push_back(number_of(number, key));
  return numbers;
}

double threshold_of(const toml::node& node, std::string_view key) {
  const double threshold = number_of(node, key);
  if (threshold > 0) return threshold;
  refuse(std::string(key), "must be above 0", fmt::format("write {} = 1.0", key));
}

ViewLayout layout_of(const toml::node& node, std::string_view key) {
  const std::string name = word_of(node, key);
  if (const std::optional<ViewLayout> layout = find_layout(name)) return *layout;
  refuse(fmt::format("{} = \"{}\"", key, name), "is no layout",
         "choose single, side_by_side or small_multiples");
}

AxisScale scale_of(const toml::node& node, std::string_view key) {
  const std::string name = word_of(node, key);
  if (const std::optional<AxisScale> scale = find_axis_scale(name)) return *scale;
  refuse(fmt::format("{} = \"{}\"", key, name), "is no scale",
         "choose linear, log2, log10 or symlog");
}

Minification minification_of(const toml::node& node, std::string_view key) {
  const std::string name = word_of(node, key);
  if (name == "max") return Minification::max;
  if (name == "mean") return Minification::mean;
  refuse(fmt::format("{} = \"{}\"", key, name), "is not known", "choose mean or max");
}

/// As ParamSet::set reads it.
std::string param_text(const toml::node& node, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto number = node.value_exact<double>()) return number_text(*number);
  if (const auto on = node.value_exact<bool>()) return *on ? "true" : "false";
  return to_text(ParamValue(words_of(node, key)));
}

/// What to do when a part of the text is wrong: stop, or go on without it.
using Guard = std::function<void(const std::function<void()>&)>;

void read_params(ParamSet& params, const toml::table& table, const Guard& guard) {
  for (const auto& [key, node] : table)
    guard(
        [&, &name = key, &value = node] { params.set(name.str(), param_text(value, name.str())); });
}

void read_view_entry(FigureView& view, std::string_view key, const toml::node& node) {
  if (key == "x")
    view.x = range_of(node, key);
  else if (key == "y")
    view.y = range_of(node, key);
  else if (key == "color")
    view.color = range_of(node, key);
  else if (key == "x_scale")
    view.x_scale = scale_of(node, key);
  else if (key == "y_scale")
    view.y_scale = scale_of(node, key);
  else if (key == "x_threshold")
    view.x_threshold = threshold_of(node, key);
  else if (key == "y_threshold")
    view.y_threshold = threshold_of(node, key);
  else if (key == "minified")
    view.minification = minification_of(node, key);
  else if (key == "hidden") {
    const std::vector<std::string> names = words_of(node, key);
    view.hidden = {names.begin(), names.end()};
  } else {
    refuse(std::string(key), "is nothing a view has",
           "choose x, y, x_scale, y_scale, color, hidden or minified");
  }
}

void read_views(ExperimentSettings& settings, const toml::table& views, const Guard& guard) {
  for (const auto& [id, node] : views)
    guard([&, &name = id, &value = node] {
      FigureView view;
      for (const auto& [key, entry] : table_of(value, name.str()))
        guard([&, &k = key, &e = entry] { read_view_entry(view, k.str(), e); });
      settings.views[std::string(name.str())] = std::move(view);
    });
}

void read_marks(ExperimentSettings& settings, const toml::table& figures, const Guard& guard) {
  for (const auto& [id, node] : figures)
    guard([&, &name = id, &value = node] {
      FigureMarks marks;
      for (const auto& [key, entry] : table_of(value, name.str())) {
        const std::vector<double> numbers = numbers_of(entry, key.str());
        if (key == "pins")
          marks.pins = numbers;
        else if (key == "cursors" && numbers.size() == 2)
          marks.cursors = {numbers[0], numbers[1]};
        else
          refuse(std::string(key.str()), "is nothing that is laid onto a plot",
                 "choose pins or cursors, two of the latter");
      }
      settings.shown.marks[std::string(name.str())] = std::move(marks);
    });
}

void read_experiment_entry(ExperimentSettings& settings, std::string_view key,
                           const toml::node& node, const Guard& guard) {
  if (key == "params")
    read_params(settings.params, table_of(node, key), guard);
  else if (key == "figure")
    settings.figure = word_of(node, key);
  else if (key == "view")
    read_views(settings, table_of(node, key), guard);
  else if (key == "mark")
    read_marks(settings, table_of(node, key), guard);
  else if (key == "layout")
    settings.shown.layout = layout_of(node, key);
  else if (key == "second_figure")
    settings.shown.second_figure = word_of(node, key);
  else
    refuse(std::string(key), "is not known here",
           "choose experiment, figure, [params] or [view.…]");
}

void set_defaults(ExperimentSettings& settings) {
  for (const ParamSpec& spec : settings.params.specs()) settings.params.reset(spec.key);
  settings.figure.clear();
  settings.views.clear();
  settings.shown.marks.clear();
}

std::size_t index_of(const DesktopState& state, const std::string& name) {
  std::vector<std::string> names;
  for (const ExperimentSettings& settings : state.experiments) {
    if (settings.experiment == name) return names.size();
    names.push_back(settings.experiment);
  }
  const std::string near = nearest_name(name, names);
  refuse("experiment = " + in_quotes(name), "does not exist",
         near.empty() ? "see the list of views" : fmt::format("did you mean {}?", near));
}

void read_look_entry(Look& look, std::string_view key, const toml::node& node) {
  const auto flag = [&](bool& on) {
    const auto value = node.value_exact<bool>();
    if (!value) refuse(std::string(key), "must be true or false", "write it without quotes");
    on = *value;
  };
  if (key == "theme") {
    const std::string name = word_of(node, key);
    const std::optional<Theme> theme = find_theme(name);
    if (!theme) refuse("theme = " + in_quotes(name), "is no theme", "choose dark, light or print");
    look.theme = *theme;
  } else if (key == "scale") {
    const auto scale = node.value<double>();
    if (!scale || !(*scale >= kLeastScale && *scale <= kLargestScale))
      refuse("scale", fmt::format("must lie in [{}, {}]", kLeastScale, kLargestScale),
             "write scale = 1.0");
    look.scale = *scale;
  } else if (key == "projector") {
    flag(look.projector);
  } else if (key == "list") {
    flag(look.list);
  } else if (key == "panel") {
    flag(look.panel);
  } else if (key == "findings") {
    look.findings = number_of(node, key);
    if (*look.findings < 0) refuse("findings", "must not be negative", "write findings = 0.0");
  } else {
    refuse("look." + std::string(key), "is not known", "leave it out");
  }
}

void read_saved_entry(SavedShown& saved, std::string_view key, const toml::node& node) {
  if (key == "folder")
    saved.folder = word_of(node, key);
  else if (key == "point")
    saved.point = word_of(node, key);
  else if (key == "on_screen")
    saved.on_screen = node.value_or(false);
  else
    refuse("saved." + std::string(key), "is not known", "leave it out");
}

void read_experiments(DesktopState& state, const toml::table& experiments, const Guard& guard) {
  for (const auto& [name, node] : experiments)
    guard([&, &n = name, &value = node] {
      ExperimentSettings& settings = state.experiments[index_of(state, std::string(n.str()))];
      for (const auto& [key, entry] : table_of(value, n.str()))
        guard([&, &k = key, &e = entry] { read_experiment_entry(settings, k.str(), e, guard); });
    });
}

void read_session_entry(DesktopState& state, std::vector<std::string>& recent, std::string_view key,
                        const toml::node& node, const Guard& guard) {
  if (key == "orrery_session") return;
  if (key == "shown")
    state.selected = index_of(state, word_of(node, key));
  else if (key == "recent")
    recent = words_of(node, key);
  else if (key == "look")
    for (const auto& [name, value] : table_of(node, key))
      guard([&, &n = name, &v = value] { read_look_entry(state.look, n.str(), v); });
  else if (key == "saved")
    for (const auto& [name, value] : table_of(node, key))
      guard([&, &n = name, &v = value] { read_saved_entry(state.saved, n.str(), v); });
  else if (key == "experiment")
    read_experiments(state, table_of(node, key), guard);
  else
    refuse(std::string(key), "is not known", "leave it out");
}

}  // namespace

void apply_settings_text(Session& session, std::string_view text) {
  const toml::table table = parse(text);
  const Guard strict = [](const std::function<void()>& read) { read(); };
  const toml::node* name = table.get("experiment");
  if (!name)
    refuse("the text", "names no experiment",
           fmt::format("begin with experiment = {}",
                       in_quotes(session.current().experiment->info().name)));
  DesktopState state = session.snapshot();
  state.selected = index_of(state, word_of(*name, "experiment"));
  ExperimentSettings& settings = state.experiments[state.selected];
  set_defaults(settings);
  for (const auto& [key, node] : table)
    if (key != "experiment") read_experiment_entry(settings, key.str(), node, strict);
  session.apply(state);
}

std::vector<std::string> apply_session_text(Session& session, std::string_view text) {
  const toml::table table = parse(text);
  if (!table.contains("orrery_session"))
    refuse("the text", "is no session of Orrery", "delete it; a new one is written");
  DesktopState state = session.snapshot();
  std::vector<std::string> recent, left_out;
  const Guard lenient = [&](const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      left_out.push_back(error.what());
    }
  };
  for (const auto& [key, node] : table)
    lenient([&, &k = key, &value = node] {
      read_session_entry(state, recent, k.str(), value, lenient);
    });
  session.apply(state);
  session.recent = std::move(recent);
  return left_out;
}

}  // namespace orrery
