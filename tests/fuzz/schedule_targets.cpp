#include "tests/fuzz/schedule_targets.h"

#include <algorithm>
#include <chrono>

#include "appliance/hosting/schedule/cron.h"
#include "appliance/hosting/schedule/time_zone.h"
#include "appliance/hosting/schedule/tzif.h"
#include "tests/fuzz/require.h"

namespace fuzz {

using namespace std::chrono_literals;

void cron(std::string_view bytes) {
  const auto expression = schedule::Cron::parse(bytes);
  if (!expression) {
    require(expression.error().kind == web::Kind::invalid && !expression.error().message.empty(), "a refusal says why");
    return;
  }
  auto from = std::chrono::local_days(std::chrono::year(2026) / 11 / 23) + 12h + 34min + 56s;
  const auto end = from + std::chrono::years(9);
  for (int i = 0; i < 20; ++i) {
    const auto next = expression->first(from, end);
    if (!next) break;
    require(*next >= from && *next < end, "a time lies where it was looked for");
    require(expression->first(*next, end) == next, "a time matches itself");
    require(!expression->first(*next, *next), "there is none in no time");
    from = *next + 1s;
  }
}

void tzif(std::string_view bytes) {
  auto changes = schedule::read_tzif(bytes);
  if (!changes) return;
  require(!changes->empty() && changes->front().at == std::chrono::sys_seconds::min(),
          "there is an offset at any time");
  require(std::ranges::is_sorted(*changes, {}, &schedule::OffsetChange::at), "changes ascend");
  for (const auto& change : *changes) require(std::chrono::abs(change.offset) < 48h, "an offset is less than two days");
  const auto all = *changes;
  const schedule::TimeZone zone("zone", std::move(*changes));
  const auto check = [&](schedule::TimePoint at) {
    const auto period = zone.at(at);
    require(period.begin <= at && at < period.end, "a moment is in its period");
    require(std::chrono::abs(period.offset) < 48h, "with an offset of the zone");
  };
  check(std::chrono::sys_days(std::chrono::year(2026) / 11 / 23));
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 50); ++i) check(all[i].at);
}

}  // namespace fuzz
