// Where files decide a number, its control shows that number and says why it cannot be moved.
#include "app/session/number_scale.h"

#include <catch2/catch.hpp>
#include <string>

#include "app/panels/param_panel.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

const char* const llama_3_1 = R"({"model_type": "llama", "hidden_size": 256,
  "num_attention_heads": 4, "num_hidden_layers": 2, "rope_theta": 500000.0,
  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                   "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";

const ParamSpec& spec(const Session& session, const char* key) {
  return session.current().params.spec(key);
}

TEST_CASE("A length that a dropped configuration names is shown, dimmed, with its reason") {
  const TempFolder folder;
  const auto session = start_session({.view = "model_layers"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  CHECK(value_shown(*session, spec(*session, "trained")) == "16384");
  CHECK(why_ignored(*session, "trained").empty());
  session->set("model", folder.file("config.json", llama_3_1).string());
  desktop.settle();
  CHECK(value_shown(*session, spec(*session, "trained")) == "8192");
  CHECK(why_ignored(*session, "trained") == "The file says 8192.");
  // Dragging it changes neither what it shows nor that it is dimmed.
  desktop.drag(desktop.item("param trained", 0.5), desktop.item("param trained", 0.1));
  desktop.settle();
  CHECK(value_shown(*session, spec(*session, "trained")) == "8192");
  CHECK(why_ignored(*session, "trained") == "The file says 8192.");
}

TEST_CASE("A length of which a model without RoPE knows nothing is dimmed") {
  const TempFolder folder;
  const auto session = start_session({.view = "model_layers"}, {});
  session->set("model", folder
                            .file("config.json", R"({"model_type": "bloom", "hidden_size": 64,
                                                     "n_head": 4, "n_layer": 2})")
                            .string());
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  CHECK(why_ignored(*session, "trained") == "No layer of this file turns pairs.");
}

TEST_CASE("Without a number of tokens the control shows how many were read, and drags from there") {
  const TempFolder folder;
  const auto session = start_session({.view = "attention_map"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  CHECK(session->current().params.integer("max_tokens") == 0);
  CHECK(value_shown(*session, spec(*session, "max_tokens")) == "48");
  session->set("text", folder.file("mine.txt", "one two three four five").string());
  desktop.settle();
  CHECK(value_shown(*session, spec(*session, "max_tokens")) == "23");  // bytes
  CHECK(why_ignored(*session, "max_tokens").empty());
  desktop.drag(desktop.item("param max_tokens", 0.1), desktop.item("param max_tokens", 0.05));
  desktop.settle();
  const auto asked = session->current().params.integer("max_tokens");
  CHECK(asked > 0);
  CHECK(asked < 23);
  CHECK(value_shown(*session, spec(*session, "max_tokens")) == std::to_string(asked));
}

}  // namespace
}  // namespace orrery
