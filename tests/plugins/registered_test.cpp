// Encodings that are registered from outside: what is refused, and what verify finds wrong in them.
#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/attention/content.h"
#include "core/attention/logit_factors.h"
#include "core/encodings/plugin.h"
#include "core/encodings/relative_index.h"
#include "experiments/verify/claims.h"
#include "tests/support/refusals.h"

using namespace orrery;
using test::refusal;

namespace {

/// logits_mn = q_m·k_n/√d + cos(m − n), with one mistake of choice.
template <class T>
class Own final : public Encoding, public ScoreTerms<T> {
 public:
  explicit Own(std::string mistake) : mistake_(std::move(mistake)) {}

  static EncodingInfo info() {
    return {.name = "own",
            .label = "Own",
            .title = "Own",
            .statement = "Adds the cosine of the distance.",
            .source = "this test",
            .params = {{.key = "own.mistake",
                        .description = "What is wrong with it.",
                        .kind = ParamKind::choice,
                        .default_value = std::string("none"),
                        .choices = {{"none", "nothing"},
                                    {"derivative", "half of the derivative"},
                                    {"shift", "the key's position in place of the distance"},
                                    {"factors", "other factors than terms"},
                                    {"precision", "another number in fp32"},
                                    {"steps", "terms by the number of keys"},
                                    {"order", "terms by the place of a key among the others"}}}}};
  }
  static std::unique_ptr<Own> make(const EncodingSettings& s) {
    return std::make_unique<Own>(s.params.text("own.mistake"));
  }

  EncodingTraits traits() const override { return {.relative = true}; }
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override {
    Matrix<T> bias = matrix_of_pairs<T>(in.m, in.n, [&](Position m, Position n) {
      return std::cos(static_cast<double>(mistake_ == "shift" ? n : m - n));
    });
    if (mistake_ == "precision" && sizeof(T) == sizeof(float)) bias *= T(1.001);
    if (mistake_ == "steps") bias *= static_cast<T>(in.k.rows());
    if (mistake_ == "order")
      for (Index j = 0; j < bias.cols(); ++j) bias.col(j) *= static_cast<T>(j);
    std::vector<ScoreTerm<T>> terms;
    terms.push_back(scaled_content_term<T>(in));
    terms.push_back({"cosine", std::move(bias)});
    return terms;
  }
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const override {
    if (mistake_ == "steps" || mistake_ == "order" || mistake_ == "shift") return std::nullopt;
    LogitFactors<T> factors = distance_bias_factors<T>(*this, in, distances);
    if (mistake_ == "factors") factors.bias *= T(1.01);
    return factors;
  }
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override {
    const Matrix<T> part = d_logits * T(mistake_ == "derivative" ? 0.5 : 1);
    add_content_gradients<T>(in, 1, part, d);
  }

 private:
  std::string mistake_;
};

EncodingEntry changed(const std::string& name, const std::string& key, bool with_doors = true) {
  EncodingEntry entry = encoding_entry<Own>();
  entry.info.name = name;
  entry.info.params.front().key = key;
  if (!with_doors) entry.doors.clear();
  return entry;
}

EncodingEntry with_base(double default_value) {
  EncodingEntry entry = changed("four", "four.mistake");
  entry.info.params.push_back(base_param());
  entry.info.params.back().default_value = default_value;
  return entry;
}

/// What register_encodings says of each before the catalogue is read; "own" is then in it.
const std::vector<std::string>& refusals() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> said;
    // One that is refused takes those beside it along.
    said.push_back(refusal([] {
      register_encodings({changed("beside", "beside.mistake"), changed("rope", "rope.mistake")});
    }));
    for (const EncodingEntry& entry :
         {encoding_entry<Own>(), encoding_entry<Own>(), changed("rope", "rope.mistake"),
          changed("", ".mistake"), changed("Own", "Own.mistake"), changed("two", "own.mistake"),
          changed("three", "three.mistake", false), with_base(500.0)})
      said.push_back(refusal([&] { register_encodings({entry}); }));
    return said;
  }();
  return all;
}
const bool is_registered = !refusals().empty();

}  // namespace

TEST_CASE("An encoding is registered under a name and keys of its own, or refused") {
  REQUIRE(is_registered);
  CHECK(refusals() ==
        std::vector<std::string>{
            "rope: is an encoding already; give yours another name", "",
            "own: is an encoding already; give yours another name",
            "rope: is an encoding already; give yours another name",
            "the encoding \"\": has a name of other characters than a-z, 0-9 and _; give "
            "EncodingInfo::name a name like log_bias",
            "the encoding \"Own\": has a name of other characters than a-z, 0-9 and _; give "
            "EncodingInfo::name a name like log_bias",
            "\"own.mistake\" of two: may be the key of something else; name it two.own.mistake",
            "three: acts on nothing; inherit InputTerm, QkTransform, ScoreTerms or ValueTerm",
            "\"base\" of four: may be the key of something else; name it four.base"});
}

TEST_CASE("It stands behind those of the library, with the doors of its type") {
  const EncodingEntry& own = encoding_catalogue().back();
  CHECK(own.info.name == "own");
  CHECK(encoding_catalogue()[encoding_catalogue().size() - 2].info.name == "axis_rope");
  CHECK(own.registered);
  CHECK(own.doors == std::vector<Door>{Door::score_terms});
  CHECK_FALSE(find_encoding("rope").registered);
  CHECK(encoding_choices().back().name == "own");
  CHECK(refusal([] { register_encodings({changed("late", "late.mistake")}); }) ==
        "late: is registered after the catalogue was read; register encodings before anything "
        "else is asked of the library");
}

TEST_CASE("verify holds it to the laws of all encodings, and names what it breaks") {
  SilentProgress progress;
  std::map<std::string, std::set<std::string>> laws, broken;  // by mistake
  for (const Claim& claim : verify_paper({.draws = 1}, progress)) {
    if (claim.source != "Own") continue;
    std::string mistake = "none", law = claim.base_name.substr(4);
    const std::string choice = "own.mistake=";
    if (law.starts_with(choice)) {
      const std::size_t end = law.find('_', choice.size());
      mistake = law.substr(choice.size(), end - choice.size());
      law = law.substr(end + 1);
    }
    INFO(claim.check.name << ": " << claim.check.measured);
    laws[mistake].insert(law);
    if (!claim.check.holds()) broken[mistake].insert(law);
  }
  const std::set<std::string> all{"shift",        "weights_shift", "steps",     "order",
                                  "output_alone", "precision",     "derivative"};
  CHECK(laws.size() == 7);
  for (const auto& [mistake, found] : laws) CHECK(found == all);
  CHECK(broken ==
        std::map<std::string, std::set<std::string>>{{"derivative", {"derivative"}},
                                                     {"shift", {"shift", "weights_shift"}},
                                                     {"factors", {"output_alone"}},
                                                     {"precision", {"precision"}},
                                                     {"steps", {"steps"}},
                                                     {"order", {"order"}}});
}
