#include "app/headless/script.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>

#include "app/gui/imgui_shim.h"
#include "app/session/references.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

/// Splits a line at spaces; text in double quotes is one word, and # begins a comment.
Words split(const std::string& line) {
  Words words;
  std::string word;
  bool quoted = false, inside = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      inside = true;
    } else if (!quoted && (c == ' ' || c == '\t')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else if (!quoted && c == '#' && !inside) {
      break;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

struct NamedKey {
  const char* name;
  int key;
};
constexpr std::array known_keys{
    NamedKey{"enter", GLFW_KEY_ENTER},     NamedKey{"escape", GLFW_KEY_ESCAPE},
    NamedKey{"tab", GLFW_KEY_TAB},         NamedKey{"space", GLFW_KEY_SPACE},
    NamedKey{"up", GLFW_KEY_UP},           NamedKey{"down", GLFW_KEY_DOWN},
    NamedKey{"left", GLFW_KEY_LEFT},       NamedKey{"right", GLFW_KEY_RIGHT},
    NamedKey{"delete", GLFW_KEY_DELETE},   NamedKey{"backspace", GLFW_KEY_BACKSPACE},
    NamedKey{"home", GLFW_KEY_HOME},       NamedKey{"end", GLFW_KEY_END},
    NamedKey{"page_up", GLFW_KEY_PAGE_UP}, NamedKey{"page_down", GLFW_KEY_PAGE_DOWN}};

std::string joined(const std::vector<std::string>& parts) {
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

template <class Numbers>
Words number_words(const Numbers& numbers) {
  Words words;
  for (const double value : numbers) words.push_back(fmt::format("{}", value));
  return words;
}

std::string scalar(const ExperimentState& state, const std::string& name) {
  if (state.result)
    for (const Scalar& one : state.result->scalars)
      if (one.name == name) return fmt::format("{}", one.value);
  throw BadStep("there is no scalar " + name, "see orrery describe");
}

/// The names of a figure's ghosts, in the order in which they are drawn.
std::string ghosts_of(const std::string& figure, const ScriptDesktop& stage) {
  const FigureLayout* frame = stage.app.item_rects().figure(figure);
  if (!frame) throw BadStep("there is no figure " + figure + " on screen", "see the view's tabs");
  Words names;
  for (const FigureLayout::LegendEntry& entry : frame->ghost_names) names.push_back(entry.series);
  return joined(names);
}

Words reference_names(const ExperimentState& state) {
  Words names;
  for (const auto& reference : state.shown.references)
    names.push_back(reference_name(contrast_of(state.result->provenance, reference->provenance)));
  return names;
}

std::string fact_of(const std::string& name, const std::string& of, const ExperimentState& state) {
  if (name == "param") return state.params.to_text(of);
  if (name == "scalar") return scalar(state, of);
  const FigureView view = view_in(state.views, of);
  const auto marked = state.shown.marks.find(of);
  const FigureMarks marks = marked == state.shown.marks.end() ? FigureMarks{} : marked->second;
  if (name == "zoom") {
    Words axes;
    if (view.x) axes.emplace_back("x");
    if (view.y) axes.emplace_back("y");
    return joined(axes);
  }
  if (name == "hidden") return joined({view.hidden.begin(), view.hidden.end()});
  if (name == "pins") return joined(number_words(marks.pins));
  if (name == "cursors") return marks.cursors ? joined(number_words(*marks.cursors)) : "none";
  if (name == "colors")
    return view.color ? fmt::format("{:.3g} to {:.3g}", view.color->min, view.color->max) : "none";
  throw BadStep("\"" + name + "\" is not a fact about something", "see orrery-desktop --help");
}

/// The session on screen: the live one or that of the browser.
const Session& shown_session(const ScriptDesktop& stage) {
  return stage.app.is_browsing() ? stage.app.browser().session() : stage.session;
}

}  // namespace

void SimulatedInput::move_to(Point p) {
  shim::inject_mouse_position(ImGui::GetIO(), p);
  frame_();
}

void SimulatedInput::move_away() {
  shim::inject_mouse_away(ImGui::GetIO());
  frame_();
}

void SimulatedInput::drag(Point from, Point to, int button) {
  move_to(from);
  shim::inject_mouse_button(ImGui::GetIO(), button, true);
  frame_();
  constexpr int steps = 4;
  for (int i = 1; i <= steps; ++i)
    move_to({from.x + (to.x - from.x) * i / steps, from.y + (to.y - from.y) * i / steps});
  shim::inject_mouse_button(ImGui::GetIO(), button, false);
  // The effect of a click shows in the next frame.
  frame_();
  frame_();
}

void SimulatedInput::double_click(Point at) {
  move_to(at);
  for (int i = 0; i < 2; ++i) {
    shim::inject_mouse_button(ImGui::GetIO(), 0, true);
    frame_();
    shim::inject_mouse_button(ImGui::GetIO(), 0, false);
    frame_();
  }
}

void SimulatedInput::wheel(Point at, float steps) {
  move_to(at);
  shim::inject_wheel(ImGui::GetIO(), steps);
  frame_();
  frame_();
}

void SimulatedInput::press(int key, bool control, bool shift) {
  ImGuiIO& io = ImGui::GetIO();
  shim::inject_control(io, control);
  shim::inject_shift(io, shift);
  shim::inject_key(io, key, true);
  frame_();
  shim::inject_key(io, key, false);
  shim::inject_control(io, false);
  shim::inject_shift(io, false);
  frame_();
  frame_();
}

void SimulatedInput::type(const std::string& utf8) {
  shim::inject_text(ImGui::GetIO(), utf8.c_str());
  frame_();
  frame_();
}

std::vector<ScriptStep> parse_steps(std::string_view text) {
  std::vector<ScriptStep> steps;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (Words words = split(line); !words.empty())
      steps.push_back({number, line, std::move(words)});
  }
  return steps;
}

std::optional<int> key_named(const std::string& name) {
  const std::string low = lower_ascii(name);
  for (const NamedKey& known : known_keys)
    if (low == known.name) return known.key;
  if (low.size() == 1 && (std::isalnum(static_cast<unsigned char>(low[0])) != 0))
    return std::toupper(static_cast<unsigned char>(low[0]));
  int number = 0;
  const auto [end, status] = std::from_chars(low.data() + 1, low.data() + low.size(), number);
  const bool function_key = low.size() > 1 && low[0] == 'f' && status == std::errc() &&
                            end == low.data() + low.size() && number >= 1 && number <= 25;
  if (function_key) return GLFW_KEY_F1 + number - 1;
  return std::nullopt;
}

std::string fact_text(Rest words, const ScriptDesktop& stage) {
  const std::string& name = words.front();
  if (words.size() == 2 && name == "ghosts") return ghosts_of(words[1], stage);
  if (words.size() == 2) return fact_of(name, words[1], shown_session(stage).current());
  if (words.size() != 1) throw BadStep("names no fact", "see orrery-desktop --help");
  const Session& session = shown_session(stage);
  const ExperimentState& state = session.current();
  const auto yes = [](bool is) { return std::string(is ? "yes" : "no"); };
  if (name == "view") return state.experiment->info.name;
  if (name == "figure") return or_none(state.figure);
  if (name == "layout")
    return state.shown.layout ? std::string(layout_name(*state.shown.layout)) : "none";
  if (name == "theme") return std::string(theme_name(stage.session.look.theme));
  if (name == "scale") return fmt::format("{}", stage.session.look.scale);
  if (name == "projector") return yes(stage.session.look.projector);
  if (name == "message") return or_none(state.message);
  if (name == "note") return or_none(stage.session.note());
  if (name == "clipboard") {
    const char* text = ImGui::GetClipboardText();
    return text ? text : "none";
  }
  if (name == "distance") {
    const std::optional<double> distance = session.links.distance();
    return distance ? fmt::format("{}", *distance) : "none";
  }
  if (name == "undo") return or_none(stage.app.history().undo_text());
  if (name == "redo") return or_none(stage.app.history().redo_text());
  if (name == "references") return joined(reference_names(state));
  if (name == "difference") return yes(state.shown.difference);
  throw BadStep("\"" + name + "\" is not a fact", "see orrery-desktop --help");
}

}  // namespace orrery
