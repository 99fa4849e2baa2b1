#include "app/state_text.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "experiments/data/file.h"

namespace orrery {
namespace {

constexpr int kVersion = 1;
constexpr std::array kScaleNames{
    std::pair{AxisScale::linear, "linear"}, std::pair{AxisScale::log2, "log2"},
    std::pair{AxisScale::log10, "log10"}, std::pair{AxisScale::symlog, "symlog"}};

// ---- Writing ------------------------------------------------------------------------------------

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\u{:04X}", byte);
    else
      out += c;
  }
  return out + "\"";
}

template <class Words>
std::string in_list(const Words& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + in_quotes(word);
  return "[" + list + "]";
}

/// TOML tells reals from integers by the point or the exponent.
std::string real_text(double value) {
  std::string text = number_text(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string range_text(const Range& range) {
  return fmt::format("[{}, {}]", real_text(range.min), real_text(range.max));
}

std::string value_text(const ParamValue& value) {
  struct Visitor {
    std::string operator()(bool on) const { return on ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return real_text(number); }
    std::string operator()(const std::string& text) const { return in_quotes(text); }
    std::string operator()(const std::vector<std::string>& list) const { return in_list(list); }
  };
  return std::visit(Visitor{}, value);
}

std::string scale_name(AxisScale scale) {
  for (const auto& [known, name] : kScaleNames)
    if (known == scale) return name;
  return {};
}

/// How the figures are arranged; the reference is a result and is not kept.
std::string arrangement_text(const ViewState& shown) {
  std::string text;
  if (shown.layout) text += fmt::format("layout = {}\n", in_quotes(layout_name(*shown.layout)));
  if (!shown.second_figure.empty())
    text += fmt::format("second_figure = {}\n", in_quotes(shown.second_figure));
  return text;
}

template <class Numbers>
std::string numbers_text(const Numbers& numbers) {
  std::string list;
  for (const double number : numbers) list += (list.empty() ? "" : ", ") + real_text(number);
  return "[" + list + "]";
}

std::string marks_text(const FigureMarks& marks) {
  std::string text;
  if (!marks.pins.empty()) text += fmt::format("pins = {}\n", numbers_text(marks.pins));
  if (marks.cursors) text += fmt::format("cursors = {}\n", numbers_text(*marks.cursors));
  return text;
}

std::string view_text(const FigureView& view) {
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("{} = {}\n", key, value);
  };
  if (view.x) line("x", range_text(*view.x));
  if (view.y) line("y", range_text(*view.y));
  if (view.x_scale) line("x_scale", in_quotes(scale_name(*view.x_scale)));
  if (view.y_scale) line("y_scale", in_quotes(scale_name(*view.y_scale)));
  if (view.x_threshold) line("x_threshold", real_text(*view.x_threshold));
  if (view.y_threshold) line("y_threshold", real_text(*view.y_threshold));
  if (view.color) line("color", range_text(*view.color));
  if (!view.hidden.empty()) line("hidden", in_list(view.hidden));
  if (view.minification != Minification{}) line("minified", in_quotes("max"));
  return text;
}

/// The parameters that differ from their defaults; those that nothing reads only if asked for.
std::string params_text(const ParamSet& params, bool unused_too) {
  std::string text;
  for (const ParamSpec& spec : params.specs()) {
    if (params.is_default(spec.key) || !(unused_too || params.is_used(spec.key))) continue;
    text += fmt::format("{} = {}\n", spec.key, value_text(params.value(spec.key)));
  }
  return text;
}

std::string section(const std::string& header, const std::string& body) {
  return body.empty() ? std::string() : fmt::format("\n[{}]\n{}", header, body);
}

std::string views_text(const std::map<std::string, FigureView>& views, const std::string& prefix) {
  std::string text;
  for (const auto& [id, view] : views)
    text += section(fmt::format("{}view.{}", prefix, in_quotes(id)), view_text(view));
  return text;
}

std::string saved_text(const SavedShown& saved) {
  if (saved == SavedShown{}) return {};
  return fmt::format("on_screen = {}\nfolder = {}\npoint = {}\n", saved.on_screen,
                     in_quotes(saved.folder), in_quotes(saved.point));
}

// ---- Reading ------------------------------------------------------------------------------------

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
  for (const auto& [scale, known] : kScaleNames)
    if (name == known) return scale;
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

std::string settings_text(const ExperimentState& state) {
  std::string text = fmt::format("experiment = {}\n", in_quotes(state.experiment->info().name));
  const auto shown = state.views.find(state.figure);
  const bool tells_view = shown != state.views.end() && !(shown->second == FigureView{});
  if (!state.figure.empty() && tells_view)
    text += fmt::format("figure = {}\n", in_quotes(state.figure));
  text += section("params", params_text(state.params, false));
  if (tells_view)
    text += section(fmt::format("view.{}", in_quotes(state.figure)), view_text(shown->second));
  return text;
}

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

std::string session_text(const Session& session) {
  const DesktopState state = session.snapshot();
  std::string text = fmt::format("orrery_session = {}\n", kVersion);
  if (session.size() > 0)
    text += fmt::format("shown = {}\n", in_quotes(state.experiments[state.selected].experiment));
  if (!session.recent.empty()) text += fmt::format("recent = {}\n", in_list(session.recent));
  const Look& look = state.look;
  const std::string findings =
      look.findings ? fmt::format("findings = {}\n", real_text(*look.findings)) : std::string();
  text +=
      section("look", fmt::format("theme = {}\nscale = {}\nprojector = {}\nlist = {}\npanel = {}\n",
                                  in_quotes(theme_name(look.theme)), real_text(look.scale),
                                  look.projector, look.list, look.panel) +
                          findings);
  text += section("saved", saved_text(state.saved));
  for (const ExperimentSettings& settings : state.experiments) {
    const std::string prefix = fmt::format("experiment.{}", in_quotes(settings.experiment));
    const std::string figure = settings.figure.empty()
                                   ? std::string()
                                   : fmt::format("figure = {}\n", in_quotes(settings.figure));
    text += section(prefix, figure + arrangement_text(settings.shown));
    text += section(prefix + ".params", params_text(settings.params, true));
    text += views_text(settings.views, prefix + ".");
    for (const auto& [id, marks] : settings.shown.marks)
      text += section(fmt::format("{}.mark.{}", prefix, in_quotes(id)), marks_text(marks));
  }
  return text;
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
