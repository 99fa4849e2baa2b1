#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

#include "core/random.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/model_texts.h"
#include "experiments/heads/settle.h"
#include "experiments/statistics/welch.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

using namespace orrery;
using namespace orrery::heads;
using namespace orrery::test;

namespace {

std::filesystem::path trained_model() {
  return std::filesystem::path(source_folder()) / "assets/models/bytes_rope";
}

/// Of the text that the model learned from: what its weights mean is asked, not what they know.
std::vector<ModelText> texts_of_training(std::size_t count) {
  std::ifstream file(source_folder() + "/assets/texts/where_tokens_are.txt", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parts_of({"text", tokenizers::read_tokenizer(trained_model())->encode(text)}, 64, count);
}

/// One to three settings that a reader of the file may get wrong, each of another kind.
std::vector<std::string> drawn_breakage(Random& random) {
  const std::vector<std::vector<std::string>> kinds = {
      {"pairing:interleaved"},
      {"base:100", "base:1000", "base:100000", "base:500000", "base:1000000"},
      {"scaling:linear factor:2", "scaling:linear factor:4", "scaling:linear factor:8"},
      {"fraction:0.5", "fraction:0.25"},
      {"sign"},
      {"adds_one:yes"},
      {"scale:1", "scale:0.0625"}};
  std::vector<std::string> edits;
  const std::vector<Index> order = random_order(random, static_cast<Index>(kinds.size()));
  const std::int64_t wrong = 1 + random.integer(3);
  for (std::int64_t i = 0; i < wrong; ++i) {
    const std::vector<std::string>& kind =
        kinds[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    std::string edit =
        kind[static_cast<std::size_t>(random.integer(static_cast<std::int64_t>(kind.size())))];
    const std::size_t space = edit.find(' ');
    edits.push_back(edit.substr(0, space));
    if (space != std::string::npos) edits.push_back(edit.substr(space + 1));
  }
  return edits;
}

/// Those of which a wrong answer is drawn.
std::vector<std::string> asked() {
  return {"pairing", "base", "scaling", "fraction", "direction", "norm_plus_one", "scale"};
}

double mean_loss(LiveModel& model, const std::vector<ModelText>& texts,
                 const std::vector<std::string>& edits) {
  return model.with_run([&](auto& run) {
    std::vector<double> means;
    for (const ModelText& text : texts)
      means.push_back(statistics::sample_mean(run.edited_losses(parse_edits(edits), text.tokens)));
    return statistics::sample_mean(means);
  });
}

}  // namespace

TEST_CASE("A trained model's loss finds back what its settings were, broken in any way") {
  LiveModel model(trained_model(), {});
  const std::vector<ModelText> texts = texts_of_training(16);
  const double true_loss = mean_loss(model, texts, {});
  SilentProgress progress;
  Random random(39, "breakages");
  const int draws = sanitized ? 2 : 24;
  for (int draw = 0; draw < draws; ++draw) {
    const std::vector<std::string> broken = drawn_breakage(random);
    const Settlement found = settle(
        model, {.texts = texts, .edits = broken, .questions = asked(), .rounds = 6}, progress);
    std::vector<std::string> mended = broken;
    mended.insert(mended.end(), found.corrections.begin(), found.corrections.end());
    CAPTURE(draw, broken, found.corrections);
    CHECK(mean_loss(model, texts, broken) > true_loss + 0.1);
    CHECK(mean_loss(model, texts, mended) == Approx(true_loss).margin(1e-6));
    for (const OpenQuestion& question : found.corrected) {
      CAPTURE(question.name);
      CHECK(question.verdict != Verdict::contradicted);
    }
  }
}
