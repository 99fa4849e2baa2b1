#include "experiments/heads/corpus_means.h"

#include <set>
#include <utility>

#include "core/errors.h"

namespace orrery {
namespace {

std::set<HeadPlace> replaced_heads(const std::vector<Edit>& edits, int heads) {
  std::set<HeadPlace> places;
  for (const Edit& edit : edits)
    if (edit.kind == EditKind::corpus_mean) places.merge(single_heads(edit.heads, heads));
  return places;
}

}  // namespace

template <class T>
std::map<HeadPlace, Matrix<T>> corpus_means(ModelRun<T>& run, const std::vector<Edit>& edits,
                                            const std::vector<ModelText>& corpus) {
  const std::set<HeadPlace> places = replaced_heads(edits, run.head_count());
  if (places.empty()) return {};
  if (corpus.empty())
    throw UsageError("an edit corpus_mean", "needs a corpus, over which outputs are averaged",
                     "give it with corpus=FILE");
  std::map<HeadPlace, Matrix<double>> sums;
  double tokens = 0;
  const Probe<T> probe{.wants =
                           [&](const Site& site) {
                             return site.quantity == Quantity::head_output && !site.of_memory &&
                                    places.count({site.layer, site.head}) == 1;
                           },
                       .see =
                           [&](const Site& site, Index, const MatrixIn<T>& rows) {
                             Matrix<double>& sum = sums[{site.layer, site.head}];
                             if (sum.size() == 0) sum = Matrix<double>::Zero(1, rows.cols());
                             sum += rows.template cast<double>().colwise().sum();
                           }};
  for (const ModelText& text : corpus) {
    run.pass(text.tokens, {.probe = probe});
    tokens += static_cast<double>(text.tokens.size());
  }
  std::map<HeadPlace, Matrix<T>> means;
  for (const auto& [place, sum] : sums) means[place] = (sum / tokens).template cast<T>();
  return means;
}

template std::map<HeadPlace, Matrix<float>> corpus_means(ModelRun<float>&, const std::vector<Edit>&,
                                                         const std::vector<ModelText>&);
template std::map<HeadPlace, Matrix<double>> corpus_means(ModelRun<double>&,
                                                          const std::vector<Edit>&,
                                                          const std::vector<ModelText>&);

}  // namespace orrery
