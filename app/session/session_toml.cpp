#include "app/session/session_toml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <utility>

#include "experiments/figure/plot/figure_view_toml.h"
#include "experiments/setup/plugins.h"
#include "experiments/text/model_names.h"
#include "experiments/text/shell_quote.h"
#include "experiments/text/toml_fields.h"

namespace orrery {
namespace {

constexpr int format_version = 1;

const TomlFields<FigureMarks>& mark_fields() {
  static const TomlFields<FigureMarks> fields{
      field("pins", &FigureMarks::pins, toml_list<std::vector<double>>(toml_number())),
      field("cursors", &FigureMarks::cursors, toml_number_pair())};
  return fields;
}

const TomlFields<Subtrahend>& minus_fields() {
  static const TomlFields<Subtrahend> fields{field("figure", &Subtrahend::figure, toml_text()),
                                             field("curve", &Subtrahend::curve, toml_text())};
  return fields;
}

/// References are results and are not kept.
const TomlFields<ExperimentSettings>& experiment_fields() {
  const auto shown = &ExperimentSettings::shown;
  static const TomlFields<ExperimentSettings> fields{
      field("figure", &ExperimentSettings::figure, toml_text()),
      field_within(shown,
                   field("layout", &ViewState::layout, toml_name(layout_names(), "a layout"))),
      field_within(shown, field("second_figure", &ViewState::second_figure, toml_text())),
      params_field("params", &ExperimentSettings::params),
      section_field("view", &ExperimentSettings::views, figure_view_fields()),
      field_within(shown, section_field("mark", &ViewState::marks, mark_fields())),
      field_within(shown, section_field("minus", &ViewState::minus, minus_fields()))};
  return fields;
}

const TomlFields<Look>& look_fields() {
  const auto is_scale = [](double x) { return x >= min_scale && x <= max_scale; };
  const auto is_height = [](double x) { return x >= 0; };
  static const TomlFields<Look> fields{
      fixed_field("theme", &Look::theme, toml_name(theme_names(), "a theme")),
      fixed_field("scale", &Look::scale,
                  toml_number(is_scale, fmt::format("must lie in [{}, {}]", min_scale, max_scale))),
      fixed_field("projector", &Look::projector, toml_flag()),
      field("list_column", &Look::show_list, toml_flag()),
      field("parameter_column", &Look::show_panel, toml_flag()),
      obsolete_field<Look>("list"),
      obsolete_field<Look>("panel"),
      field("findings", &Look::findings, toml_number(is_height, "must not be negative"))};
  return fields;
}

const TomlFields<SavedShown>& saved_fields() {
  static const TomlFields<SavedShown> fields{
      field("on_screen", &SavedShown::on_screen, toml_flag()),
      field("folder", &SavedShown::folder, toml_text()),
      field("point", &SavedShown::point, toml_text()), field("hue", &SavedShown::hue, toml_text()),
      field("facet", &SavedShown::facet, toml_text())};
  return fields;
}

std::size_t index_of(const DesktopState& state, const std::string& name) {
  std::vector<std::string> names;
  for (const ExperimentSettings& settings : state.experiments) {
    if (settings.experiment == name) return names.size();
    names.push_back(settings.experiment);
  }
  throw UsageError(fmt::format("experiment = \"{}\"", name), "does not exist",
                   remedy_for_unknown(name, names, "see the list of views"));
}

/// The name of the experiment that is shown.
TomlField<DesktopState> shown_field() {
  auto field = field_read<DesktopState>(
      "shown", toml_text(),
      [](DesktopState& state, const std::string& name) { state.selected = index_of(state, name); });
  field.line = [](const DesktopState& state) {
    return state.experiments.empty()
               ? std::string()
               : toml_text().write(state.experiments[state.selected].experiment);
  };
  return field;
}

void read_experiments(DesktopState& state, const toml::node& node, const Guarded& guarded) {
  const toml::table* table = section_in(node, "experiment", guarded);
  if (!table) return;
  for (const auto& [name, entry] : entries_in(*table))
    guarded(line_of(*entry), [&, &n = name, &e = *entry] {
      ExperimentSettings& settings = state.experiments[index_of(state, n)];
      read_section(settings, experiment_fields(), e, "experiment." + n, guarded);
    });
}

std::string write_experiments(const DesktopState& state, const std::string& path) {
  std::string text;
  for (const ExperimentSettings& settings : state.experiments)
    text += write_fields(settings, experiment_fields(),
                         path + "." + toml_text().write(settings.experiment));
  return text;
}

const TomlFields<LessonProgress>& lesson_fields() {
  static const TomlFields<LessonProgress> fields{
      field("step", &LessonProgress::step, toml_whole_number<std::size_t>(1, 1000))};
  return fields;
}

const TomlFields<SessionDocument>& document_fields() {
  const auto state = &SessionDocument::state;
  TomlField<SessionDocument> version = obsolete_field<SessionDocument>("orrery_session");
  version.line = [](const SessionDocument&) { return std::to_string(format_version); };
  static const TomlFields<SessionDocument> fields{
      version,
      field_within(state, shown_field()),
      field("recent", &SessionDocument::recent, toml_words()),
      section_field("lesson", &SessionDocument::lessons, lesson_fields()),
      field_within(state, section_field("look", &DesktopState::look, look_fields())),
      field_within(state, section_field("saved", &DesktopState::saved, saved_fields())),
      field_within(state, {"experiment", read_experiments, nullptr, write_experiments})};
  return fields;
}

void set_defaults(ExperimentSettings& settings) {
  for (const ParamSpec& spec : settings.params.specs()) settings.params.reset(spec.key);
  settings.figure.clear();
  settings.views.clear();
  settings.shown.marks.clear();
  settings.shown.minus.clear();
}

}  // namespace

std::string settings_text(const ExperimentState& state, bool with_arrangement) {
  ExperimentSettings settings{.params = state.params};
  for (const ParamSpec& spec : state.params.specs())
    if (!state.params.is_used(spec.key)) settings.params.reset(spec.key);
  if (const auto view = state.views.find(state.figure); view != state.views.end())
    if (!(view->second == FigureView{})) settings.views.insert(*view);
  if (with_arrangement || !settings.views.empty()) settings.figure = state.figure;
  if (with_arrangement) settings.shown.layout = state.shown.layout;
  if (settings.shown.layout == ViewLayout::side_by_side)
    settings.shown.second_figure = state.shown.second_figure;
  return fmt::format("experiment = {}\n", toml_text().write(state.experiment->info.name)) +
         write_fields(settings, experiment_fields());
}

SessionDocument document_of(const Session& session) {
  return {session.snapshot(), session.recent, session.lessons};
}

std::string session_text(const SessionDocument& document) {
  return write_fields(document, document_fields());
}

void apply_settings_text(Session& session, std::string_view text) {
  toml::table table = parse_toml(text, "the text");
  const toml::node* name = table.get("experiment");
  if (!name)
    throw UsageError(
        "the text", "names no experiment",
        fmt::format("begin with experiment = \"{}\"", session.current().experiment->info.name));
  DesktopState state = session.snapshot();
  state.selected = index_of(state, toml_text().read(*name, "experiment"));
  table.erase("experiment");
  ExperimentSettings& settings = state.experiments[state.selected];
  set_defaults(settings);
  read_fields(settings, experiment_fields(), table, "a key of an experiment", unguarded);
  session.apply(state);
}

DesktopState defaults_of(DesktopState state) {
  for (ExperimentSettings& settings : state.experiments) {
    set_defaults(settings);
    settings.shown = {};
  }
  state.selected = 0;
  state.look = {};
  state.saved = {};
  return state;
}

std::vector<std::string> read_session_text(SessionDocument& document, std::string_view text) {
  const toml::table table = parse_toml(text, "the text");
  if (!table.contains("orrery_session"))
    throw UsageError("the text", "is not a session of Orrery", "delete it; a new one is written");
  std::vector<std::string> left_out;
  const Guarded lenient = [&](int, const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      left_out.push_back(error.what());
    }
  };
  read_fields(document, document_fields(), table, "a key of a session", lenient);
  return left_out;
}

std::vector<std::string> apply_session_text(Session& session, std::string_view text) {
  SessionDocument document{.state = session.snapshot()};
  std::vector<std::string> left_out = read_session_text(document, text);
  session.apply(document.state);
  session.recent = std::move(document.recent);
  session.lessons = std::move(document.lessons);
  return left_out;
}

std::string command_text(const ExperimentState& state) {
  std::vector<std::string> words{"orrery", "run", state.experiment->info.name};
  for (std::string& word : state.params.overrides()) words.push_back(std::move(word));
  return command_line(std::move(words));
}

std::string command_text(const LiveSweep& sweep) {
  std::vector<std::string> words{"orrery", "sweep", sweep.experiment()->info.name};
  ParamSet around = sweep.params();
  around.reset(sweep.key());
  for (std::string& word : around.overrides()) words.push_back(std::move(word));
  words.push_back(fmt::format("{}={}", sweep.key(), fmt::join(sweep.values(), ",")));
  return command_line(std::move(words));
}

std::string plot_command_text(const std::string& folder, const std::string& hue,
                              const std::string& facet) {
  std::vector<std::string> words{"orrery", "plot", folder};
  if (!hue.empty()) words.push_back("hue=" + hue);
  if (!facet.empty()) words.push_back("facet=" + facet);
  return shell_line(words);
}

}  // namespace orrery
