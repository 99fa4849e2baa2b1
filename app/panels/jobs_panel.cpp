#include "app/panels/jobs_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/theme.h"
#include "app/panels/findings.h"
#include "app/panels/status_line.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double jobs_width = 620, checks_width = 760;

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

void JobsPanel::draw(Session& session, bool writing, const Ui& ui) {
  if (!is_open() || !begin("Jobs", jobs_width, 0, ui)) return;
  ImGui::PushFont(ui.fonts.title());
  draw_text("Jobs");
  ImGui::PopFont();
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
  if (!is_open() || !begin("Checks", checks_width, 0, ui)) return;
  const std::shared_ptr<const Result> result = session.current().result;
  ImGui::PushFont(ui.fonts.title());
  draw_text(session.current().experiment->info.title);
  ImGui::PopFont();
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
