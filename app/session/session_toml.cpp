#include "app/session/session_toml.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "app/session/toml_fields.h"
#include "experiments/files/file.h"

#include "experiments/text/model_names.h"
#include "experiments/text/parse_toml.h"

namespace orrery::session {
namespace {

constexpr int format_version = 1;

// Every key of a member is named once, for writing and reading.

const TomlFields<FigureView>& view_fields() {
  static const TomlFields<FigureView> fields{
      field("x", &FigureView::x, toml_range),
      field("y", &FigureView::y, toml_range),
      field("x_scale", &FigureView::x_scale, toml_axis_scale),
      field("y_scale", &FigureView::y_scale, toml_axis_scale),
      field("x_threshold", &FigureView::x_threshold, toml_positive),
      field("y_threshold", &FigureView::y_threshold, toml_positive),
      field("color", &FigureView::color, toml_range),
      field("hidden", &FigureView::hidden, toml_word_set),
      field("minified", &FigureView::minification, toml_minification)};
  return fields;
}

const TomlFields<FigureMarks>& mark_fields() {
  static const TomlFields<FigureMarks> fields{
      field("pins", &FigureMarks::pins, toml_numbers),
      field("cursors", &FigureMarks::cursors, toml_number_pair)};
  return fields;
}

const TomlFields<Subtrahend>& minus_fields() {
  static const TomlFields<Subtrahend> fields{field("figure", &Subtrahend::figure, toml_text),
                                             field("curve", &Subtrahend::curve, toml_text)};
  return fields;
}

/// References are results and are not kept.
const TomlFields<ExperimentSettings>& experiment_fields() {
  const auto shown = &ExperimentSettings::shown;
  static const TomlFields<ExperimentSettings> fields{
      field("figure", &ExperimentSettings::figure, toml_text),
      field_within(shown, field("layout", &ViewState::layout, toml_layout)),
      field_within(shown, field("second_figure", &ViewState::second_figure, toml_text))};
  return fields;
}

const TomlFields<Look>& look_fields() {
  static const TomlFields<Look> fields{fixed_field("theme", &Look::theme, toml_theme),
                                       fixed_field("scale", &Look::scale, toml_screen_scale),
                                       fixed_field("projector", &Look::projector, toml_flag),
                                       field("list_column", &Look::show_list, toml_flag),
                                       field("parameter_column", &Look::show_panel, toml_flag),
                                       obsolete_field<Look>("list"),
                                       obsolete_field<Look>("panel"),
                                       field("findings", &Look::findings, toml_nonnegative)};
  return fields;
}

const TomlFields<SavedShown>& saved_fields() {
  static const TomlFields<SavedShown> fields{field("on_screen", &SavedShown::on_screen, toml_flag),
                                             field("folder", &SavedShown::folder, toml_text),
                                             field("point", &SavedShown::point, toml_text),
                                             field("hue", &SavedShown::hue, toml_text),
                                             field("facet", &SavedShown::facet, toml_text)};
  return fields;
}

const TomlFields<SessionDocument>& document_fields() {
  static const TomlFields<SessionDocument> fields{
      field("recent", &SessionDocument::recent, toml_words)};
  return fields;
}

std::string quoted(const std::string& text) { return toml_text.write(text); }

std::string section(const std::string& header, const std::string& body) {
  return body.empty() ? std::string() : fmt::format("\n[{}]\n{}", header, body);
}

/// One section per figure: [PREFIX."ID"].
template <class Value>
std::string figure_sections(const std::string& prefix, const std::map<std::string, Value>& values,
                            const TomlFields<Value>& fields) {
  std::string text;
  for (const auto& [id, value] : values)
    text += section(fmt::format("{}.{}", prefix, quoted(id)), write_fields(value, fields));
  return text;
}

/// The parameters that differ from their defaults; those that are not used at present only if asked
/// for.
std::string params_text(const ParamSet& params, bool with_unused) {
  std::string text;
  for (const ParamSpec& spec : params.specs()) {
    if (params.is_default(spec.key) || !(with_unused || params.is_used(spec.key))) continue;
    text += fmt::format("{} = {}\n", spec.key, param_value_text(params.value(spec.key)));
  }
  return text;
}

std::string experiment_text(const ExperimentSettings& settings) {
  const std::string prefix = fmt::format("experiment.{}", quoted(settings.experiment));
  return section(prefix, write_fields(settings, experiment_fields())) +
         section(prefix + ".params", params_text(settings.params, true)) +
         figure_sections(prefix + ".view", settings.views, view_fields()) +
         figure_sections(prefix + ".mark", settings.shown.marks, mark_fields()) +
         figure_sections(prefix + ".minus", settings.shown.minus, minus_fields());
}

/// Runs a step of reading. A strict guard lets the error of a wrong step pass, a lenient one goes
/// on without that step.
using Guard = std::function<void(const std::function<void()>&)>;

[[noreturn]] void refuse_key(std::string_view section, std::string_view key,
                             const std::string& known) {
  throw UsageError(std::string(key), fmt::format("is not a key of {}", section),
                   fmt::format("choose {}", known));
}

toml::table parse(std::string_view text) {
  try {
    return parse_toml(text);
  } catch (const TomlFault& fault) {
    throw UsageError(fmt::format("line {}", fault.place().line), fault.what(),
                     "write lines like dim = 128 below [params]");
  }
}

/// Reads each entry of a section under the guard.
void read_entries(const toml::node& node, std::string_view name, const Guard& guard,
                  const std::function<void(const std::string& key, const toml::node&)>& read) {
  for (const auto& [key, entry] : read_table(node, name))
    guard([&, &k = key, &e = entry] { read(std::string(k.str()), e); });
}

template <class Struct>
void read_section(Struct& to, const TomlFields<Struct>& fields, const toml::node& node,
                  std::string_view name, const Guard& guard) {
  read_entries(node, name, guard, [&](const std::string& key, const toml::node& entry) {
    if (!read_field(to, fields, key, entry))
      refuse_key(fmt::format("[{}]", name), key, field_names(fields));
  });
}

template <class Value>
void read_figure_sections(std::map<std::string, Value>& values, const TomlFields<Value>& fields,
                          const toml::node& node, std::string_view name, const Guard& guard) {
  read_entries(node, name, guard, [&](const std::string& id, const toml::node& entry) {
    Value value;
    read_section(value, fields, entry, fmt::format("{}.{}", name, id), guard);
    values[id] = std::move(value);
  });
}

/// To TOML, rope.scaling = "yarn" is an entry of a table "rope".
void read_params(ParamSet& params, const std::string& prefix, const toml::node& node,
                 const Guard& guard) {
  read_entries(node, "params", guard, [&](const std::string& name, const toml::node& value) {
    const std::string key = prefix + name;
    if (value.is_table()) return read_params(params, key + ".", value, guard);
    params.set(key, read_param_value(value, key));
  });
}

void read_experiment_entry(ExperimentSettings& settings, const std::string& key,
                           const toml::node& node, const Guard& guard) {
  if (key == "params")
    read_params(settings.params, "", node, guard);
  else if (key == "view")
    read_figure_sections(settings.views, view_fields(), node, key, guard);
  else if (key == "mark")
    read_figure_sections(settings.shown.marks, mark_fields(), node, key, guard);
  else if (key == "minus")
    read_figure_sections(settings.shown.minus, minus_fields(), node, key, guard);
  else if (!read_field(settings, experiment_fields(), key, node))
    refuse_key("an experiment", key,
               field_names(experiment_fields()) + ", [params], [view.…], [mark.…] or [minus.…]");
}

void set_defaults(ExperimentSettings& settings) {
  for (const ParamSpec& spec : settings.params.specs()) settings.params.reset(spec.key);
  settings.figure.clear();
  settings.views.clear();
  settings.shown.marks.clear();
  settings.shown.minus.clear();
}

std::size_t index_of(const DesktopState& state, const std::string& name) {
  std::vector<std::string> names;
  for (const ExperimentSettings& settings : state.experiments) {
    if (settings.experiment == name) return names.size();
    names.push_back(settings.experiment);
  }
  const std::string near = nearest_name(name, names);
  throw UsageError("experiment = " + quoted(name), "does not exist",
                   near.empty() ? "see the list of views" : fmt::format("did you mean {}?", near));
}

void read_document_entry(SessionDocument& document, const std::string& key, const toml::node& node,
                         const Guard& guard) {
  DesktopState& state = document.state;
  if (key == "orrery_session") return;
  if (key == "shown")
    state.selected = index_of(state, toml_text.read(node, key));
  else if (key == "look")
    read_section(state.look, look_fields(), node, key, guard);
  else if (key == "saved")
    read_section(state.saved, saved_fields(), node, key, guard);
  else if (key == "experiment")
    read_entries(node, key, guard, [&](const std::string& name, const toml::node& settings) {
      ExperimentSettings& mine = state.experiments[index_of(state, name)];
      read_entries(settings, name, guard, [&](const std::string& k, const toml::node& entry) {
        read_experiment_entry(mine, k, entry, guard);
      });
    });
  else if (!read_field(document, document_fields(), key, node))
    throw UsageError(key, "is not a key of a session", "leave it out");
}

}  // namespace

std::string settings_text(const ExperimentState& state) {
  std::string text = fmt::format("experiment = {}\n", quoted(state.experiment->info.name));
  std::map<std::string, FigureView> view;
  if (const auto shown = state.views.find(state.figure); shown != state.views.end())
    if (!(shown->second == FigureView{})) view.insert(*shown);
  if (!state.figure.empty() && !view.empty())
    text += fmt::format("figure = {}\n", quoted(state.figure));
  return text + section("params", params_text(state.params, false)) +
         figure_sections("view", view, view_fields());
}

SessionDocument document_of(const Session& session) { return {session.snapshot(), session.recent}; }

std::string session_text(const Session& session) { return session_text(document_of(session)); }

std::string session_text(const SessionDocument& document) {
  const DesktopState& state = document.state;
  std::string text = fmt::format("orrery_session = {}\n", format_version);
  if (!state.experiments.empty())
    text += fmt::format("shown = {}\n", quoted(state.experiments[state.selected].experiment));
  text += write_fields(document, document_fields());
  text += section("look", write_fields(state.look, look_fields()));
  text += section("saved", write_fields(state.saved, saved_fields()));
  for (const ExperimentSettings& settings : state.experiments) text += experiment_text(settings);
  return text;
}

void apply_settings_text(Session& session, std::string_view text) {
  const toml::table table = parse(text);
  const Guard strict = [](const std::function<void()>& read) { read(); };
  const toml::node* name = table.get("experiment");
  if (!name)
    throw UsageError(
        "the text", "names no experiment",
        fmt::format("begin with experiment = {}", quoted(session.current().experiment->info.name)));
  DesktopState state = session.snapshot();
  state.selected = index_of(state, toml_text.read(*name, "experiment"));
  ExperimentSettings& settings = state.experiments[state.selected];
  set_defaults(settings);
  for (const auto& [key, node] : table)
    if (key != "experiment") read_experiment_entry(settings, std::string(key.str()), node, strict);
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
  const toml::table table = parse(text);
  if (!table.contains("orrery_session"))
    throw UsageError("the text", "is not a session of Orrery", "delete it; a new one is written");
  std::vector<std::string> left_out;
  const Guard lenient = [&](const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      left_out.push_back(error.what());
    }
  };
  read_entries(table, "session", lenient, [&](const std::string& key, const toml::node& node) {
    read_document_entry(document, key, node, lenient);
  });
  return left_out;
}

std::vector<std::string> apply_session_text(Session& session, std::string_view text) {
  SessionDocument document{session.snapshot(), {}};
  std::vector<std::string> left_out = read_session_text(document, text);
  session.apply(document.state);
  session.recent = std::move(document.recent);
  return left_out;
}

}  // namespace orrery::session
