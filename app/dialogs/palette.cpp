#include "app/dialogs/palette.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "app/dialogs/export_dialog.h"
#include "app/dialogs/help_sheets.h"
#include "app/gui/imgui_shim.h"
#include "app/panels/param_controls.h"
#include "app/views/readout.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/lessons/library.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

using Kind = PaletteEntry::Kind;

constexpr double palette_width = 620;
constexpr int visible_rows = 11;
// Weight of a match in the description, relative to one in the title.
constexpr double detail_weight = 0.3;

/// By kind; an action has its key in place of it.
constexpr std::array kind_words{"view",   "figure", "parameter", "set",    "sweep",  "difference",
                                "number", "preset", "question",  "lesson", "export", ""};
static_assert(kind_words.size() == static_cast<std::size_t>(Kind::action) + 1);

std::optional<double> score(std::string_view typed, const PaletteEntry& entry) {
  const std::optional<double> title = fuzzy_score(typed, entry.title);
  const std::optional<double> also = fuzzy_score(typed, entry.also);
  if (title || also) return title && also ? std::max(*title, *also) : title ? title : also;
  // Any long sentence contains scattered letters, so here the typed text must occur as a whole.
  const std::optional<double> detail = fuzzy_score(typed, entry.detail);
  const bool whole = entry.detail.find(typed) != std::string::npos;
  if (detail && whole) return detail_weight * *detail;
  return std::nullopt;
}

/// "dim=256" or "dim 256" as an entry that sets it, if there is such a parameter.
std::optional<PaletteEntry> setting_entry(const Session& session, std::string_view typed) {
  const std::size_t equals = typed.find_first_of("= ");
  if (session.size() == 0 || equals == std::string_view::npos) return std::nullopt;
  const std::string key(typed.substr(0, equals)), value(typed.substr(equals + 1));
  const ParamSet& params = session.current().params;
  if (value.empty() || !params.has(key)) return std::nullopt;
  // Words after a choice's name are found among its values.
  if (typed[equals] == ' ' && !params.spec(key).choices.empty()) return std::nullopt;
  return PaletteEntry{.kind = Kind::setting,
                      .title = fmt::format("Set {} to {}", key, value),
                      .detail = plain_text(params.spec(key).description),
                      .key = key,
                      .value = value};
}

/// The values of what is chosen from a list, each as an entry that sets it.
void add_choices(const ParamSet& params, std::vector<PaletteEntry>& entries) {
  for (const ParamSpec& spec : params.specs()) {
    if (!params.is_used(spec.key)) continue;
    for (const Choice& choice : spec.choices)
      entries.push_back(
          {.kind = Kind::setting,
           .title = fmt::format("{}: {}", param_title(spec), choice_title(spec, choice.name)),
           .detail = plain_text(choice.description),
           .also = choice_title(spec, choice.name),
           .key = spec.key,
           .value = choice.name});
  }
}

/// The presets that can be read, in words: a file that cannot is told where it is asked for.
std::vector<PaletteEntry> read_presets() {
  std::vector<PaletteEntry> entries;
  for (const std::string& name : preset_names()) {
    try {
      const std::string description = preset_named(name).description;
      const std::size_t end = std::min(description.find_first_of(":("), description.size()),
                        rest =
                            std::min(description.find_first_not_of(":( ", end), description.size());
      entries.push_back({.kind = Kind::preset,
                         .title = description.substr(0, end),
                         .detail = description.substr(rest),
                         .also = spaced(name),
                         .key = name});
    } catch (const std::exception&) {
      continue;
    }
  }
  return entries;
}

std::vector<PaletteEntry> read_lessons() {
  std::vector<PaletteEntry> entries;
  for (const auto& [file, lesson] : readable_lessons())
    entries.push_back(
        {.kind = Kind::lesson,
         .title = fmt::format("Lesson {}: {}", lesson.number, plain_text(lesson.title)),
         .detail = fmt::format("{} min", lesson.minutes),
         .also = file.stem().string(),
         .key = file.string()});
  return entries;
}

/// What a result says in numbers: "rope first rise: 19 tokens".
void add_numbers(const Result& result, std::vector<PaletteEntry>& entries) {
  for (const Scalar& scalar : result.scalars) {
    if (std::isnan(scalar.value)) continue;
    entries.push_back(
        {.kind = Kind::number,
         .title = fmt::format("{}: {}{}{}", spaced(scalar.name), readout_number(scalar.value),
                              scalar.unit.empty() ? "" : " ", scalar.unit),
         .detail = plain_text(scalar.description),
         .also = scalar.name,
         .key = scalar.name,
         .value = number_text(scalar.value)});
  }
}

/// A file of what is on screen, in each format.
void add_exports(std::vector<PaletteEntry>& entries) {
  for (const ExportFormat& format : export_formats)
    entries.push_back({.kind = Kind::file,
                       .title = fmt::format("Export as {}", format.name),
                       .detail = format.about,
                       .key = format.name});
}

/// Says in an int which way an arrow key goes.
int on_arrow(ImGuiInputTextCallbackData* data) {
  auto& by = *static_cast<int*>(data->UserData);
  if (data->EventKey == ImGuiKey_UpArrow) by = -1;
  if (data->EventKey == ImGuiKey_DownArrow) by = 1;
  return 0;
}

/// Draws the title at the left, the kind or the key at the right, and as much of the description as
/// there is room for.
void draw_row(const PaletteEntry& entry, const ImVec2 at, float width, const Ui& ui) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  float right = at.x + width - ui.px(8);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + ui.px(5)));
  const Action* known = entry.action;
  if (known && !known->shortcuts.empty()) {
    right = key_cap(ui, shortcut_text(known->shortcuts.front()), right);
  } else {
    const char* kind = kind_words.at(static_cast<std::size_t>(entry.kind));
    right -= ImGui::CalcTextSize(kind).x;
    list.AddText(ImVec2(right, at.y + ui.px(5)), ImGui::GetColorU32(ImGuiCol_TextDisabled), kind);
  }
  const ImVec2 title(at.x + ui.px(8), at.y + ui.px(5));
  list.AddText(title, ImGui::GetColorU32(ImGuiCol_Text), entry.title.c_str());
  const float after = title.x + ImGui::CalcTextSize(entry.title.c_str()).x + ui.px(12);
  const ImVec4 room(after, at.y, right - ui.px(12), at.y + 2 * line);
  if (room.z <= room.x + ui.px(40)) return;
  list.PushClipRect(ImVec2(room.x, room.y), ImVec2(room.z, room.w), true);
  list.AddText(ImVec2(after, title.y), ImGui::GetColorU32(ImGuiCol_TextDisabled),
               entry.detail.c_str());
  list.PopClipRect();
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const Session& session, const Actions& actions) {
  std::vector<PaletteEntry> entries;
  for (std::size_t i = 0; i < session.size(); ++i) {
    const ExperimentInfo& info = session.state(i).experiment->info;
    entries.push_back(
        {.kind = Kind::view, .title = info.title, .detail = plain_text(info.question), .view = i});
  }
  if (session.size() > 0) {
    const ExperimentState& state = session.current();
    if (state.result) add_numbers(*state.result, entries);
    if (state.result)
      for (const Figure& figure : state.result->figures)
        entries.push_back({.kind = Kind::figure,
                           .title = plain_text(figure.title),
                           .detail = figure.id,
                           .key = figure.id});
    for (const ParamSpec& spec : state.params.specs()) {
      const std::string title = param_title(spec), about = plain_text(spec.description);
      entries.push_back({.kind = Kind::parameter,
                         .title = title,
                         .detail = title == spec.key ? about : spec.key + ": " + about,
                         .also = spec.key,
                         .key = spec.key});
    }
    add_choices(state.params, entries);
    add_sweeps(session, entries);
    add_differences(session, entries);
  }
  for (std::size_t i = 0; i < questions().size(); ++i)
    entries.push_back({.kind = Kind::question,
                       .title = plain_text(questions()[i].question->words),
                       .detail = plain_text(questions()[i].question->answer),
                       .view = i});
  static const std::vector<PaletteEntry> presets = read_presets(), course = read_lessons();
  entries.insert(entries.end(), course.begin(), course.end());
  entries.insert(entries.end(), presets.begin(), presets.end());
  add_exports(entries);
  for (const Action& action : actions)
    if (action.name != "palette")
      entries.push_back({.kind = Kind::action,
                         .title = std::string(action.title),
                         .detail = std::string(action.about),
                         .action = &action});
  return entries;
}

std::vector<PaletteEntry> palette_matches(const Session& session, const Actions& actions,
                                          std::string_view typed) {
  std::vector<std::pair<double, PaletteEntry>> scored;
  for (PaletteEntry& entry : palette_entries(session, actions))
    if (const std::optional<double> found = score(typed, entry))
      scored.emplace_back(typed.empty() ? 0.0 : *found, std::move(entry));
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<PaletteEntry> matches;
  if (auto setting = setting_entry(session, typed)) matches.push_back(std::move(*setting));
  if (auto sweep = typed_sweep(session, typed)) matches.push_back(std::move(*sweep));
  if (auto comparison = typed_comparison(session, typed)) matches.push_back(std::move(*comparison));
  for (auto& [points, entry] : scored) matches.push_back(std::move(entry));
  return matches;
}

bool Palette::draw_input(const Ui& ui) {
  if (just_opened()) {
    typed_ = std::exchange(typed_first_, {});
    chosen_ = 0;
  }
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(ImGuiMouseButton_Left))
    shim::focus_next_item();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(10), ui.px(8)));
  int by = 0;
  const std::string before = typed_;
  const bool taken = ImGui::InputTextWithHint(
      "##typed", "Find a view, lesson, number or setting, or type dim=256", &typed_,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory, on_arrow, &by);
  ImGui::PopStyleVar();
  moved_ = by != 0 || typed_ != before;
  if (typed_ != before) chosen_ = 0;
  if (by > 0) ++chosen_;
  if (by < 0 && chosen_ > 0) --chosen_;
  return taken;
}

std::optional<PaletteEntry> Palette::draw_list(const std::vector<PaletteEntry>& matches, bool taken,
                                               const Ui& ui) {
  if (matches.empty()) {
    text_muted("No matches.");
    return std::nullopt;
  }
  chosen_ = std::min(chosen_, matches.size() - 1);
  if (taken) return matches[chosen_];
  const float height = ImGui::GetTextLineHeight() + ui.px(10);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("found", ImVec2(0, height * visible_rows));
  std::optional<PaletteEntry> clicked;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable("##entry", i == chosen_, 0, ImVec2(0, height))) clicked = matches[i];
    if (i == chosen_ && moved_) ImGui::SetScrollHereY();
    ImGui::PopID();
    draw_row(matches[i], at, width, ui);
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height));
  }
  ImGui::Dummy(ImVec2(0, 0));
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return clicked;
}

std::optional<PaletteEntry> Palette::draw(const Session& session, const Actions& actions,
                                          const Ui& ui) {
  if (!is_open() || !begin("Command palette", palette_width, 0, ui)) return std::nullopt;
  const bool taken = draw_input(ui);
  std::optional<PaletteEntry> entry =
      draw_list(palette_matches(session, actions, typed_), taken, ui);
  if (entry) close();
  end();
  return entry;
}

}  // namespace orrery
