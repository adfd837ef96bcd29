// Which recordings are kept: those of 1080 lines or more that are longer than 15 minutes.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <optional>

namespace stream_webhooks {

struct AssetFacts {
  std::optional<double> duration;  // seconds
  std::optional<int> height;       // lines; of an upright picture its width
};

// archived: it stays at the provider. deletion: it waits to be deleted there. deleted: it is.
BOOST_DEFINE_ENUM_CLASS(Fate, archived, deletion, deleted)

// Nothing is deleted for want of information: an asset without a known duration or height counts as long or high.
inline Fate fate_of(const AssetFacts& facts) {
  constexpr int full_hd = 1080;
  constexpr double shortest = std::chrono::seconds(std::chrono::minutes(15)).count();
  const bool is_low = facts.height && *facts.height < full_hd;
  const bool is_short = facts.duration && *facts.duration <= shortest;
  return is_low || is_short ? Fate::deletion : Fate::archived;
}

}  // namespace stream_webhooks
