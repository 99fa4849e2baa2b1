#include "experiments/tokenizers/gguf_pre_tokenizers.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/model_files/model_tables.h"
#include "experiments/text/printable.h"

namespace orrery {

std::span<const GgufPreTokenizer> gguf_pre_tokenizers() {
  using P = GgufPreTokenizer;
  static const std::vector<P> all =
      table_rows<P>("gguf_pre_tokenizers.json", "pre_tokenizers",
                    {{"name", table_value(&P::name)},
                     {"expressions",
                      [](P& pre, const nlohmann::ordered_json& list) {
                        for (const auto& one : list)
                          pre.expressions.push_back(one.get_ref<const std::string&>());
                      }},
                     {"ignore_merges", table_value(&P::ignore_merges)},
                     {"add_bos", table_value(&P::add_bos)}});
  return all;
}

const GgufPreTokenizer& gguf_pre_tokenizer(std::string_view pre, std::string_view file) {
  for (const GgufPreTokenizer& each : gguf_pre_tokenizers())
    if (each.name == pre) return each;
  throw DataError(file, fmt::format("has the pre-tokenizer {}, which is not known", in_quotes(pre)),
                  "give the model's tokenizer.json instead");
}

}  // namespace orrery
