#include "app/dialogs/file_dialog.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double file_dialog_width = 820, file_dialog_height = 560;
constexpr double recent_width = 240, with_recent = 560;

/// By kind.
constexpr std::array path_kinds{"folder", "result", "sweep", "tensors", "text", ""};
static_assert(path_kinds.size() == static_cast<std::size_t>(PathKind::other) + 1);

std::filesystem::path start_folder() {
  std::error_code failed;
  std::filesystem::path here = std::filesystem::current_path(failed);
  if (!failed) return here;
  const char* home = std::getenv("HOME");
  return home ? home : "/";
}

}  // namespace

void FileDialog::ask(const std::filesystem::path& folder) {
  open();
  finding_ = BackgroundTask<ModelList>([] { return list_models(model_places()); }, wake_);
  const bool fresh = folder.empty() && listing_.folder.empty();
  enter(fresh ? start_folder() : folder.empty() ? listing_.folder : folder);
}

void FileDialog::enter(const std::filesystem::path& folder) {
  typed_ = folder.string();
  beginning_.clear();
  list(folder);
}

void FileDialog::list(const std::filesystem::path& folder) {
  trouble_.clear();
  asked_ = folder;
  task_ = BackgroundTask<FolderListing>([folder] { return list_folder(folder); }, wake_);
}

void FileDialog::take_listing() {
  if (auto found = finding_.take(); found && found->value)
    models_ = std::move(found->value->models);
  auto outcome = task_.take();
  if (!outcome) return;
  if (outcome->value)
    listing_ = std::move(*outcome->value);
  else
    trouble_ = outcome->error;
}

std::vector<const FolderListing::Entry*> FileDialog::shown_entries() const {
  std::vector<const FolderListing::Entry*> shown;
  for (const FolderListing::Entry& entry : listing_.entries)
    if ((all_files_ || entry.kind != PathKind::other) && begins_with(entry.name, beginning_))
      shown.push_back(&entry);
  return shown;
}

void FileDialog::follow_typing() {
  if (std::filesystem::path(typed_) == asked_) return beginning_.clear();
  const TypedPath path = typed_path(typed_, listing_.folder);
  beginning_ = path.beginning;
  if (path.folder.lexically_normal() != asked_.lexically_normal()) list(path.folder);
}

std::string FileDialog::completed_path() const {
  const TypedPath path = typed_path(typed_, listing_.folder);
  const std::vector<const FolderListing::Entry*> shown = shown_entries();
  if (shown.empty() || beginning_.empty()) return typed_;
  std::vector<std::string> names;
  for (const FolderListing::Entry* entry : shown) names.push_back(entry->name);
  std::string whole = (path.folder / completed(path.beginning, names)).string();
  const PathKind kind = shown.front()->kind;
  const bool folder =
      kind == PathKind::folder || kind == PathKind::result_folder || kind == PathKind::sweep_folder;
  if (shown.size() == 1 && folder) whole += '/';
  return whole;
}

FileDialog::Chosen FileDialog::draw_path() {
  if (ImGui::Button("↑") && listing_.folder.has_parent_path()) enter(listing_.folder.parent_path());
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (just_opened()) shim::focus_next_item();
  const std::string before = typed_;
  const auto complete = [](ImGuiInputTextCallbackData* data) {
    const std::string whole = static_cast<FileDialog*>(data->UserData)->completed_path();
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, whole.c_str());
    return 0;
  };
  const bool entered = ImGui::InputTextWithHint(
      "##path", "Type a path, or a model's name on the hub, and press Enter", &typed_,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
          ImGuiInputTextFlags_CallbackCompletion,
      complete, this);
  if (typed_ != before) follow_typing();
  if (!entered || typed_.empty()) return std::nullopt;
  if (const ModelEntry* model = model_named(models_, typed_)) return model->path;
  // The background thread finds out whether the path is a folder; if it cannot be listed, it is
  // taken for a file.
  const TypedPath typed = typed_path(typed_, listing_.folder);
  const std::filesystem::path path = typed.folder / typed.beginning;
  if (path.has_extension()) return path;
  enter(path);
  return std::nullopt;
}

FileDialog::Chosen FileDialog::draw_recent(const Session& session, const Ui& ui) {
  Chosen chosen;
  ImGui::BeginChild("recent", ImVec2(ui.px(recent_width), 0));
  text_colored(accent_text_color(ui.style), "Recent");
  if (session.recent.empty()) text_muted("No recent files");
  for (const std::string& path : session.recent) {
    ImGui::PushID(path.c_str());
    const std::string name = std::filesystem::path(path).filename().string();
    if (ImGui::Selectable(name.c_str())) chosen = path;
    tooltip(ui, as_marked(path));
    ImGui::PopID();
  }
  if (Chosen model = draw_shelf(ui)) chosen = model;
  ImGui::EndChild();
  return chosen;
}

/// The models of this machine, each with its encodings and its size.
FileDialog::Chosen FileDialog::draw_shelf(const Ui& ui) {
  if (models_.empty()) return std::nullopt;
  Chosen chosen;
  text_colored(accent_text_color(ui.style), "Models on this machine");
  for (const ModelEntry& model : models_) {
    const std::string name = name_of_model(model.path);
    std::string about = bytes_text(model.bytes);
    for (const EncodingLayers& one : model.encodings)
      about += fmt::format(", {} × {}", one.layers, one.encoding);
    ImGui::PushID(model.path.c_str());
    if (ImGui::Selectable(name.c_str())) chosen = model.path;
    mark_item(ui, "model " + name);
    tooltip(ui, as_marked(model.problem.empty() ? model.path.string() : model.problem));
    text_muted("  " + (model.problem.empty() ? about : "cannot be read"));
    ImGui::PopID();
  }
  return chosen;
}

FileDialog::Chosen FileDialog::draw_entry(const FolderListing::Entry& entry, const Ui& ui) {
  const std::filesystem::path path = listing_.folder / entry.name;
  const bool folder = entry.kind == PathKind::folder;
  const bool result = entry.kind == PathKind::result_folder || entry.kind == PathKind::sweep_folder;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool pressed =
      ImGui::Selectable((entry.name + (folder || result ? "/" : "")).c_str(), false,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_DontClosePopups);
  mark_item(ui, "entry " + entry.name);
  ImGui::TableNextColumn();
  const char* const kind = path_kinds.at(static_cast<std::size_t>(entry.kind));
  result ? text_colored(holds_color(ui.style), kind) : text_muted(kind);
  ImGui::TableNextColumn();
  if (!folder && !result) text_muted(bytes_text(entry.bytes));
  if (!pressed) return std::nullopt;
  if (!folder) return path;
  enter(path);
  return std::nullopt;
}

FileDialog::Chosen FileDialog::draw_entries(const Ui& ui) {
  Chosen chosen;
  ImGui::BeginChild("entries", ImVec2(0, 0));
  if (task_.is_running()) {
    text_muted("Reading " + typed_ + " …");
  } else if (!trouble_.empty()) {
    ImGui::PushTextWrapPos(0.0f);
    text_colored(fails_color(ui.style), trouble_);
    ImGui::PopTextWrapPos();
  } else if (ImGui::BeginTable("files", 3, ImGuiTableFlags_RowBg)) {
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("kind", ImGuiTableColumnFlags_WidthFixed, ui.px(70));
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, ui.px(70));
    const std::vector<const FolderListing::Entry*> shown = shown_entries();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(shown.size()));
    // Entering a folder changes the list only in a later frame, so its entries stay valid.
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        if (Chosen entry = draw_entry(*shown[static_cast<std::size_t>(i)], ui)) chosen = entry;
    ImGui::EndTable();
    if (shown.empty())
      text_muted(beginning_.empty() ? "This folder contains nothing that Orrery can open."
                                    : "Nothing here begins with " + beginning_);
    if (listing_.cut) text_muted("… and more. Type the path to open another file.");
  }
  ImGui::EndChild();
  return chosen;
}

std::optional<std::filesystem::path> FileDialog::draw(const Session& session, const Ui& ui) {
  if (!is_open()) return std::nullopt;
  take_listing();
  if (!begin("Open", file_dialog_width, file_dialog_height, ui)) return std::nullopt;
  draw_heading(ui, "Open");
  text_muted(
      "Models, tensors, texts, and folders of results or sweeps; or drop them on the window");
  Chosen chosen = draw_path();
  ImGui::Checkbox("Show all files", &all_files_);
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) close();
  ImGui::SameLine();
  if (ImGui::Button("Watch this folder")) {
    watched_ = listing_.folder;
    close();
  }
  mark_item(ui, "button Watch this folder");
  tooltip(ui, "The newest tensor that is written there opens itself. Once more ends that.");
  if (ImGui::GetContentRegionAvail().x > ui.px(with_recent)) {
    if (Chosen recent = draw_recent(session, ui)) chosen = recent;
    ImGui::SameLine();
  }
  if (Chosen entry = draw_entries(ui)) chosen = entry;
  if (chosen) close();
  end();
  return chosen;
}

}  // namespace orrery
