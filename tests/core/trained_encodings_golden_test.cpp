// Attention with every trained encoding, term by term, against tests/golden/generate_encodings.py.
#include <catch2/catch.hpp>

#include "core/attention/head.h"
#include "core/encodings/deberta.h"
#include "core/encodings/learned.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

struct File {
  nlohmann::json json = golden("encodings.json");
  Positions at = json.at("positions").get<Positions>();
  int head = json.at("head").get<int>();

  template <class T>
  Matrix<T> input(const std::string& name) const {
    return matrix_of<T>(json.at("inputs").at(name));
  }
};

template <class T>
void check_output(const AttentionOutput<T>& out, const nlohmann::json& expected, const char* mask,
                  double tolerance) {
  for (const ScoreTerm<T>& term : out.terms) {
    INFO(term.name);
    CHECK(largest_difference(term.logits, matrix_of<T>(expected.at("terms").at(
                                              std::string(term.name)))) < tolerance);
  }
  CHECK(out.terms.size() == expected.at("terms").size());
  CHECK(largest_difference(out.logits, matrix_of<T>(expected.at("logits"))) < tolerance);
  const auto& seen = expected.at(mask);
  CHECK(largest_difference(out.weights, matrix_of<T>(seen.at("weights"))) < tolerance);
  CHECK(largest_difference(out.output, matrix_of<T>(seen.at("output"))) < tolerance);
}

template <class T>
void check_case(const File& file, const std::string& name, const Encoding& encoding) {
  INFO(name);
  const double tolerance = sizeof(T) == 8 ? 3e-14 : 2e-5;
  const auto& expected = file.json.at("cases").at(name);
  const Matrix<T> q = file.input<T>("q"), k = file.input<T>("k"), v = file.input<T>("v");
  const AttentionInputs<T> in{q, k, v, file.at, file.at, file.head};
  check_output(attention_from_qkv<T>(encoding, in), expected, "full", tolerance);
  check_output(attention_from_qkv<T>(encoding, in, Mask::causal(file.at, file.at)), expected,
               "causal", tolerance);
}

template <class T>
void check_learned(const File& file) {
  const Projections<T> w{file.input<T>("W_q"), file.input<T>("W_k"), file.input<T>("W_v")};
  const Matrix<T> x = file.input<T>("x");
  const Learned<T> learned(file.input<T>("learned.table"));
  const auto out = attention_head<T>(learned, w, {x, x, file.at, file.at});
  check_output(out, file.json.at("cases").at("learned"), "full", sizeof(T) == 8 ? 1e-13 : 1e-4);
}

}  // namespace

TEMPLATE_TEST_CASE("Trained encodings equal their papers' formulas, term by term", "", float,
                   double) {
  using T = TestType;
  const File file;
  const auto table = [&](const char* name) { return file.input<T>(name); };
  check_learned<T>(file);
  check_case<T>(file, "shaw keys_and_values",
                Shaw<T>(table("shaw.key_table"), table("shaw.value_table")));
  check_case<T>(file, "shaw keys_only", Shaw<T>(table("shaw.key_table"), {}));
  check_case<T>(file, "shaw tied", Shaw<T>(table("shaw.key_table"), table("shaw.key_table")));
  check_case<T>(file, "transformer_xl",
                TransformerXl<T>({table("transformer_xl.u"), table("transformer_xl.v"),
                                  table("transformer_xl.W_kR")},
                                 10000.0));
  check_case<T>(file, "transformer_xl printed",
                TransformerXl<T>(TransformerXl<T>::behind_W_q({table("transformer_xl.u_contents"),
                                                               table("transformer_xl.v_contents"),
                                                               table("transformer_xl.W_kR")},
                                                              table("transformer_xl.W_q")),
                                 10000.0));
  check_case<T>(file, "t5 bidirectional", T5<T>({}, table("t5.table")));
  check_case<T>(file, "t5 causal", T5<T>({.bidirectional = false}, table("t5.table")));
  check_case<T>(file, "t5 small",
                T5<T>({.buckets = 8, .max_distance = 20}, table("t5.table_small")));
  const auto tupe = [&](bool untied, bool bias) {
    return Tupe<T>(
        {table("tupe.table"), table("tupe.U_q"), table("tupe.U_k"), table("tupe.bias_table")},
        {untied, bias, TupeVariant::released});
  };
  check_case<T>(file, "tupe untied bias", tupe(true, true));
  check_case<T>(file, "tupe tied bias", tupe(false, true));
  check_case<T>(file, "tupe untied", tupe(true, false));
  const auto deberta = [&](const char* rows, DebertaOptions options) {
    return Deberta<T>({table(rows), table("deberta.W_qr"), table("deberta.W_kr"), 4}, options);
  };
  const DebertaOptions v1{.span = 3};
  const DebertaOptions v2{.span = 4, .log_buckets = true, .max_distance = 8};
  const auto as_code = [](DebertaOptions options) {
    options.index = DebertaIndex::code;
    return options;
  };
  check_case<T>(file, "deberta v1 paper", deberta("deberta.table", v1));
  check_case<T>(file, "deberta v1 code", deberta("deberta.table", as_code(v1)));
  check_case<T>(file, "deberta v2 paper", deberta("deberta.table_v2", v2));
  check_case<T>(file, "deberta v2 code", deberta("deberta.table_v2", as_code(v2)));
  DebertaOptions microsoft = as_code(v2);
  microsoft.clamp = DebertaClamp::first;
  check_case<T>(file, "deberta v2 microsoft", deberta("deberta.table_v2", microsoft));
  check_case<T>(file, "deberta v1 c2p",
                deberta("deberta.table", {.span = 3, .terms = DebertaTerms::content_to_position}));
  check_case<T>(file, "deberta v1 p2c",
                deberta("deberta.table", {.span = 3, .terms = DebertaTerms::position_to_content}));
}

TEST_CASE("T5's buckets equal the authors' for every distance to 600") {
  const File file;
  for (const auto& c : file.json.at("t5_buckets")) {
    const T5Buckets config{c.at("buckets").get<int>(), c.at("max_distance").get<Position>(),
                           c.at("bidirectional").get<bool>()};
    const auto& expected = c.at("of_r_from_minus_600");
    for (Position r = -600; r <= 600; ++r)
      CHECK(t5_bucket(r, config) == expected.at(static_cast<std::size_t>(r + 600)).get<Index>());
  }
}

TEST_CASE("DeBERTa v2's buckets equal the released ones for every distance to 700") {
  const File file;
  const auto& expected = file.json.at("deberta_buckets_of_r_from_minus_700");
  for (Position r = -700; r <= 700; ++r)
    CHECK(deberta_bucket(r, 256, 512) ==
          expected.at(static_cast<std::size_t>(r + 700)).get<Position>());
}

TEST_CASE("Microsoft and Hugging Face give other rows for keys 512 or more ahead, and only there") {
  const File file;
  const auto& rows = file.json.at("deberta_rows_of_r_from_minus_700");
  const auto row = [](Position r, DebertaClamp clamp) {
    return deberta_delta(deberta_bucket(r, 256, 512, clamp), 256);
  };
  for (Position r = -700; r <= 700; ++r) {
    const auto at = static_cast<std::size_t>(r + 700);
    CHECK(row(r, DebertaClamp::none) == rows.at("hugging_face").at(at).get<Index>());
    CHECK(row(r, DebertaClamp::first) == rows.at("microsoft").at(at).get<Index>());
    CHECK((row(r, DebertaClamp::none) != row(r, DebertaClamp::first)) == (r <= -512));
  }
  CHECK(row(-512, DebertaClamp::none) == 0);
  CHECK(row(-512, DebertaClamp::first) == 1);
}
