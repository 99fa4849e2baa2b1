#include "app/script.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "app/hand.h"
#include "app/imgui_shim.h"
#include "experiments/data/file.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

struct Step {
  int line{};
  std::string text{};
  Words words{};
};

/// What is left of a step's words.
using Rest = std::span<const std::string>;

constexpr double kFramesASecond = 60;

/// Words, or text in double quotes.
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

std::vector<Step> parse(std::string_view text) {
  std::vector<Step> steps;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (Words words = split(line); !words.empty())
      steps.push_back({number, line, std::move(words)});
  }
  return steps;
}

std::string joined(const std::vector<std::string>& parts) {
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

struct NamedKey {
  const char* name;
  int key;
};
constexpr std::array kKeys{
    NamedKey{"enter", GLFW_KEY_ENTER},     NamedKey{"escape", GLFW_KEY_ESCAPE},
    NamedKey{"tab", GLFW_KEY_TAB},         NamedKey{"space", GLFW_KEY_SPACE},
    NamedKey{"up", GLFW_KEY_UP},           NamedKey{"down", GLFW_KEY_DOWN},
    NamedKey{"left", GLFW_KEY_LEFT},       NamedKey{"right", GLFW_KEY_RIGHT},
    NamedKey{"delete", GLFW_KEY_DELETE},   NamedKey{"backspace", GLFW_KEY_BACKSPACE},
    NamedKey{"home", GLFW_KEY_HOME},       NamedKey{"end", GLFW_KEY_END},
    NamedKey{"page_up", GLFW_KEY_PAGE_UP}, NamedKey{"page_down", GLFW_KEY_PAGE_DOWN}};

std::string lowered(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

/// The GLFW code of a key: letters and digits by themselves, F1 to F25, or one of kKeys.
std::optional<int> key_named(const std::string& name) {
  const std::string low = lowered(name);
  for (const NamedKey& known : kKeys)
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

class Player {
 public:
  Player(const std::string& source, const Stage& stage)
      : source_(source), stage_(stage), hand_(stage.frame) {}

  void play(const std::vector<Step>& steps) {
    for (const Step& step : steps) check_verb(step);
    stage_.settle();
    for (const Step& step : steps) {
      step_ = &step;
      act(step.words.front(), Rest(step.words).subspan(1));
      if (step.words.front() != "expect" && step.words.front() != "picture") stage_.settle();
    }
  }

 private:
  void check_verb(const Step& step) {
    static const Words verbs{"do",         "press",       "hold",       "release",      "type",
                             "click",      "right-click", "ctrl-click", "double-click", "drag",
                             "right-drag", "wheel",       "move",       "away",         "drop",
                             "set",        "wait",        "expect",     "picture"};
    step_ = &step;
    const std::string& verb = step.words.front();
    if (std::find(verbs.begin(), verbs.end(), verb) != verbs.end()) return;
    const std::string near = nearest_name(verb, verbs);
    refuse("\"" + verb + "\" is no step",
           near.empty() ? fmt::format("choose one of {}", fmt::join(verbs, ", "))
                        : "did you mean " + near + "?");
  }

  void act(const std::string& verb, Rest rest) {
    if (verb == "do") return perform(one(rest, "an action"));
    if (verb == "press") return press(one(rest, "a key"));
    if (verb == "type") return hand_.type(one(rest, "a text"));
    if (verb == "click") return hand_.click(place(rest));
    if (verb == "hold") return hold(one(rest, "a key"), true);
    if (verb == "release") return hold(one(rest, "a key"), false);
    if (verb == "right-click") return hand_.click(place(rest), 1);
    if (verb == "ctrl-click") return control_click(place(rest));
    if (verb == "right-drag") return drag(rest, 1);
    if (verb == "double-click") return hand_.double_click(place(rest));
    if (verb == "drag") return drag(rest, 0);
    if (verb == "move") return hand_.move_to(place(rest));
    if (verb == "away") return hand_.move_away();
    if (verb == "drop") return drop(rest);
    if (verb == "set") return set(one(rest, "KEY=VALUE"));
    if (verb == "expect") return expect(rest);
    if (verb == "picture") return stage_.picture(one(rest, "a name"));
    if (verb == "wait") {
      for (double left = number(one(rest, "seconds")); left > 0; left -= 1 / kFramesASecond)
        stage_.frame();
      return;
    }
    if (rest.empty()) refuse("a number of steps is missing", "try: wheel 3 figure ID 50% 50%");
    const double steps = number(rest.front());
    hand_.wheel(place(rest.subspan(1)), static_cast<float>(steps));
  }

  [[noreturn]] void refuse(const std::string& rule, const std::string& remedy) const {
    throw UsageError(fmt::format("{}:{}: {}", source_, step_->line, step_->text), rule, remedy);
  }

  std::string one(Rest rest, const char* what) const {
    if (rest.size() != 1)
      refuse(fmt::format("takes {} and nothing else", what), "put words with spaces in quotes");
    return rest.front();
  }

  double number(std::string_view text) const {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size())
      refuse(fmt::format("\"{}\" is no number", text), "write one such as 12 or 0.5");
    return value;
  }

  const Session& shown() const {
    return stage_.app.is_browsing() ? stage_.app.browser().session() : stage_.session;
  }

  void perform(const std::string& name) const {
    const std::optional<ActionId> id = action_named(name);
    if (!id) refuse("\"" + name + "\" is no action", "did you mean " + nearest_action(name) + "?");
    stage_.app.perform(*id);
  }

  void press(const std::string& chord) {
    bool control = false, shift = false;
    std::string_view left = chord;
    for (;;) {
      const std::size_t plus = left.find('+');
      if (plus == std::string_view::npos || plus == 0) break;
      const std::string held = lowered(std::string(left.substr(0, plus)));
      if (held == "ctrl")
        control = true;
      else if (held == "shift")
        shift = true;
      else
        refuse("\"" + held + "\" is not held down with others", "choose Ctrl or Shift");
      left.remove_prefix(plus + 1);
    }
    const std::optional<int> key = key_named(std::string(left));
    if (!key) refuse(fmt::format("\"{}\" is no key", left), "try Enter, Up, F5 or Ctrl+K");
    hand_.press(*key, control, shift);
  }

  void hold(const std::string& name, bool down) const {
    const std::optional<int> key = key_named(name);
    if (!key) refuse("\"" + name + "\" is no key", "try R or Space");
    shim::inject_key(ImGui::GetIO(), *key, down);
    stage_.frame();
  }

  void control_click(Point at) {
    shim::inject_control(ImGui::GetIO(), true);
    hand_.click(at);
    shim::inject_control(ImGui::GetIO(), false);
    stage_.frame();
  }

  void drag(Rest rest, int button) {
    const auto to = std::find(rest.begin(), rest.end(), "to");
    if (to == rest.end()) refuse("says not where to", "write: drag PLACE to PLACE");
    const auto before = static_cast<std::size_t>(to - rest.begin());
    const Point from = place(rest.first(before));
    hand_.drag(from, place(rest.subspan(before + 1)), button);
  }

  void drop(Rest rest) const {
    if (rest.empty()) refuse("names no file", "write: drop FILE");
    Words paths;
    const std::filesystem::path folder = std::filesystem::path(source_).parent_path();
    for (const std::string& name : rest) paths.push_back((folder / name).string());
    stage_.app.drop(paths);
  }

  void set(const std::string& assignment) const {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) refuse("must read KEY=VALUE", "write: set dim=128");
    if (!stage_.session.set(assignment.substr(0, equals), assignment.substr(equals + 1)))
      fail(stage_.session.current().message);
  }

  Point place(Rest rest) const {
    if (rest.empty()) refuse("names no place", "write for instance: param dim 0.5");
    const std::string& kind = rest.front();
    rest = rest.subspan(1);
    if (kind == "at" && rest.size() == 2) return {number(rest[0]), number(rest[1])};
    if (kind == "figure" && rest.size() == 3) return in_figure(rest);
    if (kind == "legend" && rest.size() == 2) return in_legend(rest[0], rest[1]);
    if (kind == "colors" && rest.size() == 2)
      return within(frame_of(rest[0]).color_bar, 0.5, 1 - number(rest[1]));
    if (kind == "x-axis" && rest.size() == 2)
      return within(frame_of(rest[0]).x_axis, number(rest[1]), 0.5);
    if (kind == "y-axis" && rest.size() == 2)
      return within(frame_of(rest[0]).y_axis, 0.5, 1 - number(rest[1]));
    if (rest.empty() || rest.size() > 2) refuse("is no place", "write for instance: param dim 0.5");
    const std::string name = kind + " " + rest[0];
    const std::optional<Rect> area = stage_.app.places().find(name);
    if (!area) nothing_called(name);
    return within(*area, rest.size() == 2 ? number(rest[1]) : 0.5, 0.5);
  }

  static Point within(const Rect& area, double across, double down) {
    return {area.x + across * area.width, area.y + down * area.height};
  }

  [[noreturn]] void nothing_called(const std::string& name) const {
    const Words names = stage_.app.places().names();
    const std::string near = nearest_name(name, names);
    refuse("there is no " + name + " on screen",
           near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                        : "did you mean " + near + "?");
  }

  const FigureFrame& frame_of(const std::string& id) const {
    const FigureFrame* frame = stage_.app.places().figure(id);
    if (!frame) nothing_called("figure " + id);
    return *frame;
  }

  /// "50%" of a length, or a value on an axis.
  double along(const std::string& word, const AxisMap& axis, double from, double length) const {
    if (word.ends_with('%'))
      return from + length * number(std::string_view(word).substr(0, word.size() - 1)) / 100;
    return axis.to_canvas(number(word));
  }

  Point in_figure(Rest rest) const {
    const FigureFrame& frame = frame_of(rest[0]);
    return {along(rest[1], frame.x, frame.plot.x, frame.plot.width),
            along(rest[2], frame.y, frame.plot.y, frame.plot.height)};
  }

  Point in_legend(const std::string& id, const std::string& series) const {
    for (const FigureFrame::LegendEntry& entry : frame_of(id).legend)
      if (entry.series == series) return within(entry.box, 0.5, 0.5);
    nothing_called("legend " + id + " " + series);
  }

  void expect(Rest rest) const {
    const auto verb = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
      return word == "is" || word == "has";
    });
    if (verb == rest.end() || verb == rest.begin() || rest.end() - verb > 2)
      refuse("is no expectation", "write: expect FACT is VALUE, or: expect FACT has PART");
    const std::string wanted = rest.end() - verb == 2 ? *(verb + 1) : std::string();
    const std::string found = fact(rest.first(static_cast<std::size_t>(verb - rest.begin())));
    const bool holds = *verb == "is" ? found == wanted : found.find(wanted) != std::string::npos;
    if (!holds) fail("it is \"" + found + "\"");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ScriptFailure(fmt::format("{}:{}: {}: {}", source_, step_->line, step_->text, what));
  }

  std::string fact(Rest words) const {
    const std::string& name = words.front();
    if (words.size() == 2) return fact_of(name, words[1]);
    if (words.size() != 1) refuse("names no fact", "see orrery-desktop --help");
    const Session& session = shown();
    const ExperimentState& state = session.current();
    const auto yes = [](bool is) { return std::string(is ? "yes" : "no"); };
    if (name == "view") return state.experiment->info().name;
    if (name == "figure") return or_none(state.figure);
    if (name == "layout")
      return state.shown.layout ? std::string(layout_name(*state.shown.layout)) : "none";
    if (name == "theme") return std::string(theme_name(stage_.session.theme));
    if (name == "scale") return fmt::format("{}", stage_.session.scale);
    if (name == "projector") return yes(stage_.session.projector);
    if (name == "message") return or_none(state.message);
    if (name == "note") return or_none(stage_.session.note());
    if (name == "clipboard") {
      const char* text = ImGui::GetClipboardText();
      return text ? text : "none";
    }
    if (name == "distance") {
      const std::optional<double> distance = session.links.distance();
      return distance ? fmt::format("{}", *distance) : "none";
    }
    if (name == "undo") return or_none(stage_.app.history().undo_text());
    if (name == "redo") return or_none(stage_.app.history().redo_text());
    if (name == "reference") return yes(state.shown.reference != nullptr);
    if (name == "difference") return yes(state.shown.difference);
    refuse("\"" + name + "\" is no fact", "see orrery-desktop --help");
  }

  static std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

  std::string fact_of(const std::string& name, const std::string& of) const {
    const ExperimentState& state = shown().current();
    if (name == "param") return state.params.to_text(of);
    if (name == "scalar") return scalar(state, of);
    const auto found = state.views.find(of);
    const FigureView view = found == state.views.end() ? FigureView{} : found->second;
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
      return view.color ? fmt::format("{:.3g} to {:.3g}", view.color->min, view.color->max)
                        : "none";
    refuse("\"" + name + "\" is no fact of something", "see orrery-desktop --help");
  }

  template <class Numbers>
  static Words number_words(const Numbers& numbers) {
    Words words;
    for (const double value : numbers) words.push_back(fmt::format("{}", value));
    return words;
  }

  std::string scalar(const ExperimentState& state, const std::string& name) const {
    if (state.result)
      for (const Scalar& one : state.result->scalars)
        if (one.name == name) return fmt::format("{}", one.value);
    refuse("there is no scalar " + name, "see orrery describe");
  }

  const std::string& source_;
  const Stage& stage_;
  Hand hand_;
  const Step* step_{};
};

}  // namespace

void play_script(std::string_view text, const std::string& source, const Stage& stage) {
  Player(source, stage).play(parse(text));
}

}  // namespace orrery
