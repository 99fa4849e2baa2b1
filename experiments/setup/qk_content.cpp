#include "experiments/setup/qk_content.h"

namespace orrery::setup {

std::vector<Choice> qk_content_choices(std::vector<Choice> others) {
  std::vector<Choice> choices{
      {"ones", "$q = k = (1, …, 1)$"},
      {"equal", "$q = k$, standard normal: a token that attends to itself"},
      {"random", "$q$ and $k$ independent standard normals: no decay on average"}};
  for (Choice& other : others) choices.push_back(std::move(other));
  return choices;
}

std::vector<QkPair> qk_pairs(const std::string& content, Index d, std::int64_t draws,
                             Random& random) {
  const Matrix<double> ones = Matrix<double>::Ones(1, d);
  if (content == "ones") return {{ones, ones}};
  std::vector<QkPair> pairs;
  for (std::int64_t i = 0; i < draws; ++i) {
    const Matrix<double> q = normal_matrix<double>(random, 1, d);
    pairs.push_back({q, content == "equal" ? q : normal_matrix<double>(random, 1, d)});
  }
  return pairs;
}

}  // namespace orrery::setup
