#pragma once

#include <memory>

#include "core/encoding.h"
#include "core/encodings/settings.h"

namespace orrery {

/// No position at all (NoPE): position can only be felt through a causal mask. Uses no door.
template <class T>
class NoEncoding final : public Encoding {
 public:
  static EncodingInfo info();
  static std::unique_ptr<NoEncoding> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }
};

}  // namespace orrery
