#include "app/state_text.h"

#include <fmt/format.h>

#include <string>
#include <variant>

namespace orrery {
namespace {

constexpr int kVersion = 1;

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
  if (view.x_scale) line("x_scale", in_quotes(axis_scale_name(*view.x_scale)));
  if (view.y_scale) line("y_scale", in_quotes(axis_scale_name(*view.y_scale)));
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

}  // namespace orrery
