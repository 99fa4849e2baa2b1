#include "core/transformer/pass_edits.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/encodings/alibi.h"
#include "core/encodings/rope.h"
#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

TransformerDesign small_design() {
  TransformerDesign design;
  design.layers.resize(4);
  design.attention = {.heads = 2, .kv_heads = 1, .d_head = 8, .d_value = 8};
  return design;
}

RopeConvention small_convention() {
  return completed({.d_head = 8, .pairing = RopePairing::half_split, .base = 1e5});
}

std::shared_ptr<const Encoding> small_rope() {
  return std::make_shared<Rope<double>>(small_convention());
}

const Rope<double>& as_rope(const std::shared_ptr<const Encoding>& encoding) {
  return dynamic_cast<const Rope<double>&>(*encoding);
}

/// The edits of a pass, alive as long as their texts.
struct Edited {
  PassEdits<double> edits{};
  TransformerDesign design{small_design()};
  ActiveEdits<double> active;

  explicit Edited(const std::vector<std::string>& texts, TransformerDesign of = small_design())
      : edits(parsed(texts)), design(std::move(of)), active(&edits, design) {}

  static PassEdits<double> parsed(const std::vector<std::string>& texts) {
    PassEdits<double> edits{.list = parse_edits(texts)};
    for (const int layer : {0, 1, 2, 3}) edits.ropes.conventions[layer] = small_convention();
    edits.ropes.make = [](int, const RopeConvention& rope) {
      return std::make_shared<Rope<double>>(rope);
    };
    return edits;
  }
};

}  // namespace

TEST_CASE("An edit's text reads back as the same edit") {
  for (const char* text : {"base:10000@3..5",
                           "pairing:half_split",
                           "scaling:linear",
                           "factor:4",
                           "sign",
                           "still:0..3@2",
                           "mute:7",
                           "positions:shift=-1000",
                           "positions:compress=4",
                           "positions:group=2@0+2..3",
                           "no_position@0..3",
                           "window:64",
                           "scale:0.125",
                           "softcap:50",
                           "adds_one:yes",
                           "adds_one:0.75@2",
                           "defect:base_lost",
                           "zero:16.0+11.1",
                           "mean:16",
                           "corpus_mean:1.2"}) {
    CAPTURE(text);
    const Edit edit = parse_edit(text);
    CHECK(edit_text(edit) == text);
    CHECK(parse_edit(edit_text(edit)) == edit);
  }
  CHECK(edit_text(parse_edit("rope.pairing:half_split")) == "pairing:half_split");
  CHECK(edit_text(parse_edit("zero:3..4")) == "zero:3+4");
  CHECK(edit_text(parse_edit("still:3+0+1+2")) == "still:0..3");
  for (const EditForm& form : edit_forms()) {
    CHECK_FALSE(form.form.empty());
    CHECK_FALSE(form.description.empty());
  }
}

TEST_CASE("What is no edit is refused with its remedy") {
  const auto refused = [](const char* text, const char* message) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_edit(text), UsageError);
    CHECK_THROWS_WITH(parse_edit(text), Contains(message));
  };
  refused("bse:10000", "did you mean base?");
  refused("positions:shfit=3", "positions:shift");
  refused("base:-1", "base");
  refused("base:many", "many");
  refused("pairing:halfsplit", "half_split");
  refused("sign:1", "takes no value");
  refused("still", "needs a value");
  refused("still:a", "pair \"a\"");
  refused("still:5..2", "ends before it begins");
  refused("zero:16.x", "head \"x\"");
  refused("zero:16.0@2", "leave out the @");
  refused("softcap:50@1", "leave out the @");
  refused("window:-3", "from 0 on");
  refused("window:2.5", "whole number");
  refused("positions:compress=0", "from 1 on");
  refused("scale:inf", "needs a number");
  refused("adds_one:maybe", "neither yes, no nor a number");
  refused("adds_one:nan", "neither yes, no nor a number");
  refused("base:10000@99999999999", "layer");
  refused("", "is not an edit");
  refused("base=500", "did you mean base:500?");
}

TEST_CASE("Edits of RoPE act in their layers, one after the other") {
  Edited edited({"base:10000@1", "pairing:interleaved", "sign@3"});
  const auto own = small_rope();
  const auto of = [&](int layer) {
    return as_rope(edited.active.encoding(layer, own)).convention();
  };
  CHECK(of(0).base == 1e5);
  CHECK(of(1).base == 1e4);
  CHECK(of(0).pairing == RopePairing::interleaved);
  CHECK_FALSE(of(0).clockwise);
  CHECK(of(3).clockwise);
  edited.active.require_all_applied();
  Edited none({"base:10000@1"});
  CHECK(none.active.encoding(0, own) == own);
}

TEST_CASE("Positions divided by s are frequencies divided by s, whatever the scaling") {
  const auto own = small_rope();
  Edited plain({"positions:compress=4"});
  const auto& theta = as_rope(own).theta();
  const auto check_quarter = [&](const std::vector<double>& changed,
                                 const std::vector<double>& of) {
    REQUIRE(changed.size() == of.size());
    for (std::size_t t = 0; t < of.size(); ++t)
      CHECK(changed[t] == Approx(of[t] / 4).epsilon(1e-14));
  };
  check_quarter(as_rope(plain.active.encoding(0, own)).theta(), theta);
  RopeConvention yarn = as_rope(own).convention();
  yarn.scaling = {.kind = RopeScalingKind::yarn, .factor = 8, .original_length = 64};
  const auto scaled = std::make_shared<Rope<double>>(yarn);
  plain.edits.ropes.conventions[0] = yarn;
  const auto changed = plain.active.encoding(0, scaled);
  check_quarter(as_rope(changed).theta(), scaled->theta());
  CHECK(as_rope(changed).attention_factor() == Approx(scaled->attention_factor()));
}

TEST_CASE("Positions are shifted, shared or left out, where an encoding reads them") {
  const Positions at{0, 1, 2, 3, 100};
  Edited edited({"positions:shift=7@1", "no_position@2", "positions:group=2@3"});
  CHECK(edited.active.positions(0, at, true) == at);
  CHECK(edited.active.positions(1, at, true) == Positions{7, 8, 9, 10, 107});
  CHECK(edited.active.positions(2, at, true) == Positions(5, 0));
  CHECK(edited.active.positions(3, at, true) == Positions{0, 0, 1, 1, 50});
  CHECK(edited.active.embedding_positions(at) == at);
  edited.active.require_all_applied();
  Edited all({"positions:shift=7"});
  CHECK(all.active.positions(0, at, false) == at);
  CHECK_THROWS_WITH(all.active.require_all_applied(), Contains("changes nothing"));
  CHECK(all.active.embedding_positions(at).back() == 107);
  all.active.require_all_applied();
  Edited below({"positions:group=4"});
  CHECK(below.active.positions(0, Positions{-5, -4, -1, 0}, true) == Positions{-2, -1, -1, 0});
}

TEST_CASE("Still pairs keep q and k, muted ones give nothing") {
  Edited edited({"still:1", "mute:3@0"});
  const TurningPairs pairs = small_rope()->turning_pairs();
  const Matrix<double> before = Matrix<double>::Constant(3, 8, 2.0);
  Matrix<double> turned = Matrix<double>::Constant(3, 8, 5.0);
  edited.active.change_pairs(0, pairs, before, turned);
  Matrix<double> expected = Matrix<double>::Constant(3, 8, 5.0);
  for (const Index channel : {1, 5}) expected.col(channel).setConstant(2);
  for (const Index channel : {3, 7}) expected.col(channel).setZero();
  CHECK(turned == expected);
  Edited beyond({"still:4"});
  CHECK_THROWS_WITH(beyond.active.change_pairs(0, pairs, before, turned), Contains("has 4 pairs"));
}

TEST_CASE("Heads are ablated where they are named: by zero, their mean, or another's") {
  PassEdits<double> edits = Edited::parsed({"zero:1.0", "mean:2", "corpus_mean:3.1"});
  edits.corpus_means[{3, 1}] = Matrix<double>::Constant(1, 2, 9.0);
  const TransformerDesign design = small_design();
  ActiveEdits<double> active(&edits, design);
  Matrix<double> rows(2, 2);
  rows << 1, 2, 3, 6;
  const auto changed = [&](int layer, int head) {
    Matrix<double> out = rows;
    active.change({Quantity::head_output, layer, head}, out);
    return out;
  };
  CHECK(changed(0, 0) == rows);
  CHECK(changed(1, 1) == rows);
  CHECK(changed(1, 0) == Matrix<double>::Zero(2, 2));
  Matrix<double> mean(2, 2);
  mean << 2, 4, 2, 4;
  CHECK(changed(2, 0) == mean);
  CHECK(changed(2, 1) == mean);
  CHECK(changed(3, 1) == Matrix<double>::Constant(2, 2, 9.0));
  Matrix<double> attention = rows;
  active.change({Quantity::attention, 1, 0}, attention);
  CHECK(attention == rows);
}

TEST_CASE("A patch replaces the rows of its tokens") {
  PassEdits<double> edits;
  edits.patches.push_back(
      {.site = {Quantity::hidden, 2}, .tokens = {1}, .rows = Matrix<double>::Constant(1, 3, 4.0)});
  ActiveEdits<double> active(&edits, small_design());
  Matrix<double> x = Matrix<double>::Zero(2, 3);
  active.change({Quantity::hidden, 1}, x);
  CHECK(x == Matrix<double>::Zero(2, 3));
  active.change({Quantity::hidden, 2}, x);
  CHECK(x.row(0).norm() == 0);
  CHECK(x.row(1) == Matrix<double>::Constant(1, 3, 4.0).row(0));
  Matrix<double> shorter = Matrix<double>::Zero(1, 3);
  CHECK_THROWS_WITH(active.change({Quantity::hidden, 2}, shorter), Contains("a patch of token 1"));
  edits.patches.front().site.quantity = Quantity::weights;
  CHECK_THROWS_WITH(ActiveEdits<double>(&edits, small_design()), Contains("a patch"));
}

TEST_CASE("Edits of what a model does not have are refused") {
  CHECK_THROWS_WITH(Edited({"window:4@4"}), Contains("layer 4") && Contains("0 to 3"));
  CHECK_THROWS_WITH(Edited({"zero:0.2"}), Contains("head 0.2"));
  CHECK_THROWS_WITH(Edited({"defect:base_lost"}), Contains("turns q and k"));
  const std::shared_ptr<const Encoding> alibi = std::make_shared<Alibi<double>>(2, AlibiOptions{});
  Edited named({"base:10000@0"}), unnamed({"base:10000"});
  for (Edited* edited : {&named, &unnamed}) edited->edits.ropes.conventions.clear();
  CHECK_THROWS_WITH(named.active.encoding(0, alibi), Contains("layer 0 does not have"));
  CHECK(unnamed.active.encoding(0, alibi) == alibi);
  CHECK_THROWS_WITH(unnamed.active.require_all_applied(), Contains("changes nothing"));
}

TEST_CASE("The design takes windows, scales, softcaps and norms, and twice is once") {
  const std::vector<Edit> edits =
      parse_edits({"window:5@1", "scale:0.2@2", "softcap:9", "adds_one:yes"});
  const TransformerDesign once = edited_design(small_design(), edits);
  for (const TransformerDesign& design : {once, edited_design(once, edits)}) {
    CHECK(design.layers[0].window == 0);
    CHECK(design.layers[1].window == 5);
    CHECK_FALSE(design.layers[1].scale);
    CHECK(design.layers[2].scale == 0.2);
    CHECK(design.attention.softcap == 9);
    CHECK(design.norm.added == 1);
  }
}

TEST_CASE("The first edited layer is where the residual stream begins to differ") {
  const auto first = [](const std::vector<std::string>& texts) {
    return first_edited_layer(parse_edits(texts), 4);
  };
  CHECK(first({}) == 4);
  CHECK(first({"base:10000"}) == 0);
  CHECK(first({"base:10000@3", "zero:2.1"}) == 2);
  CHECK(first({"positions:shift=3@1"}) == 1);
}
