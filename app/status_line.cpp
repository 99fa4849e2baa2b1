#include "app/status_line.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/theme.h"
#include "app/views/findings.h"

namespace orrery {
namespace {

// Shorter work would only flicker.
constexpr double kWorthShowing = 0.25;

std::string param_of(const Result& result, std::string_view key) {
  for (const auto& [name, value] : result.provenance.params)
    if (name == key) return value;
  return {};
}

void fact(const std::string& words, const Ui& ui) {
  ImGui::SameLine(0, ui.px(16));
  text_muted(words);
}

void draw_facts(const ExperimentState& state, const Ui& ui) {
  const Result& result = *state.result;
  text_muted(fmt::format("computed in {}", duration_text(state.seconds)));
  const std::string seed = param_of(result, "seed"), precision = param_of(result, "precision");
  if (!seed.empty()) fact("seed " + seed, ui);
  if (!precision.empty()) fact(precision, ui);
  if (result.checks.empty()) return;
  const std::size_t good = holding(result);
  ImGui::SameLine(0, ui.px(16));
  text_colored(good == result.checks.size() ? holds_color(ui.style) : fails_color(ui.style),
               fmt::format("{}/{} checks hold", good, result.checks.size()));
}

void draw_progress(Session& session, const Job::Status& status, const Ui& ui) {
  const float stop_width = ImGui::CalcTextSize("Stop").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float bar = std::min(ui.px(220), ImGui::GetWindowWidth() * 0.4f);
  const float total = bar + stop_width + 2 * ImGui::GetStyle().ItemSpacing.x;
  ImGui::SameLine(std::max(0.0f, ImGui::GetWindowWidth() - total - ui.px(6)));
  const std::string words = fmt::format("{} {:.0f}%  {}", status.stage, 100 * status.fraction,
                                        duration_text(status.seconds));
  ImGui::ProgressBar(static_cast<float>(status.fraction), ImVec2(bar, ImGui::GetFrameHeight()),
                     words.c_str());
  ImGui::SameLine();
  if (ImGui::Button("Stop")) session.stop();
}

/// What the mouse can do, where there is room to say it.
void draw_hints(const Ui& ui) {
  constexpr const char* hints =
      "drag: move   wheel: zoom   right drag: zoom to box   double click: fit   legend: hide";
  ImGui::PushFont(ui.fonts.small());
  const float start = ImGui::GetWindowWidth() - ImGui::CalcTextSize(hints).x - ui.px(14);
  ImGui::SameLine(0, 0);
  if (ImGui::GetCursorPosX() + ui.px(40) < start) {
    ImGui::SameLine(start);
    text_muted(hints);
  }
  ImGui::PopFont();
}

double wrap_width(double width, const Ui& ui) { return std::max(width - 28 * ui.scale, 1.0); }

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 0.001) return "under 1 ms";
  if (seconds < 1.0) return fmt::format("{:.0f} ms", seconds * 1000);
  return fmt::format("{:.1f} s", seconds);
}

void draw_status(Session& session, const Ui& ui) {
  ImGui::AlignTextToFramePadding();
  const ExperimentState& state = session.current();
  if (state.result)
    draw_facts(state, ui);
  else
    text_muted("no result yet");
  const Job::Status status = session.status();
  if (status.busy && status.seconds > kWorthShowing)
    draw_progress(session, status, ui);
  else
    draw_hints(ui);
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
  text(state.message);
  ImGui::PopTextWrapPos();
  const bool stale = state.is_stale();
  if (stale && ImGui::Button("Compute again")) session.recompute();
  if (stale) ImGui::SameLine();
  if (stale && state.result && ImGui::Button("Back to the settings of the picture"))
    session.restore();
  if (stale && state.result) ImGui::SameLine();
  if (ImGui::Button("Dismiss")) session.dismiss();
}

}  // namespace orrery
