#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "experiments/heads/head_json.h"
#include "experiments/heads/settle.h"

namespace orrery::heads {
namespace {

using nlohmann::ordered_json;

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::contradicted:
      return "contradicted";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

ordered_json questions_json(const std::vector<OpenQuestion>& questions) {
  ordered_json all = ordered_json::array();
  for (const OpenQuestion& question : questions) {
    ordered_json hypotheses = ordered_json::array();
    for (const Hypothesis& h : question.hypotheses)
      hypotheses.push_back({{"label", h.label},
                            {"edits", h.edits},
                            {"stands", h.stands},
                            {"loss", number_json(h.loss)},
                            {"difference", number_json(h.difference)},
                            {"low", number_json(h.low)},
                            {"high", number_json(h.high)},
                            {"p_holm", number_json(h.p)},
                            {"rejected", h.rejected}});
    all.push_back({{"question", question.name},
                   {"verdict", verdict_name(question.verdict)},
                   {"hypotheses", std::move(hypotheses)}});
  }
  return all;
}

std::string line_of(const Hypothesis& h, bool preferred) {
  std::string text = fmt::format("  {:<24} {:>9.4f}", h.label, h.loss);
  if (preferred)
    text += "  preferred";
  else
    text += fmt::format("  {:+.4f} ({:+.4f} to {:+.4f})  p {:.2g}{}", h.difference, h.low, h.high,
                        h.p, h.rejected ? "" : "  not rejected");
  return text + (h.stands ? "  <- as it stands\n" : "\n");
}

std::string questions_text(const std::vector<OpenQuestion>& questions) {
  std::string text;
  for (const OpenQuestion& question : questions) {
    text += fmt::format("{}: {}\n", question.name, verdict_name(question.verdict));
    for (const Hypothesis& h : question.hypotheses)
      text += line_of(h, &h == &question.hypotheses.front());
  }
  return text;
}

}  // namespace

std::string settle_json(const Settlement& settlement) {
  const ordered_json json{{"model", settlement.model},
                          {"family", settlement.family},
                          {"texts", texts_json(settlement.texts)},
                          {"asked_with", settlement.start},
                          {"passes", settlement.passes},
                          {"questions", questions_json(settlement.questions)},
                          {"corrections", settlement.corrections},
                          {"corrected", questions_json(settlement.corrected)}};
  return json.dump(1) + "\n";
}

std::string settle_text(const Settlement& settlement) {
  std::string text =
      fmt::format("{}: {} texts of up to {} tokens, even ones prefer, odd ones test; {} passes\n",
                  settlement.family, settlement.texts.size(),
                  settlement.texts.front().tokens.size(), settlement.passes);
  if (!settlement.start.empty())
    text += fmt::format("asked about with {}\n", fmt::join(settlement.start, " "));
  text += questions_text(settlement.questions);
  if (settlement.corrections.empty()) return text;
  text += fmt::format("corrected by {}:\n", fmt::join(settlement.corrections, " "));
  return text + questions_text(settlement.corrected);
}

}  // namespace orrery::heads
