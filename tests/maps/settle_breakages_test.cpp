// Models of the training lab, broken as readers of their files may break them, and their loss as the judge.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/random.h"
#include "experiments/data/load_inputs.h"
#include "experiments/heads/model_texts.h"
#include "experiments/heads/settle.h"
#include "experiments/heads/what_if.h"
#include "experiments/studies/catalogue.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/support/experiment_run.h"
#include "tests/support/paths.h"
#include "tests/support/sampled.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;

namespace {

struct TrainedModel {
  std::filesystem::path path{};
  std::string base{};  ///< that it was trained with
};

TrainedModel bundled_model() {
  return {std::filesystem::path(source_folder()) / "assets/models/bytes_rope", "10000"};
}

/// A smaller one, of its own seed and base.
TrainedModel newly_trained(const TempFolder& folder, const std::string& base, Settings more) {
  Settings settings{{"task", "causal_language"},
                    {"model", "llama"},
                    {"encoding", "rope"},
                    {"layers", "2"},
                    {"tokens", "64"},
                    {"batch", "16"},
                    {"steps", "300"},
                    {"warm_up", "50"},
                    {"learning_rate", "0.004"},
                    {"checkpoints", "1"},
                    {"extrapolation", "1"}};
  settings.emplace_back("base", base);
  settings.insert(settings.end(), more.begin(), more.end());
  const Experiment& training = find_experiment("training");
  const Result result =
      run_experiment(training, settings, load_inputs(params_for(training, settings)).inputs);
  for (const ResultFile& file : result.files) {
    std::filesystem::create_directories((folder.path() / file.path).parent_path());
    folder.file(file.path, file.bytes);
  }
  return {(folder.path() / result.files.front().path).parent_path(), base};
}

/// Of the text that the models learned from: what weights mean is asked, not what they know.
std::vector<ModelText> texts_of_training(const TrainedModel& model, std::size_t count) {
  std::ifstream file(source_folder() + "/assets/texts/where_tokens_are.txt", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parts_of({"text", read_tokenizer(model.path)->encode(text)}, 64, count);
}

/// One to three settings that a reader of the file may get wrong, each of another kind.
std::vector<std::string> drawn_breakage(Random& random, const std::string& own_base) {
  std::vector<std::string> bases;
  for (const char* base : {"100", "1000", "10000", "100000", "500000", "1000000"})
    if (base != own_base) bases.push_back(std::string("base:") + base);
  const std::vector<std::vector<std::string>> kinds = {
      {"pairing:interleaved"},
      bases,
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
  SilentProgress progress;
  return what_if(model, {.edits = edits, .texts = texts, .heads = false}, progress).after;
}

void check_breakages(const TrainedModel& trained) {
  LiveModel model(trained.path, {});
  const std::vector<ModelText> texts = texts_of_training(trained, 16);
  const double true_loss = mean_loss(model, texts, {});
  SilentProgress progress;
  Random random(39, "breakages " + trained.base);
  for (std::size_t draw = 0; draw < 12; ++draw) {
    const std::vector<std::string> broken = drawn_breakage(random, trained.base);
    if (!is_tried(draw)) continue;
    const Settlement found = settle(
        model, {.texts = texts, .edits = broken, .questions = asked(), .rounds = 6}, progress);
    std::vector<std::string> mended = broken;
    mended.insert(mended.end(), found.corrections.begin(), found.corrections.end());
    CAPTURE(trained.base, draw, broken, found.corrections);
    CHECK(mean_loss(model, texts, broken) > true_loss + 0.1);
    CHECK(mean_loss(model, texts, mended) == Approx(true_loss).margin(1e-6));
    for (const OpenQuestion& question : found.corrected) {
      CAPTURE(question.name);
      CHECK(question.verdict != LossVerdict::contradicted);
    }
  }
}

}  // namespace

TEST_CASE("The loss of trained models finds back what their settings were, broken in any way") {
  const TempFolder folder;
  check_breakages(bundled_model());
  check_breakages(newly_trained(folder, "1000", {{"seed", "1"}, {"heads", "4"}, {"dim", "16"}}));
  check_breakages(newly_trained(folder, "100000", {{"seed", "2"}, {"heads", "2"}, {"dim", "24"}}));
}
