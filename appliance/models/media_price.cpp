#include "appliance/models/media_price.h"

namespace models {

namespace {

constexpr std::int64_t seconds_in_minute = 60, million = 1'000'000;

}  // namespace

// price_of() multiplies exactly and saturates: a price for another number of units is turned into one per million.
usage::Money MediaModel::cost_of(const MediaUse& use) const {
  usage::Money cost;
  if (minute) {
    const auto whole = use.seconds / seconds_in_minute, rest = use.seconds % seconds_in_minute;
    cost += usage::price_of(whole * million, *minute);
    const auto units = minute->units() / seconds_in_minute, odd = minute->units() % seconds_in_minute;
    cost += usage::Money::of_units(units * rest + (odd * rest + seconds_in_minute - 1) / seconds_in_minute);
  }
  if (million_characters) cost += usage::price_of(use.characters, *million_characters);
  if (image) cost += usage::price_of(use.images * million, *image);
  if (input) cost += usage::price_of(use.input_tokens - use.sound_tokens, *input);
  if (input) cost += usage::price_of(use.sound_tokens, sound_input.value_or(*input));
  if (output) cost += usage::price_of(use.output_tokens, *output);
  return cost;
}

}  // namespace models
