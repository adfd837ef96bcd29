// Models of sound and images, and what their use costs.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/usage/money.h"

namespace models {

BOOST_DEFINE_ENUM_CLASS(MediaKind, transcription, speech, image)

// What one call uses, or the most that it can use.
struct MediaUse {
  std::int64_t seconds = 0;     // of sound that is heard
  std::int64_t characters = 0;  // of text that is spoken
  std::int64_t images = 0;      // that are drawn
  std::int64_t input_tokens = 0, output_tokens = 0;
  std::int64_t sound_tokens = 0;  // included in those of the input
};

// An entry of the catalogue. Its vendor prices one of: minutes of sound, characters, images, tokens.
struct MediaModel {
  std::string id, name, provider;
  MediaKind kind = MediaKind::transcription;
  std::string direct_name;  // at its vendor
  std::optional<usage::Money> minute, million_characters, image;
  // US dollars per million tokens.
  std::optional<usage::Money> input, sound_input, output;
  // Tokens of an answer: of a transcription, or of an image of 1024 x 1024 in the best quality.
  std::int64_t max_output = 0;
  std::vector<std::string> sources;  // of the entry, with their dates

  // Exact; a price of a minute that seconds do not divide is rounded up.
  usage::Money cost_of(const MediaUse&) const;
};

}  // namespace models
