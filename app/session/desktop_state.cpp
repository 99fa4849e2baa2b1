#include "app/session/desktop_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

using Words = std::vector<std::string>;

void add_param_changes(Words& words, const ParamSet& before, const ParamSet& after) {
  for (const ParamSpec& spec : after.specs())
    if (before.value(spec.key) != after.value(spec.key))
      words.push_back(fmt::format("{} = {}", spec.key, after.to_text(spec.key)));
}

void add_view_changes(Words& words, const std::map<std::string, FigureView>& before,
                      const std::map<std::string, FigureView>& after) {
  std::set<std::string> ids;
  for (const auto& [id, view] : before) ids.insert(id);
  for (const auto& [id, view] : after) ids.insert(id);
  for (const std::string& id : ids)
    if (!(view_in(before, id) == view_in(after, id))) words.push_back("view of " + id);
}

void add_arrangement_changes(Words& words, const ViewState& before, const ViewState& after) {
  if (before.layout != after.layout) words.push_back("layout");
  if (before.second_figure != after.second_figure)
    words.push_back("second figure " + after.second_figure);
  if (before.marks != after.marks) words.push_back("pins and cursors");
  if (before.references != after.references)
    words.push_back(after.references.size() < before.references.size() ? "reference removed"
                                                                       : "reference");
  if (before.difference != after.difference || before.minus != after.minus)
    words.push_back("difference");
}

void add_look_changes(Words& words, const Look& before, const Look& after) {
  if (before.theme != after.theme)
    words.push_back(fmt::format("{} theme", theme_name(after.theme)));
  if (before.scale != after.scale) words.push_back(fmt::format("size {:.0f}%", 100 * after.scale));
  if (before.projector != after.projector)
    words.push_back(after.projector ? "projector mode" : "projector mode off");
  if (before.show_list != after.show_list)
    words.push_back(after.show_list.value_or(true) ? "list shown" : "list hidden");
  if (before.show_panel != after.show_panel)
    words.push_back(after.show_panel.value_or(true) ? "parameters shown" : "parameters hidden");
  if (before.findings != after.findings) words.push_back("height of the checks");
}

void add_saved_changes(Words& words, const SavedShown& before, const SavedShown& after) {
  if (before.folder != after.folder)
    words.push_back("saved results " + after.folder);
  else if (before.point != after.point)
    words.push_back("saved result " + after.point);
  else if (before.hue != after.hue)
    words.push_back("colours by " + (after.hue.empty() ? "default" : after.hue));
  else if (before.facet != after.facet)
    words.push_back("panels by " + (after.facet.empty() ? "default" : after.facet));
  else if (before.on_screen != after.on_screen)
    words.push_back(after.on_screen ? "saved results" : "live view");
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

/// The changed setting without its value: "dim" of "dim = 256".
std::string subject(const std::string& change) { return change.substr(0, change.find(" = ")); }

/// A view that is drawn for the first time stores its first figure, which is not a choice by the
/// user. Copies those figures from `state` into `present`.
void take_first_figures(DesktopState& present, const DesktopState& state) {
  if (present.experiments.size() != state.experiments.size()) return;
  for (std::size_t i = 0; i < state.experiments.size(); ++i) {
    ExperimentSettings& mine = present.experiments[i];
    const ExperimentSettings& its = state.experiments[i];
    if (mine.figure.empty()) mine.figure = its.figure;
    if (mine.shown.second_figure.empty()) mine.shown.second_figure = its.shown.second_figure;
  }
}

}  // namespace

FigureView view_in(const std::map<std::string, FigureView>& views, const std::string& figure) {
  const auto found = views.find(figure);
  return found == views.end() ? FigureView{} : found->second;
}

std::string change_text(const DesktopState& before, const DesktopState& after) {
  Words words;
  if (before.selected != after.selected && after.selected < after.experiments.size())
    words.push_back(after.experiments[after.selected].experiment);
  const bool same_list = before.experiments.size() == after.experiments.size();
  for (std::size_t i = 0; same_list && i < after.experiments.size(); ++i) {
    const ExperimentSettings &from = before.experiments[i], &to = after.experiments[i];
    add_param_changes(words, from.params, to.params);
    if (from.figure != to.figure) words.push_back("figure " + to.figure);
    add_view_changes(words, from.views, to.views);
    add_arrangement_changes(words, from.shown, to.shown);
  }
  add_look_changes(words, before.look, after.look);
  add_saved_changes(words, before.saved, after.saved);
  if (words.empty()) return {};
  if (words.size() == 1) return words.front();
  return fmt::format("{} and {} more", words.front(), words.size() - 1);
}

std::vector<std::string> united_paths(const std::vector<std::string>& before,
                                      const std::vector<std::string>& other,
                                      const std::vector<std::string>& mine) {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::string>& list, bool fresh) {
    for (const std::string& path : list)
      if (contains(before, path) != fresh && !contains(all, path)) all.push_back(path);
  };
  for (const bool fresh : {true, false}) {
    add(mine, fresh);
    add(other, fresh);
  }
  if (all.size() > max_recent) all.resize(max_recent);
  return all;
}

bool History::continues(const DesktopState& state, double seconds) const {
  if (past_.empty() || last_change_.empty()) return false;
  if (in_gesture_) return true;
  return seconds - last_seconds_ < pause_seconds &&
         subject(change_text(*present_, state)) == last_change_;
}

void History::observe(const DesktopState& state, Cause cause, double seconds) {
  if (present_) take_first_figures(*present_, state);
  const bool changed = !present_ || !(*present_ == state);
  if (!present_ || (changed && cause == Cause::automatic)) {
    present_ = state;
  } else if (changed) {
    future_.clear();
    if (!continues(state, seconds)) {
      last_change_ = subject(change_text(*present_, state));
      past_.push_back(std::move(*present_));
      if (past_.size() > max_steps) past_.pop_front();
    }
    present_ = state;
    last_seconds_ = seconds;
    in_gesture_ = cause == Cause::gesture;
  }
  if (cause != Cause::gesture) in_gesture_ = false;
}

std::optional<DesktopState> History::travel(std::deque<DesktopState>& from,
                                            std::deque<DesktopState>& to) {
  if (from.empty()) return std::nullopt;
  to.push_back(std::move(*present_));
  present_ = std::move(from.back());
  from.pop_back();
  last_change_.clear();
  in_gesture_ = false;
  return present_;
}

std::string History::undo_text() const {
  return past_.empty() ? std::string() : change_text(past_.back(), *present_);
}

std::string History::redo_text() const {
  return future_.empty() ? std::string() : change_text(*present_, future_.back());
}

}  // namespace orrery
