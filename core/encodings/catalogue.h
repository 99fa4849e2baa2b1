#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/settings.h"

namespace orrery {

/// One encoding as the catalogue knows it. Which doors it uses is read off its type.
struct EncodingEntry {
  EncodingInfo info;
  std::vector<std::string> doors;  ///< "input_term", "qk_transform", "score_terms", "value_term"
  std::unique_ptr<Encoding> (*make_float)(const EncodingSettings&);
  std::unique_ptr<Encoding> (*make_double)(const EncodingSettings&);
};

/// THE list of encodings, in the order people meet them. The place in it is the encoding's colour.
const std::vector<EncodingEntry>& encoding_catalogue();

/// Throws UsageError naming the nearest encoding when there is none such.
const EncodingEntry& find_encoding(std::string_view name);

/// T is float or double. Throws UsageError as the encoding's constructor does.
template <class T>
std::unique_ptr<Encoding> make_encoding(std::string_view name, const EncodingSettings& settings);

/// The parameters of all encodings, shared ones once, each used only when the choice or choice list
/// `selector` names an encoding that reads it.
std::vector<ParamSpec> encoding_params(const std::string& selector);

/// The choices of such a selector.
std::vector<Choice> encoding_choices();

}  // namespace orrery
