#include "app/headless/script.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/headless/script_facts.h"
#include "app/headless/script_steps.h"
#include "app/headless/simulated_input.h"
#include "experiments/files/file.h"
#include "experiments/text/ascii.h"
#include "experiments/text/enum_names.h"

namespace orrery {
namespace {

constexpr double frames_per_second = 60;

class ScriptPlayer {
 public:
  ScriptPlayer(const std::string& source, const ScriptDesktop& stage)
      : source_(source), stage_(stage), input_(stage.frame) {}

  void play(const std::vector<ScriptStep>& steps) try {
    for (const ScriptStep& step : steps) check_verb(step);
    stage_.settle();
    for (const ScriptStep& step : steps) {
      step_ = &step;
      act(step.words.front(), Rest(step.words).subspan(1));
      if (step.words.front() != "expect" && step.words.front() != "picture") stage_.settle();
    }
  } catch (const BadStep& bad) {
    throw UsageError(fmt::format("{}:{}: {}", source_, step_->line, step_->text), bad.what(),
                     bad.remedy);
  }

 private:
  void check_verb(const ScriptStep& step) {
    static const Words verbs{"do",         "press",       "hold",       "release",      "type",
                             "click",      "right-click", "ctrl-click", "double-click", "drag",
                             "right-drag", "shift-drag",  "wheel",      "move",         "away",
                             "drop",       "set",         "wait",       "expect",       "picture"};
    step_ = &step;
    const std::string& verb = step.words.front();
    if (std::find(verbs.begin(), verbs.end(), verb) != verbs.end()) return;
    const std::string near = nearest_name(verb, verbs);
    refuse("\"" + verb + "\" is not a step",
           near.empty() ? fmt::format("choose one of {}", fmt::join(verbs, ", "))
                        : "did you mean " + near + "?");
  }

  void act(const std::string& verb, Rest rest) {
    if (verb == "do") return perform(one(rest, "an action"));
    if (verb == "press") return press(one(rest, "a key"));
    if (verb == "type") return input_.type(one(rest, "a text"));
    if (verb == "click") return input_.click(place(rest));
    if (verb == "hold") return hold(one(rest, "a key"), true);
    if (verb == "release") return hold(one(rest, "a key"), false);
    if (verb == "right-click") return input_.click(place(rest), 1);
    if (verb == "ctrl-click") return control_click(place(rest));
    if (verb == "right-drag") return drag(rest, 1);
    if (verb == "double-click") return input_.double_click(place(rest));
    if (verb == "drag") return drag(rest, 0);
    if (verb == "shift-drag") return shift_drag(rest);
    if (verb == "move") return input_.move_to(place(rest));
    if (verb == "away") return input_.move_away();
    if (verb == "drop") return drop(rest);
    if (verb == "set") return set(one(rest, "KEY=VALUE"));
    if (verb == "expect") return expect(rest);
    if (verb == "picture") return stage_.picture(one(rest, "a name"));
    if (verb == "wait") {
      for (double left = number(one(rest, "seconds")); left > 0; left -= 1 / frames_per_second)
        stage_.frame();
      return;
    }
    if (rest.empty()) refuse("a number of steps is missing", "try: wheel 3 figure ID 50% 50%");
    const double steps = number(rest.front());
    input_.wheel(place(rest.subspan(1)), static_cast<float>(steps));
  }

  [[noreturn]] static void refuse(const std::string& rule, const std::string& remedy) {
    throw BadStep(rule, remedy);
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
      refuse(fmt::format("\"{}\" is not a number", text), "write one such as 12 or 0.5");
    return value;
  }

  void perform(const std::string& name) const {
    const Actions& actions = stage_.app.actions();
    if (!find_action(actions, name))
      refuse("\"" + name + "\" is not an action",
             "did you mean " + nearest_action(actions, name) + "?");
    stage_.app.perform(name);
  }

  void press(const std::string& chord) {
    bool control = false, shift = false;
    std::string_view left = chord;
    for (;;) {
      const std::size_t plus = left.find('+');
      if (plus == std::string_view::npos || plus == 0) break;
      const std::string held = lower_ascii(std::string(left.substr(0, plus)));
      if (held == "ctrl")
        control = true;
      else if (held == "shift")
        shift = true;
      else
        refuse("\"" + held + "\" is not a modifier", "choose Ctrl or Shift");
      left.remove_prefix(plus + 1);
    }
    const std::optional<int> key = key_named(std::string(left));
    if (!key) refuse(fmt::format("\"{}\" is not a key", left), "try Enter, Up, F5 or Ctrl+K");
    input_.press(*key, control, shift);
  }

  void hold(const std::string& name, bool down) const {
    const std::optional<int> key = key_named(name);
    if (!key) refuse("\"" + name + "\" is not a key", "try R or Space");
    shim::inject_key(ImGui::GetIO(), *key, down);
    stage_.frame();
  }

  void control_click(Point at) {
    shim::inject_control(ImGui::GetIO(), true);
    input_.click(at);
    shim::inject_control(ImGui::GetIO(), false);
    stage_.frame();
  }

  void drag(Rest rest, int button) {
    const auto to = std::find(rest.begin(), rest.end(), "to");
    if (to == rest.end()) refuse("does not say where to", "write: drag PLACE to PLACE");
    const auto before = static_cast<std::size_t>(to - rest.begin());
    const Point from = place(rest.first(before));
    input_.drag(from, place(rest.subspan(before + 1)), button);
  }

  void shift_drag(Rest rest) {
    shim::inject_shift(ImGui::GetIO(), true);
    drag(rest, 0);
    shim::inject_shift(ImGui::GetIO(), false);
    stage_.frame();
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

  /// Opens what has the things of this kind where the window has no room for it. Returns whether
  /// there was something to open.
  bool open_for(const std::string& kind) {
    static const std::map<std::string, std::string> openers{{"view", "list of views"},
                                                            {"tab", "list of figures"},
                                                            {"param", "button All settings"},
                                                            {"label", "button All settings"},
                                                            {"group", "button All settings"}};
    const auto opener = openers.find(kind);
    if (opener == openers.end()) return false;
    const std::optional<Rect> area = stage_.app.item_rects().find(opener->second);
    if (!area) return false;
    input_.click(within(*area, 0.5, 0.5));
    stage_.frame();
    return true;
  }

  Point place(Rest rest) {
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
    if (rest.empty() || rest.size() > 2)
      refuse("is not a place", "write for instance: param dim 0.5");
    const std::string name = kind + " " + rest[0];
    std::optional<Rect> area = stage_.app.item_rects().find(name);
    if (!area && open_for(kind)) area = stage_.app.item_rects().find(name);
    if (!area) nothing_called(name);
    return within(*area, rest.size() == 2 ? number(rest[1]) : 0.5, 0.5);
  }

  static Point within(const Rect& area, double across, double down) {
    return {area.x + across * area.width, area.y + down * area.height};
  }

  [[noreturn]] void nothing_called(const std::string& name) const {
    const Words names = stage_.app.item_rects().names();
    const std::string near = nearest_name(name, names);
    refuse("there is no " + name + " on screen",
           remedy_for_unknown(name, names, fmt::format("there are {}", fmt::join(names, ", "))));
  }

  const FigureLayout& frame_of(const std::string& id) const {
    const FigureLayout* frame = stage_.app.item_rects().figure(id);
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
    const FigureLayout& frame = frame_of(rest[0]);
    return {along(rest[1], frame.x, frame.plot.x, frame.plot.width),
            along(rest[2], frame.y, frame.plot.y, frame.plot.height)};
  }

  Point in_legend(const std::string& id, const std::string& series) const {
    for (const FigureLayout::LegendEntry& entry : frame_of(id).legend)
      if (entry.series == series) return within(entry.box, 0.5, 0.5);
    nothing_called("legend " + id + " " + series);
  }

  void expect(Rest rest) const {
    const auto verb = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
      return word == "is" || word == "has";
    });
    if (verb == rest.end() || verb == rest.begin() || rest.end() - verb > 2)
      refuse("is not an expectation", "write: expect FACT is VALUE, or: expect FACT has PART");
    const std::string wanted = rest.end() - verb == 2 ? *(verb + 1) : std::string();
    const std::string found =
        fact_text(rest.first(static_cast<std::size_t>(verb - rest.begin())), stage_);
    const bool holds = *verb == "is" ? found == wanted : found.find(wanted) != std::string::npos;
    if (!holds) fail("it is \"" + found + "\"");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ScriptFailure(fmt::format("{}:{}: {}: {}", source_, step_->line, step_->text, what));
  }

  const std::string& source_;
  const ScriptDesktop& stage_;
  SimulatedInput input_;
  const ScriptStep* step_{};
};

}  // namespace

void play_script(std::string_view text, const std::string& source, const ScriptDesktop& stage) {
  ScriptPlayer(source, stage).play(parse_steps(text));
}

}  // namespace orrery
