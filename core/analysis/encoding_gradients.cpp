#include "core/analysis/encoding_gradients.h"

#include "core/attention/content.h"
#include "core/product.h"

namespace orrery {
namespace {

template <class T>
Matrix<T> content_at(const Tables& point, const char* name) {
  return point.at(name).cast<T>();
}

template <class T>
double inner_product(const Matrix<double>& a, const Matrix<T>& b) {
  return a.cwiseProduct(b.template cast<double>()).sum();
}

/// ∂loss by the logits' contents, x among them where gates read it; tables in `d`.
template <class T>
void add_logit_gradients(const Encoding& encoding, const GradientScene& scene,
                         const GradientContents<T>& at, Matrix<T>& d_x, Tables& d) {
  GradientContents<T> turned = at;
  const auto* turn = dynamic_cast<const QkTransform<T>*>(&encoding);
  if (turn) {
    turn->transform_queries(scene.m, turned.q);
    turn->transform_keys(scene.n, turned.k);
  }
  const Matrix<T> d_logits = scene.d_logits.cast<T>();
  Matrix<T> d_q = Matrix<T>::Zero(at.q.rows(), at.q.cols()),
            d_k = Matrix<T>::Zero(at.k.rows(), at.k.cols());
  const ScoreGradients<T> into{.q = d_q, .k = d_k, .x = &d_x, .tables = d};
  if (const auto* scores = dynamic_cast<const ScoreTerms<T>*>(&encoding))
    scores->add_score_gradients(turned.scored(scene), d_logits, into);
  else
    add_content_gradients<T>(turned.scored(scene), 1, d_logits, into);
  if (turn) {
    turn->pull_queries_back(scene.m, at.q, d_q, d);
    turn->pull_keys_back(scene.n, at.k, d_k, d);
  }
  d["q"] = d_q.template cast<double>();
  d["k"] = d_k.template cast<double>();
}

}  // namespace

template <class T>
GradientContents<T>::GradientContents(const Tables& point)
    : x(content_at<T>(point, "x")),
      q(content_at<T>(point, "q")),
      k(content_at<T>(point, "k")),
      v(content_at<T>(point, "v")),
      weights(content_at<T>(point, "weights")) {}

template <class T>
ScoreInputs<T> GradientContents<T>::scored(const GradientScene& scene) const {
  return {.q = q,
          .k = k,
          .m = scene.m,
          .n = scene.n,
          .head = scene.head,
          .scoring = scene.scoring,
          .segments = scene.segments,
          .x = &x};
}

template <class T>
double loss_of(const Encoding& encoding, const GradientScene& scene, const Tables& point) {
  GradientContents<T> at(point);
  if (const auto* turn = dynamic_cast<const QkTransform<T>*>(&encoding)) {
    turn->transform_queries(scene.m, at.q);
    turn->transform_keys(scene.n, at.k);
  }
  Matrix<T> logits = Matrix<T>::Zero(at.q.rows(), at.k.rows());
  if (const auto* scores = dynamic_cast<const ScoreTerms<T>*>(&encoding))
    for (const ScoreTerm<T>& term : scores->score_terms(at.scored(scene))) logits += term.logits;
  else
    logits = content_product<T>(at.scored(scene), 1);
  Matrix<T> output = product<T>(at.weights, at.v);
  if (const auto* values = dynamic_cast<const ValueTerm<T>*>(&encoding))
    values->add_to_output({at.weights, at.v, scene.m, scene.n}, output);
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(&encoding))
    input->add_to_input(scene.n, at.x);
  return inner_product(scene.d_input, at.x) + inner_product(scene.d_logits, logits) +
         inner_product(scene.d_output, output);
}

template <class T>
Tables gradients_of(const Encoding& encoding, const GradientScene& scene, const Tables& point) {
  const GradientContents<T> at(point);
  Tables d;
  Matrix<T> d_x = scene.d_input.cast<T>();
  if (const auto* input = dynamic_cast<const InputTerm<T>*>(&encoding))
    input->add_input_gradients(scene.n, d_x, d);
  add_logit_gradients(encoding, scene, at, d_x, d);
  const Matrix<T> d_output = scene.d_output.cast<T>();
  Matrix<T> d_weights = product_with_transpose<T>(d_output, at.v),
            d_v = transposed_product<T>(at.weights, d_output);
  if (const auto* values = dynamic_cast<const ValueTerm<T>*>(&encoding))
    values->add_value_gradients({at.weights, at.v, scene.m, scene.n}, d_output, d_weights, d_v, d);
  d["x"] = d_x.template cast<double>();
  d["weights"] = d_weights.template cast<double>();
  d["v"] = d_v.template cast<double>();
  return d;
}

template struct GradientContents<float>;
template struct GradientContents<double>;
template double loss_of<float>(const Encoding&, const GradientScene&, const Tables&);
template double loss_of<double>(const Encoding&, const GradientScene&, const Tables&);
template Tables gradients_of<float>(const Encoding&, const GradientScene&, const Tables&);
template Tables gradients_of<double>(const Encoding&, const GradientScene&, const Tables&);

}  // namespace orrery
