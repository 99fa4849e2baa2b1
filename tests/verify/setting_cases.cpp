// What the paper's encodings give under settings: parameters, and tables by name.
#include "tests/verify/setting_cases.h"

#include <algorithm>

#include "core/encodings/catalogue.h"
#include "experiments/verify/cases.h"

namespace orrery::test {
namespace {
namespace in_setting_cases {

constexpr Index d = setting_d, d_model = setting_d_model;
constexpr int heads = setting_heads;
constexpr Index width = heads * d;

// --- Shaw --------------------------------------------------------------------------------------

void add_shaw(std::vector<Setting>& all) {
  const double deviation = std::sqrt(2.0 / (33 + d)), of_eight = std::sqrt(2.0 / (8 + d));
  const TableShape keys{"shaw.key_table", 33, d, deviation},
      values{"shaw.value_table", 33, d, deviation};
  const auto by_default = [](const literal::Head& head, int, const Given& t) {
    return literal::shaw(head, t.at("shaw.key_table"), literal::clipped(16));
  };
  const auto plain_output = [](const literal::Head& head, const Rows& weights, const Given&) {
    return literal::product(weights, head.v);
  };
  all.push_back({"Shaw: clip 16, two tables",
                 "shaw",
                 {},
                 {keys, values},
                 by_default,
                 [](const literal::Head& head, const Rows& weights, const Given& t) {
                   return literal::shaw_output(head, weights, t.at("shaw.value_table"),
                                               literal::clipped(16));
                 }});
  all.push_back({"Shaw: one table for both",
                 "shaw",
                 {{"shaw.variant", "tied"}},
                 {keys},
                 by_default,
                 [](const literal::Head& head, const Rows& weights, const Given& t) {
                   return literal::shaw_output(head, weights, t.at("shaw.key_table"),
                                               literal::clipped(16));
                 }});
  all.push_back({"Shaw: no table of values",
                 "shaw",
                 {{"shaw.variant", "keys_only"}},
                 {keys},
                 by_default,
                 plain_output});
  all.push_back({"Shaw: of queries and keys, rows from ahead",
                 "shaw",
                 {{"shaw.clip", "5"},
                  {"shaw.clip_ahead", "2"},
                  {"shaw.rows", "query_minus_key"},
                  {"shaw.variant", "queries_and_keys"}},
                 {{"shaw.key_table", 8, d, of_eight}},
                 [](const literal::Head& head, int, const Given& t) {
                   return literal::shaw(head, t.at("shaw.key_table"), {5, 2, true, true});
                 },
                 plain_output});
  all.push_back({"Shaw: no row ahead of the query",
                 "shaw",
                 {{"shaw.clip", "7"}, {"shaw.clip_ahead", "0"}, {"shaw.variant", "keys_only"}},
                 {{"shaw.key_table", 8, d, of_eight}},
                 [](const literal::Head& head, int, const Given& t) {
                   return literal::shaw(head, t.at("shaw.key_table"), {7, 0});
                 },
                 plain_output});
}

// --- Transformer-XL ----------------------------------------------------------------------------

Rows row_of(const Given& tables, const char* name, Index row) { return tables.at(name).row(row); }

literal::Terms transformer_xl_terms(const literal::Head& head, int h, const Given& t, double base) {
  return literal::transformer_xl(head, row_of(t, "transformer_xl.u", h),
                                 row_of(t, "transformer_xl.v", h),
                                 literal::head_columns(t.at("transformer_xl.W_kR"), h, d), base);
}

/// With RoFormer's u and v behind W_q.
literal::Terms printed_xl_terms(literal::Head head, int h, const Given& t, double base,
                                Position clamp_len) {
  const Rows W_q = literal::head_columns(t.at("transformer_xl.W_q"), h, d);
  const Rows u = literal::product(row_of(t, "transformer_xl.u", h), W_q),
             v = literal::product(row_of(t, "transformer_xl.v", h), W_q);
  const Rows W_kR = literal::head_columns(t.at("transformer_xl.W_kR"), h, d);
  literal::Terms out = literal::transformer_xl(head, u, v, W_kR, base);
  for (Index i = 0; i < head.q.rows(); ++i)
    for (Index j = 0; j < head.k.rows(); ++j) {
      const Position r = std::clamp(head.r(i, j), -clamp_len, clamp_len);
      const auto one = literal::transformer_xl(
          {head.q.row(i), head.k.row(j), head.v.row(j), {r}, {0}}, u, v, W_kR, base);
      for (std::size_t term = 0; term < out.size(); ++term)
        out[term].logits(i, j) = one[term].logits(0, 0);
    }
  return out;
}

void add_transformer_xl(std::vector<Setting>& all) {
  const double angle = averaged_angle_bound(1000, d_model);
  const TableShape W_kR{"transformer_xl.W_kR", d_model, width, 0.02};
  const std::vector<TableShape> tables{{"transformer_xl.u", heads, d, 0.02},
                                       {"transformer_xl.v", heads, d, 0.02},
                                       W_kR,
                                       {"transformer_xl.s", heads, d, 0.02},
                                       {"transformer_xl.segment_table", 2, width, 0.02}};
  all.push_back(
      {.label = "Transformer-XL: base 10000",
       .encoding = "transformer_xl",
       .tables = tables,
       .terms = [](const literal::Head& head, int h,
                   const Given& t) { return transformer_xl_terms(head, h, t, paper_base); },
       .angle = angle});
  all.push_back({.label = "Conformers: sines and cosines in turns",
                 .encoding = "transformer_xl",
                 .words = {{"transformer_xl.layout", "interleaved"}},
                 .tables = tables,
                 .terms =
                     [](const literal::Head& head, int h, const Given& t) {
                       // Row t of the sines is row 2t, row t of the cosines row 2t + 1.
                       const Rows& given = t.at("transformer_xl.W_kR");
                       Given sorted = t;
                       Rows& W = sorted.at("transformer_xl.W_kR");
                       for (Index i = 0; i < given.rows(); ++i)
                         W.row(i / 2 + i % 2 * (given.rows() / 2)) = given.row(i);
                       return transformer_xl_terms(head, h, sorted, paper_base);
                     },
                 .angle = angle});
  const literal::Ids of_queries{1, 1, 2, 1, 2}, of_keys{1, 2, 2, 1, 1, 3, 1, 2, 2};
  all.push_back({.label = "XLNet: g_0 within a segment",
                 .encoding = "transformer_xl",
                 .tables = tables,
                 .terms =
                     [=](const literal::Head& head, int h, const Given& t) {
                       literal::Terms terms = transformer_xl_terms(head, h, t, paper_base);
                       terms.push_back(literal::segment(
                           head, row_of(t, "transformer_xl.s", h),
                           literal::head_columns(t.at("transformer_xl.segment_table"), h, d),
                           of_queries, of_keys));
                       return terms;
                     },
                 .query_segments = of_queries,
                 .key_segments = of_keys,
                 .angle = angle});
  all.push_back({.label = "RoFormer's u and v, base 500, ±100",
                 .encoding = "transformer_xl",
                 .words = {{"transformer_xl.biases", "roformer"},
                           {"transformer_xl.clamp_len", "100"},
                           {"base", "500"}},
                 .tables = {{"transformer_xl.u", heads, d_model, 0.02},
                            {"transformer_xl.v", heads, d_model, 0.02},
                            W_kR,
                            {"transformer_xl.W_q", d_model, width, 0.02}},
                 .terms = [](const literal::Head& head, int h,
                             const Given& t) { return printed_xl_terms(head, h, t, 500, 100); },
                 .angle = angle});
}

// --- T5 ----------------------------------------------------------------------------------------

void add_t5(std::vector<Setting>& all) {
  const auto setting = [&](const std::string& label, Words words, const literal::T5Shape& shape) {
    all.push_back({label,
                   "t5",
                   std::move(words),
                   {{"t5.table", shape.buckets, heads, 1 / std::sqrt(double{d_model})}},
                   [=](const literal::Head& head, int h, const Given& t) {
                     return literal::t5(head, t.at("t5.table").col(h), shape);
                   }});
  };
  setting("T5: 32 buckets to 128, of either side", {}, {});
  setting("T5: 16 buckets to 40, causal",
          {{"t5.buckets", "16"}, {"t5.max_distance", "40"}, {"t5.bidirectional", "false"}},
          {.buckets = 16, .max_distance = 40, .bidirectional = false});
  setting("T5: 4 buckets to 9", {{"t5.buckets", "4"}, {"t5.max_distance", "9"}},
          {.buckets = 4, .max_distance = 9});
}

// --- TUPE --------------------------------------------------------------------------------------

std::vector<TableShape> tupe_tables(bool released, bool theta) {
  std::vector<TableShape> tables{
      {"tupe.table", released ? 513 : 512, d_model, released ? 0.02 : 1.0},
      {"tupe.U_q", d_model, width, 0.02},
      {"tupe.U_k", d_model, width, 0.02},
      {"tupe.bias_table", released ? 33 : 32, heads, 0.02}};
  if (theta) tables.push_back({"tupe.theta", 2, heads, 0.02});
  if (released) {
    tables.push_back({"tupe.b_q", 1, width});
    tables.push_back({"tupe.b_k", 1, width});
    tables.push_back({"tupe.norm_gain", 1, d_model, 0, 1});
    tables.push_back({"tupe.norm_bias", 1, d_model});
  }
  return tables;
}

literal::TupeWeights tupe_weights(const Given& t, int h, bool bias) {
  const auto columns = [&](const char* name) -> Rows {
    return t.contains(name) ? Rows(literal::head_columns(t.at(name), h, d)) : Rows::Zero(1, d);
  };
  return {literal::head_columns(t.at("tupe.U_q"), h, d),
          literal::head_columns(t.at("tupe.U_k"), h, d), columns("tupe.b_q"), columns("tupe.b_k"),
          bias ? Rows(t.at("tupe.bias_table").col(h)) : Rows()};
}

void add_tupe(std::vector<Setting>& all) {
  const auto paper = [&](const std::string& label, const Words& words, bool untied, bool bias) {
    all.push_back({label, "tupe", words, tupe_tables(false, untied),
                   [=](const literal::Head& head, int h, const Given& t) {
                     literal::TupeWeights::Cls cls{untied, 0, 0, -1, -1};
                     if (untied) {
                       cls.theta_1 = t.at("tupe.theta")(0, h);
                       cls.theta_2 = t.at("tupe.theta")(1, h);
                     }
                     const Rows& table = t.at("tupe.table");
                     return literal::tupe(head, literal::rows_at(table, head.m),
                                          literal::rows_at(table, head.n), tupe_weights(t, h, bias),
                                          cls);
                   }});
  };
  paper("TUPE: [CLS] untied", {}, true, true);
  paper("TUPE: [CLS] as any token", {{"tupe.untie_cls", "false"}}, false, true);
  paper("TUPE: no bias", {{"tupe.relative_bias", "false"}}, true, false);
  all.push_back({"TUPE as released",
                 "tupe",
                 {{"tupe.variant", "released"}},
                 tupe_tables(true, false),
                 [](const literal::Head& head, int h, const Given& t) {
                   const Rows all_rows = literal::layer_norm(
                       t.at("tupe.table"), t.at("tupe.norm_gain"), t.at("tupe.norm_bias"));
                   const literal::TupeWeights w = tupe_weights(t, h, true);
                   return literal::tupe(
                       head, literal::rows_at(all_rows, head.m, 1),
                       literal::rows_at(all_rows, head.n, 1), w,
                       {true, literal::tupe_correlation(w, all_rows, 0, all_rows, 0),
                        literal::tupe_correlation(w, all_rows, 1, all_rows, 1), 16, 32});
                 }});
}

// --- DeBERTa -----------------------------------------------------------------------------------

struct DebertaCase {
  Position span{64};
  bool buckets{false}, clamped{false}, normed{false};
  literal::DebertaTables::Form form{literal::DebertaTables::Form::paper};
  bool c2p{true}, p2c{true};
};

literal::Terms deberta_terms(const literal::Head& head, int h, const Given& t,
                             const DebertaCase& c) {
  Rows table = t.at("deberta.table");
  if (c.normed)
    table = literal::layer_norm(table, t.at("deberta.norm_gain"), t.at("deberta.norm_bias"), 1e-7);
  const auto projected = [&](const char* W, const char* b) {
    Rows rows = literal::product(table, literal::head_columns(t.at(W), h, d));
    const Rows added = literal::head_columns(t.at(b), h, d);
    for (Index i = 0; i < rows.rows(); ++i) rows.row(i) += added.row(0);
    return rows;
  };
  return literal::deberta(
      head,
      {projected("deberta.W_kr", "deberta.b_kr"), projected("deberta.W_qr", "deberta.b_qr"),
       [&](Position r) {
         return literal::deberta_delta(
             c.buckets ? literal::deberta_bucket(r, c.span, 300, c.clamped) : r, c.span);
       }},
      c.form, c.c2p, c.p2c);
}

void add_deberta(std::vector<Setting>& all) {
  const auto setting = [&](const std::string& label, Words words, const DebertaCase& c) {
    std::vector<TableShape> tables{{"deberta.table", 2 * c.span, d_model, 0.02},
                                   {"deberta.W_qr", d_model, width, 0.02},
                                   {"deberta.W_kr", d_model, width, 0.02},
                                   {"deberta.b_qr", 1, width},
                                   {"deberta.b_kr", 1, width}};
    if (c.normed) {
      tables.push_back({"deberta.norm_gain", 1, d_model, 0, 1});
      tables.push_back({"deberta.norm_bias", 1, d_model});
    }
    all.push_back({label, "deberta", std::move(words), std::move(tables),
                   [=](const literal::Head& head, int h, const Given& t) {
                     return deberta_terms(head, h, t, c);
                   }});
  };
  setting("DeBERTa: span 64", {}, {});
  setting(
      "DeBERTa v2: buckets, norm",
      {{"deberta.version", "v2"},
       {"deberta.span", "32"},
       {"deberta.max_distance", "300"},
       {"deberta.p2c", "code"},
       {"deberta.norm", "layer_norm"}},
      {.span = 32, .buckets = true, .normed = true, .form = literal::DebertaTables::Form::code});
  setting("DeBERTa v2: Microsoft's clamp, c2p",
          {{"deberta.version", "v2"},
           {"deberta.span", "32"},
           {"deberta.max_distance", "300"},
           {"deberta.clamp", "microsoft"},
           {"deberta.terms", "c2p"}},
          {.span = 32, .buckets = true, .clamped = true, .p2c = false});
  setting("DeBERTa: p2c alone", {{"deberta.terms", "p2c"}, {"deberta.span", "100"}},
          {.span = 100, .c2p = false});
}

// --- what turns, and what is added -------------------------------------------------------------

void add_rope(std::vector<Setting>& all) {
  const auto setting =
      [&](const std::string& label, Words words, const literal::Rotary& rotary,
          std::function<Rows(const literal::Head&, const Rows&, const Given&)> output = {}) {
        all.push_back(
            {.label = label,
             .encoding = "rope",
             .words = std::move(words),
             .terms = [=](const literal::Head& head, int, const Given&) -> literal::Terms {
               return {{"content", literal::scores(literal::turned(head.q, head.m, rotary),
                                                   literal::turned(head.k, head.n, rotary),
                                                   std::sqrt(double{d}))}};
             },
             .output = std::move(output),
             .angle = averaged_angle_bound(1000, d)});
      };
  setting("RoPE: base 10000, neighbours", {}, literal::whole(d));
  setting("RoPE: base 500, halves, 3/4 of d",
          {{"base", "500"}, {"rope.pairing", "half_split"}, {"rope.fraction", "0.75"}},
          {6, 6, 3, 500});
  setting("p-RoPE: half of the frequencies",
          {{"rope.fraction", "0.5"}, {"rope.partial", "proportional"}},
          {d,
           d,
           0,
           paper_base,
           {literal::theta(0, d, paper_base), literal::theta(1, d, paper_base), 0, 0}});
  const auto turned_values = [](bool undone) {
    return [undone](const literal::Head& head, const Rows& weights, const Given&) {
      const Rows sum =
          literal::product(weights, literal::turned(head.v, head.n, literal::whole(d)));
      Positions back = head.m;
      for (Position& m : back) m = -m;
      return undone ? literal::turned(sum, back, literal::whole(d)) : sum;
    };
  };
  setting("RoPE: values turn, too", {{"rope.rotary_value", "rotated"}}, literal::whole(d),
          turned_values(false));
  setting("RoPE: values turn and the output back", {{"rope.rotary_value", "counter_rotated"}},
          literal::whole(d), turned_values(true));
}

void add_inputs(std::vector<Setting>& all) {
  const auto sines = [&](const std::string& label, Words words,
                         std::function<Rows(const Positions&)> p) {
    all.push_back({.label = label,
                   .encoding = "sinusoidal",
                   .words = std::move(words),
                   .added = [p = std::move(p)](const Positions& at, const Given&) { return p(at); },
                   .angle = 2 * angle_bound(1000)});
  };
  sines("sinusoids: base 10000, sines and cosines in turn", {},
        [](const Positions& at) { return literal::sinusoids(at, d_model, paper_base); });
  sines("sinusoids: base 300, all sines first",
        {{"base", "300"}, {"sinusoidal.layout", "concatenated"}},
        [](const Positions& at) { return literal::concatenated_sinusoids(at, d_model, 300); });
  sines("sinusoids: tensor2tensor's", {{"sinusoidal.layout", "tensor2tensor"}},
        [](const Positions& at) {
          return literal::tensor2tensor_sinusoids(at, d_model, paper_base);
        });
  all.push_back({.label = "learned: 512 positions",
                 .encoding = "learned",
                 .tables = {{"learned.table", 512, d_model, 0.02}},
                 .added = [](const Positions& at, const Given& t) {
                   return literal::rows_at(t.at("learned.table"), at);
                 }});
}

}  // namespace in_setting_cases
}  // namespace

ParamSet params_with(const std::string& encoding, const Words& words) {
  ParamSet params(find_encoding(encoding).info.params);
  for (const auto& [key, value] : words) params.set(key, value);
  return params;
}

std::vector<Setting> setting_cases() {
  using namespace in_setting_cases;
  std::vector<Setting> all;
  add_shaw(all);
  add_transformer_xl(all);
  add_t5(all);
  add_tupe(all);
  add_deberta(all);
  add_rope(all);
  add_inputs(all);
  return all;
}

}  // namespace orrery::test
