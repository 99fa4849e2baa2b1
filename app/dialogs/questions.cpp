#include "app/dialogs/questions.h"

#include <imgui.h>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"

namespace orrery::dialogs {
namespace {

constexpr double sheet_width = 980, card_gap = 8, card_padding = 10;

/// Draws a card over the width of the column. Returns whether it was clicked.
bool draw_card(const Question& question, float width, const Ui& ui) {
  const float padding = ui.px(card_padding), room = width - 2 * padding;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto height_of = [&](const std::string& words) {
    return ImGui::CalcTextSize(words.c_str(), nullptr, false, room).y;
  };
  const float heading = height_of(question.words);
  const float height = heading + height_of(question.answer) + 2.5f * padding;
  const bool pressed = ImGui::Selectable("##card", true, 0, ImVec2(width, height));
  mark_item(ui, "question " + question.experiment);
  const float wrap = at.x - ImGui::GetWindowPos().x + padding + room;
  ImGui::SetCursorScreenPos(ImVec2(at.x + padding, at.y + padding));
  ImGui::PushTextWrapPos(wrap);
  draw_text(question.words);
  ImGui::SetCursorScreenPos(ImVec2(at.x + padding, at.y + heading + 1.5f * padding));
  text_muted(question.answer);
  ImGui::PopTextWrapPos();
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + ui.px(card_gap)));
  return pressed;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
std::span<const Question> questions() {
  static const std::vector<Question> list{
      {"Why does the score of RoPE fall with distance?",
       "Each row is a pair of channels that turns at its own speed, and the curve above is their "
       "mean. Where the rows agree it is high, where they disagree it falls: turn the crank with "
       "Space, or move r.",
       "score_spectrogram",
       {},
       "",
       "distance"},
      {"Which pairs carry long distances?",
       "The lowest rows turn so slowly that they keep their sign over thousands of tokens. The "
       "title counts those that turn less than once within the context: move base and see how many "
       "there are.",
       "score_spectrogram",
       {{"max_distance", "131072"}},
       "parts_rope",
       "base"},
      {"What does a base of 500000 do?",
       "A larger base slows every pair but the first: the line of wavelengths becomes steeper, and "
       "more of it lies above the context. Move base to compare another one.",
       "spectrum",
       {{"compare", "base"}},
       "",
       "base"},
      {"Is DeBERTa relative?",
       "All positions are shifted by the same amount. The logits of DeBERTa do not change, those "
       "of "
       "sinusoids do: move span, the distance between the tokens.",
       "relative_invariance",
       {{"encoding", "deberta+sinusoidal"}, {"precision", "exact"}},
       "",
       "span"},
      {"How do ALiBi and RoPE differ on my text?",
       "Drop a text on the window: no trained model stands behind the maps, each word has the same "
       "random vector in both, and so they differ by position alone. Move h: every head of ALiBi "
       "has a slope of its own.",
       "attention_map",
       {{"encoding", "rope+alibi"}},
       "",
       "head"},
      {"How can encodings be compared fairly?",
       "Each one is set so that its mean logit has fallen by half at the same distance. What is "
       "left is the shape of its fall: move h, that distance.",
       "equal_half_distance",
       {},
       "",
       "half_distance"},
      {"What is content in a score, and what is position?",
       "The terms of eq. (6) add up to the logits, and each has a map of its own, of random "
       "vectors "
       "and no trained model. A term that has the same value along every diagonal depends on m − n "
       "alone: move N for more tokens.",
       "score_decomposition",
       {},
       "",
       "max_tokens"},
      {"What happens beyond the training length?",
       "The entropy of the last query says over how many tokens its attention spreads. Move L, the "
       "training length, and see which encodings change their course there.",
       "sequence_length",
       {},
       "",
       "train_length"},
      {"What does my model do with positions?",
       "Drop its config.json or GGUF on the window: each row is a kind of layer, and the maps show "
       "which pairs turn to angles that L₀ unscaled positions never show. Move L, the context in "
       "use.",
       "model_layers",
       {},
       "",
       "context"},
      {"Can distance alone change what a query prefers?",
       "A query and two keys, one more like it. Among all distances, the other key wins at the "
       "share that the curve shows; 0.5 is chance. Move base: a larger one keeps preferences and "
       "gives up what a step of position changes.",
       "semantic_reversal",
       {},
       "",
       "base"}};
  return list;
}

std::optional<std::size_t> QuestionSheet::draw(const Ui& ui) {
  if (!is_open() || !begin("Questions", sheet_width, 0, ui)) return std::nullopt;
  std::optional<std::size_t> chosen;
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > ui.px(640) ? 2 : 1;
  if (ImGui::BeginTable("##cards", columns, ImGuiTableFlags_SizingStretchSame)) {
    for (std::size_t i = 0; i < questions().size(); ++i) {
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(i));
      if (draw_card(questions()[i], ImGui::GetContentRegionAvail().x, ui)) chosen = i;
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (chosen) close();
  end();
  return chosen;
}

}  // namespace orrery::dialogs
