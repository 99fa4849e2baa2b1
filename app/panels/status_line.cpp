#include "app/panels/status_line.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/session/references.h"
#include "app/views/readout.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

// Progress of shorter work would only flicker.
constexpr double worth_showing = 0.25;
constexpr double meter_width = 90;
constexpr double narrow_meter_width = 45;  // beside others
// Decades of an error in ulp that fills the mantissa of a double.
constexpr double ulp_decades = 16;

std::string param_of(const Result& result, ParamRole role) {
  const std::string key = key_of_role(result.provenance.experiment, role);
  for (const auto& [name, value] : result.provenance.params)
    if (name == key) return value;
  return {};
}

void fact(const std::string& words, const Ui& ui) {
  ImGui::SameLine(0, ui.px(16));
  text_muted(words);
}

/// A button with the number of checks, which lists them. Where it leads a line, its words begin at
/// the cursor.
bool checks_button(const Result& result, bool leads, const Ui& ui) {
  const bool all = holding(result) == result.checks.size();
  if (leads)
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() - ImGui::GetStyle().FramePadding.x);
  else
    ImGui::SameLine(0, ui.px(16));
  ImGui::PushStyleColor(ImGuiCol_Text,
                        shim::floats(all ? holds_color(ui.style) : fails_color(ui.style)));
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  const bool pressed = ImGui::Button(checks_text(result).c_str());
  ImGui::PopStyleColor(2);
  mark_item(ui, "button Checks");
  tooltip(ui, "Lists the checked claims with their measured values.");
  return pressed;
}

/// The largest error in units of the last place, per pipeline where several are compared.
std::vector<const Scalar*> ulp_meters(const Result& result) {
  std::vector<const Scalar*> meters;
  for (const Scalar& scalar : result.scalars) {
    if (scalar.unit != "ulp" || !std::isfinite(scalar.value)) continue;
    const auto same = std::find_if(meters.begin(), meters.end(), [&](const Scalar* meter) {
      return meter->pipeline == scalar.pipeline;
    });
    if (same == meters.end())
      meters.push_back(&scalar);
    else if (scalar.value > (*same)->value)
      *same = &scalar;
  }
  return meters;
}

/// Draws the error on a logarithmic bar from one ulp to the whole mantissa: short and green to long
/// and red.
void draw_meter(const Scalar& meter, float width, const Ui& ui) {
  const double decades = std::log10(std::max(1.0, meter.value)) / ulp_decades;
  const auto part = static_cast<float>(std::clamp(decades, 0.0, 1.0));
  if (!meter.pipeline.empty()) {
    fact(meter.pipeline, ui);
    ImGui::SameLine(0, ui.px(6));
  } else {
    ImGui::SameLine(0, ui.px(16));
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ui.px(6);
  const float top = at.y + (ImGui::GetFrameHeight() - height) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(ImVec2(at.x, top), ImVec2(at.x + width, top + height),
                     ImGui::GetColorU32(ImGuiCol_FrameBg), height / 2);
  const Color color = mix(holds_color(ui.style), fails_color(ui.style), static_cast<double>(part));
  list.AddRectFilled(ImVec2(at.x, top), ImVec2(at.x + std::max(height, part * width), top + height),
                     shim::packed(color), height / 2);
  ImGui::Dummy(ImVec2(width, ImGui::GetFrameHeight()));
  tooltip(ui, fmt::format("{}\nThe bar spans 1 to {:.0e} ulp.", meter.description,
                          std::pow(10.0, ulp_decades)));
  ImGui::SameLine(0, ui.px(6));
  ImGui::AlignTextToFramePadding();
  text_muted(fmt::format("{} ulp", readout_number(meter.value, 3)));
}

/// Whether a button of these words fits behind what the line has, in front of its right end.
bool has_room_for(const std::string& label, const StatusWords& words, const Ui& ui) {
  const float width =
      ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x + ui.px(16);
  ImGui::SameLine(0, 0);
  const float end = ImGui::GetWindowWidth() - static_cast<float>(words.right);
  return words.leads || ImGui::GetCursorPosX() + width <= end;
}

/// Returns whether the checks were clicked.
bool draw_facts(const ExperimentState& state, const StatusWords& words, const Ui& ui) {
  const Result& result = *state.result;
  if (words.brief)
    return !result.checks.empty() && has_room_for(checks_text(result), words, ui) &&
           checks_button(result, words.leads, ui);
  text_muted(fmt::format("{} in {}", words.verb, duration_text(state.seconds)));
  const std::string seed = param_of(result, ParamRole::seed);
  const std::string precision = param_of(result, ParamRole::precision);
  if (!seed.empty()) fact("seed " + seed, ui);
  const std::vector<const Scalar*> meters = ulp_meters(result);
  // The meters of several pipelines show their names.
  if (!precision.empty() && (meters.empty() || meters.front()->pipeline.empty()))
    fact(precision, ui);
  const double width = meters.size() > 1 ? narrow_meter_width : meter_width;
  for (const Scalar* meter : meters) draw_meter(*meter, ui.px(width), ui);
  return !result.checks.empty() && checks_button(result, false, ui);
}

/// The bar becomes shorter where there is little room, and goes before the buttons do.
void draw_progress(Session& session, const ResultStore::Status& status, float end, const Ui& ui) {
  const char* const pause = pause_text(status);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float buttons =
      ImGui::CalcTextSize("Stop").x + ImGui::CalcTextSize(pause).x + 4 * style.FramePadding.x;
  ImGui::SameLine(0, ui.px(16));
  const float room = end - ui.px(6) - ImGui::GetCursorPosX() - buttons - 3 * style.ItemSpacing.x;
  if (room + style.ItemSpacing.x < 0) return;
  const float bar = std::min(ui.px(240), room);
  const bool with_bar = bar >= ui.px(60);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - (with_bar ? bar : 0.0f));
  if (with_bar) {
    ImGui::ProgressBar(static_cast<float>(status.fraction), ImVec2(bar, ImGui::GetFrameHeight()),
                       shortened(progress_text(status), bar - ui.px(8)).c_str());
    ImGui::SameLine();
  }
  if (ImGui::Button(pause)) session.pause(session.selected());
  mark_item(ui, "button Pause");
  ImGui::SameLine();
  if (ImGui::Button("Stop")) session.stop();
  mark_item(ui, "button Stop");
}

/// How to find help, as much as has room in whole words.
std::string help_within(float room) {
  for (const char* words : {"Ctrl+K: find anything   ?: shortcuts", "?: shortcuts"})
    if (ImGui::CalcTextSize(words).x <= room) return words;
  return "";
}

void draw_help(float end, const Ui& ui) {
  ImGui::SameLine(0, ui.px(40));
  const std::string words = help_within(end - ImGui::GetCursorPosX() - ui.px(14));
  if (words.empty()) return;
  ImGui::SameLine(end - ImGui::CalcTextSize(words.c_str()).x - ui.px(14));
  text_muted(words);
}

/// Shows above the line, at its right, what was done last, in as many lines as it takes.
void draw_note(const std::string& note, const Ui& ui) {
  if (note.empty()) return;
  const ImVec2 line = ImGui::GetWindowPos();
  const float gap = ui.px(8), width = ImGui::GetWindowWidth();
  const float wrap = std::min(ui.px(560), width - 4 * gap);
  const ImVec2 size = ImGui::CalcTextSize(note.c_str(), nullptr, false, wrap);
  const ImVec2 to(line.x + width - gap, line.y - gap);
  const ImVec2 from(to.x - size.x - 2 * gap, to.y - size.y - 2 * gap);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled(from, to, shim::packed(raised_color(ui.style)), gap);
  list.AddRect(from, to, ImGui::GetColorU32(ImGuiCol_Border), gap);
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), ImVec2(from.x + gap, from.y + gap),
               ImGui::GetColorU32(ImGuiCol_Text), note.c_str(), nullptr, wrap);
}

double wrap_width(double width, const Ui& ui) { return std::max(width - 28 * ui.scale, 1.0); }

constexpr double jobs_width = 620, checks_sheet_width = 760;

std::string fate(const ExperimentState& state) {
  if (!state.message.empty()) return state.message;
  if (!state.result) return "Not computed yet";
  return fmt::format("Computed in {}", duration_text(state.seconds));
}

void draw_job(Session& session, std::size_t index, const Ui& ui) {
  const ExperimentState& state = session.state(index);
  const ResultStore::Status status = session.status(index);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  draw_text(state.experiment->info.title);
  ImGui::TableNextColumn();
  if (!status.busy) {
    ImGui::PushTextWrapPos(0.0f);
    state.failure ? text_colored(fails_color(ui.style), fate(state)) : text_muted(fate(state));
    ImGui::PopTextWrapPos();
    return;
  }
  ImGui::ProgressBar(static_cast<float>(status.fraction), ImVec2(-1, 0),
                     progress_text(status).c_str());
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(index));
  if (ImGui::Button(pause_text(status))) session.pause(index);
  ImGui::SameLine();
  if (ImGui::Button("Stop")) session.stop(index);
  ImGui::PopID();
}

}  // namespace

bool shows_progress(const ResultStore::Status& status) {
  return status.busy && status.seconds > worth_showing;
}

std::string progress_text(const ResultStore::Status& status) {
  return fmt::format("{}{} {:.0f}%  {}", status.paused ? "Paused: " : "", status.stage,
                     100 * status.fraction, duration_text(status.seconds));
}

const char* pause_text(const ResultStore::Status& status) {
  return status.paused ? "Go on" : "Pause";
}

std::string checks_text(const Result& result) {
  const std::size_t good = holding(result), bad = result.checks.size() - good;
  std::string hold = good == 1 ? std::string("1 check holds") : fmt::format("{} checks hold", good);
  if (bad == 0) return hold;
  return fmt::format("{}, {} {}", hold, bad, bad == 1 ? "fails" : "fail");
}

bool draw_status(Session& session, const StatusWords& words, const Ui& ui) {
  ImGui::AlignTextToFramePadding();
  const ExperimentState& state = session.current();
  const bool clicked = state.result && draw_facts(state, words, ui);
  if (!state.result) text_muted("No result yet");
  const ResultStore::Status status = session.status();
  const float end = ImGui::GetWindowWidth() - static_cast<float>(words.right);
  if (shows_progress(status))
    draw_progress(session, status, end, ui);
  else
    draw_help(end, ui);
  draw_note(words.note, ui);
  return clicked;
}

double message_height(const Session& session, double width, const Ui& ui) {
  const std::string& words = session.current().message;
  if (words.empty()) return 0.0;
  const float wrap = static_cast<float>(wrap_width(width, ui));
  const ImVec2 size = ImGui::CalcTextSize(words.c_str(), nullptr, false, wrap);
  return static_cast<double>(size.y + ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y) +
         28 * ui.scale;
}

void draw_message(Session& session) {
  const ExperimentState& state = session.current();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x);
  draw_text(state.message);
  ImGui::PopTextWrapPos();
  const bool stale = state.is_stale() && state.awaits.empty();
  if (stale && ImGui::Button("Recompute")) session.recompute();
  if (stale) ImGui::SameLine();
  if (stale && state.result && ImGui::Button("Restore the settings of this figure"))
    session.restore();
  if (stale && state.result) ImGui::SameLine();
  if (ImGui::Button("Dismiss")) session.dismiss();
}

void JobsPanel::draw(Session& session, bool writing, const Ui& ui) {
  if (!is_open() || !begin("Jobs", jobs_width, 0, ui)) return;
  draw_heading(ui, "Jobs");
  if (writing) text_muted("Exporting a figure …");
  if (ImGui::BeginTable("jobs", 3)) {
    ImGui::TableSetupColumn("view", ImGuiTableColumnFlags_WidthFixed, ui.px(220));
    ImGui::TableSetupColumn("state", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("stop", ImGuiTableColumnFlags_WidthFixed, ui.px(120));
    for (std::size_t i = 0; i < session.size(); ++i) draw_job(session, i, ui);
    ImGui::EndTable();
  }
  end();
}

void ChecksSheet::draw(const Session& session, const Ui& ui) {
  if (!is_open() || !begin("Checks", checks_sheet_width, 0, ui)) return;
  const std::shared_ptr<const Result> result = session.current().result;
  draw_heading(ui, session.current().experiment->info.title);
  if (!result) {
    text_muted("There is no result yet.");
  } else {
    text_muted(checks_text(*result));
    ImGui::Dummy(ImVec2(0, ui.px(4)));
    draw_findings(*result, ui);
  }
  end();
}

}  // namespace orrery
