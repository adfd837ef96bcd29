// Reads a table from its newest record backwards, by an index of times, which can only be read forwards.
#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace agentbox {

// The newest `limit` records before `before`, or of all, the newest first; among those of one time, by descending id.
// Reads windows that grow until they contain enough records and shrink if they contain too many: about a dozen reads
// for any number of records. Blocks.
template <class R, class Id>
std::vector<R> newest(const store::System& system, const store::Global<R, Id>& table, std::string_view index,
                      store::Time R::*at, const std::optional<R>& before, std::size_t limit) {
  using namespace std::chrono_literals;
  using Duration = store::Time::duration;
  constexpr std::size_t most = 5'000;
  constexpr Duration shortest = 1ms, longest = 24h * 365 * 100;

  std::vector<R> page;
  const auto take = [&](std::vector<R> found) {
    page.insert(page.end(), std::make_move_iterator(found.rbegin()), std::make_move_iterator(found.rend()));
  };
  store::Time end = before ? (*before).*at : store::now() + 24h;
  if (before) {
    auto same_time = system.find_range(table, index, end, end + shortest, most);
    std::erase_if(same_time, [&](const R& record) { return record.*table.id >= (*before).*table.id; });
    take(std::move(same_time));
  }
  for (Duration window = 1h; page.size() < limit && end > store::Time{};) {
    const store::Time from = end.time_since_epoch() > window ? end - window : store::Time{};
    auto found = system.find_range(table, index, from, end, most);
    if (found.size() == most && window > shortest) {
      window = std::max<Duration>(window / 16, shortest);
      continue;
    }
    take(std::move(found));
    end = from;
    window = std::min<Duration>(window * 8, longest);
  }
  if (page.size() > limit) page.resize(limit);
  return page;
}

}  // namespace agentbox
