#include "app/panels/result_browser.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/gui/theme.h"
#include "app/views/readout.h"
#include "experiments/combine/sweep_overview.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/ascii.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

// The list takes at most this share of the height and shows at most this many rows at once.
constexpr double max_share_of_room = 0.3;
constexpr std::size_t max_rows = 6;
// Dear ImGui's tables end at 64 columns; results.csv has all.
constexpr std::size_t max_scalars = 60;
constexpr std::size_t max_measured = 200;  // labels that determine the width of their column
constexpr int scalar_digits = 4;
constexpr double filter_width = 200, status_width = 76, checks_width = 64, scalar_width = 90;
constexpr double setting_width = 110;
constexpr const char* chosen_itself = "auto";
constexpr double max_label_width = 340, max_scalar_width = 190;

ExperimentView view_of(const std::string& experiment) {
  if (experiment == sweep_overview_name) return sweep_overview_view();
  const Experiment* known = known_experiment(experiment);
  return known ? known->info.view : ExperimentView{};
}

InputLoader no_inputs() {
  return [](const ParamSet&) { return std::make_shared<const Inputs>(); };
}

std::string checks_of(const PointRecord& point) {
  return point.checks.empty() ? std::string()
                              : fmt::format("{}/{}", point.holding_checks(), point.checks.size());
}

Color status_color(const PointRecord& point, const Ui& ui) {
  if (point.status == PointStatus::failed) return fails_color(ui.style);
  return point.is_done() ? holds_color(ui.style) : ui.style.muted;
}

float width_of(const std::string& words) { return static_cast<float>(text_width(words)); }

/// The width of the longest label, since labels of a sweep differ at their ends.
float label_width(const std::vector<PointRecord>& points, const Ui& ui) {
  float width = width_of("point") + ui.px(24);
  for (std::size_t i = 0; i < std::min(points.size(), max_measured); ++i)
    width = std::max(width, width_of(points[i].label));
  return std::min(width + ui.px(8), ui.px(max_label_width));
}

/// The width of a column name and its sorting arrow.
float header_width(const std::string& name, const Ui& ui) {
  return std::clamp(width_of(name) + ui.px(24), ui.px(scalar_width), ui.px(max_scalar_width));
}

/// Draws each name above its value, since both may be long.
void draw_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  ImGui::PushTextWrapPos(0.0f);
  for (const auto& [name, value] : pairs) {
    text_muted(spaced(name));
    draw_text(value.empty() ? "–" : value);
  }
  ImGui::PopTextWrapPos();
}

/// Draws names and values in two columns.
void draw_settings(const Settings& params) {
  if (!ImGui::BeginTable("settings", 2)) return;
  for (const auto& [key, value] : params) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0.0f);
    text_muted(key);
    ImGui::TableNextColumn();
    draw_text(value.empty() ? "–" : value);
    ImGui::PopTextWrapPos();
  }
  ImGui::EndTable();
}

}  // namespace

ResultBrowser::ResultBrowser(std::function<void()> wake)
    // Folders on disk change: what is read of one is not kept.
    : session_({&source_}, no_inputs, wake, {.max_bytes = 0}), wake_(std::move(wake)) {}

void ResultBrowser::open(SweepIndex folder, const std::string& point) {
  const bool other = folder_ && folder_->experiment != folder.experiment;
  const bool same_folder = folder_ && folder_->folder == folder.folder;
  folder_ = std::move(folder);
  settings_ = folder_->is_sweep ? varied_settings(folder_->points) : std::vector<std::string>{};
  listed_by_.reset();
  session_.dismiss();
  if (!same_folder) {
    order_ = {};
    tell_by({}, {});
  }
  if (other) {
    // Ranges and references of another experiment do not apply.
    DesktopState state = session_.snapshot();
    state.experiments.front().views.clear();
    state.experiments.front().shown = {};
    state.experiments.front().figure.clear();
    session_.apply(state);
  }
  if (same_folder && !chosen().empty()) return session_.recompute();
  const auto asked = place_of(point);
  if (asked)
    choose(*asked);
  else if (folder_->is_sweep && count_with(folder_->points, PointStatus::done) > 1) {
    choose_all();
    may_fall_back_ = point.empty();
  } else {
    choose_first();
  }
  if (!folder_->problems.empty()) session_.say(folder_->problems.front());
}

void ResultBrowser::choose_first() {
  const auto first = std::find_if(folder_->points.begin(), folder_->points.end(),
                                  [](const PointRecord& p) { return p.is_done(); });
  if (first != folder_->points.end())
    choose(static_cast<std::size_t>(first - folder_->points.begin()));
  else if (!folder_->points.empty())
    choose(0);
}

void ResultBrowser::tell_by(const std::string& hue, const std::string& facet) {
  if (hue != this->hue()) session_.set_value(SavedSource::hue_key, hue);
  if (facet != this->facet()) session_.set_value(SavedSource::facet_key, facet);
}

void ResultBrowser::close() {
  folder_.reset();
  listed_by_.reset();
  session_.dismiss();
  session_.forget();
}

std::optional<std::size_t> ResultBrowser::place_of(const std::string& point) const {
  if (!folder_ || point.empty()) return std::nullopt;
  for (std::size_t i = 0; i < folder_->points.size(); ++i)
    if (folder_->points[i].folder == point) return i;
  return std::nullopt;
}

void ResultBrowser::choose_folder(const std::string& point) {
  if (point == chosen()) return;
  if (const auto place = place_of(point)) return choose(*place);
  if (folder_ && folder_->is_sweep && point == path()) choose_all();
}

void ResultBrowser::choose_all() { session_.set_value(SavedSource::folder_key, path()); }

void ResultBrowser::choose(std::size_t point) {
  const PointRecord& chosen_point = folder_->points.at(point);
  if (chosen_point.status == PointStatus::failed)
    return session_.say(fmt::format("{} failed: {}", chosen_point.label, chosen_point.error));
  if (!chosen_point.is_done()) return session_.say(chosen_point.label + " has no result yet.");
  session_.set_value(SavedSource::folder_key, chosen_point.folder);
}

ResultView& ResultBrowser::view(const Result& result) {
  const std::string& experiment = result.provenance.experiment;
  if (const auto known = views_.find(experiment); known != views_.end()) return known->second;
  return views_.emplace(experiment, ResultView(view_of(experiment), false)).first->second;
}

void ResultBrowser::update() {
  session_.update();
  const ExperimentState& state = session_.current();
  // Points that cannot be drawn together are seen one at a time.
  if (may_fall_back_ && shows_all() && state.run_failed) choose_first();
  if (!session_.busy()) may_fall_back_ = false;
  if (state.result != described_) {
    described_ = state.result;
    facts_.clear();
    facts_task_ = {};
    if (!described_) return;
    const std::string folder = state.result_params->text(SavedSource::folder_key);
    const bool all = described_->provenance.experiment == sweep_overview_name;
    facts_task_ = BackgroundTask<FolderFacts>(
        [folder, all] { return all ? sweep_facts(folder) : saved_facts(folder); }, wake_);
  }
  auto outcome = facts_task_.take();
  if (!outcome) return;
  if (outcome->value)
    facts_ = std::move(*outcome->value);
  else
    session_.say(outcome->error);
}

std::string ResultBrowser::summary() const {
  if (!folder_) return {};
  if (!folder_->is_sweep) return folder_->experiment;
  std::string words =
      fmt::format("Sweep of {}: {} points, {} done", folder_->experiment, folder_->points.size(),
                  count_with(folder_->points, PointStatus::done));
  for (const PointStatus status : {PointStatus::failed, PointStatus::pending})
    if (const std::size_t n = count_with(folder_->points, status))
      words += fmt::format(", {} {}", n, name_of(status));
  return words;
}

double ResultBrowser::list_height(double room, const Ui& ui) const {
  if (!folder_ || !folder_->is_sweep) return 0.0;
  const auto rows = static_cast<double>(std::min(folder_->points.size(), max_rows) + 1);
  const double line = static_cast<double>(ImGui::GetTextLineHeightWithSpacing()) + 2 * ui.scale;
  const double wanted = static_cast<double>(ImGui::GetFrameHeightWithSpacing()) + rows * line +
                        static_cast<double>(ImGui::GetStyle().ScrollbarSize) + 28 * ui.scale;
  return std::min(wanted, max_share_of_room * room);
}

void ResultBrowser::take_sorting() {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (!specs || !specs->SpecsDirty) return;
  order_.column = specs->SpecsCount > 0 ? static_cast<int>(specs->Specs->ColumnIndex) : -1;
  order_.descending =
      specs->SpecsCount > 0 && specs->Specs->SortDirection == ImGuiSortDirection_Descending;
  specs->SpecsDirty = false;
}

void ResultBrowser::draw_row(std::size_t place, std::size_t scalars, const Ui& ui) {
  const PointRecord& point = folder_->points[place];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(place));
  const bool is_chosen = point.folder == chosen();
  if (ImGui::Selectable(point.label.empty() ? "all" : point.label.c_str(), is_chosen,
                        ImGuiSelectableFlags_SpanAllColumns))
    choose(place);
  ImGui::PopID();
  if (!point.error.empty()) tooltip(ui, as_marked(point.error));
  ImGui::TableNextColumn();
  text_colored(status_color(point, ui), std::string(name_of(point.status)));
  ImGui::TableNextColumn();
  const bool all_hold = point.failing_checks() == 0;
  text_colored(all_hold ? ui.style.text : fails_color(ui.style), checks_of(point));
  for (std::size_t i = 0; i < scalars; ++i) {
    ImGui::TableNextColumn();
    if (point.is_done())
      draw_text(readout_number(point.scalar(folder_->scalars[i]), scalar_digits));
  }
}

void ResultBrowser::draw_all_button(const Ui& ui) {
  ImGui::PushStyleColor(ImGuiCol_Button,
                        ImGui::GetStyleColorVec4(shows_all() ? ImGuiCol_Header : ImGuiCol_Button));
  if (ImGui::Button("All together")) choose_all();
  ImGui::PopStyleColor();
  mark_item(ui, "button All together");
  tooltip(ui, "Draws the points in common figures, as the report of the sweep does.");
}

/// A list of the settings that differ, of which one may be chosen. Returns a new choice.
std::optional<std::string> ResultBrowser::draw_setting(const char* label, const std::string& chosen,
                                                       const Ui& ui) const {
  std::optional<std::string> taken;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_muted(label);
  ImGui::SameLine(0, ui.px(5));
  ImGui::SetNextItemWidth(ui.px(setting_width));
  ImGui::PushID(label);
  const bool open = ImGui::BeginCombo("##setting", chosen.empty() ? chosen_itself : chosen.c_str());
  mark_item(ui, fmt::format("list {}", label));
  if (open) {
    if (ImGui::Selectable(chosen_itself, chosen.empty())) taken = std::string();
    for (const std::string& key : settings_) {
      if (ImGui::Selectable(key.c_str(), key == chosen)) taken = key;
      mark_item(ui, fmt::format("{} {}", label, key));
    }
    ImGui::EndCombo();
  }
  ImGui::PopID();
  return taken;
}

/// Which settings colours and panels tell apart. Choosing one for both clears the other.
void ResultBrowser::draw_look(const Ui& ui) {
  if (settings_.size() < 2) return;
  if (const auto key = draw_setting("colours", hue(), ui))
    tell_by(*key, *key == facet() ? std::string() : facet());
  if (const auto key = draw_setting("panels", facet(), ui))
    tell_by(*key == hue() ? std::string() : hue(), *key);
}

void ResultBrowser::draw_list(const Ui& ui) {
  draw_all_button(ui);
  if (shows_all()) draw_look(ui);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(ui.px(filter_width));
  ImGui::InputTextWithHint("##filter", "Filter, such as: dim=64 failed", &order_.filter);
  if (listed_by_ != order_) {
    listed_ = ordered_points(*folder_, order_);
    listed_by_ = order_;
  }
  ImGui::SameLine();
  text_muted(listed_.size() == folder_->points.size()
                 ? summary()
                 : fmt::format("{} of {}", listed_.size(), folder_->points.size()));
  const std::size_t scalars = std::min(folder_->scalars.size(), max_scalars);
  // Each folder keeps its own column widths and sorting.
  ImGui::PushID(folder_->folder.c_str());
  const bool open = ImGui::BeginTable(
      "points", static_cast<int>(3 + scalars),
      ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
          ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate | ImGuiTableFlags_Resizable |
          ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerV);
  if (!open) return ImGui::PopID();
  constexpr ImGuiTableColumnFlags fixed = ImGuiTableColumnFlags_WidthFixed;
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableSetupColumn("point", fixed, label_width(folder_->points, ui));
  ImGui::TableSetupColumn("status", fixed, ui.px(status_width));
  ImGui::TableSetupColumn("checks", fixed, ui.px(checks_width));
  for (std::size_t i = 0; i < scalars; ++i)
    ImGui::TableSetupColumn(spaced(folder_->scalars[i]).c_str(), fixed,
                            header_width(folder_->scalars[i], ui));
  ImGui::TableHeadersRow();
  take_sorting();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(listed_.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(listed_[static_cast<std::size_t>(i)], scalars, ui);
  ImGui::EndTable();
  ImGui::PopID();
}

void ResultBrowser::draw_folder() const {
  draw_pairs({{"folder", session_.current().result_params->text(SavedSource::folder_key)}});
}

ResultBrowser::Request ResultBrowser::draw_facts(const Ui& ui) {
  Request request = Request::none;
  const std::shared_ptr<const Result> result = session_.current().result;
  ImGui::PushFont(ui.fonts.title());
  draw_text(shows_all() ? "Saved sweep" : "Saved result");
  ImGui::PopFont();
  if (!result) {
    text_muted("No result is open.");
    return request;
  }
  if (result->provenance.experiment == sweep_overview_name) {
    draw_pairs(facts_);
    draw_folder();
    return request;
  }
  if (ImGui::Button("Open these settings live", ImVec2(-1, 0))) request = Request::open_live;
  mark_item(ui, "button Open these settings live");
  tooltip(ui, "Shows the experiment with the settings that this result was computed with.");
  if (ImGui::Button("Pin as reference of the live view", ImVec2(-1, 0))) request = Request::pin;
  mark_item(ui, "button Pin as reference of the live view");
  tooltip(
      ui,
      "Shows the experiment live and compares it with this result: hold R to see the saved one.");
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  text_colored(accent_text_color(ui.style), "Settings");
  draw_settings(result->provenance.params);
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  text_colored(accent_text_color(ui.style), "Origin");
  draw_pairs(facts_);
  draw_folder();
  return request;
}

}  // namespace orrery
