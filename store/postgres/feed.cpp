#include "store/postgres/feed.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <set>
#include <utility>

namespace store::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_staleness = 1s;
constexpr std::chrono::milliseconds longest_call{900};
constexpr auto longest_gap = 20s;  // between two looks; changes are kept for a minute
constexpr std::size_t most_parts = 4'096, part_size = 8;
constexpr std::int64_t page = 500;

// One row at least for each box: what was waited for before the changes were read is covered by them.
const Statement new_changes{
    "changes",
    "SELECT b.epoch, CASE WHEN b.epoch = $3::bigint THEN 0 ELSE b.awaits END, b.evicted_by IS NOT NULL, c.number, "
    "c.total, c.parts FROM agentbox._boxes b LEFT JOIN unnest($1::bigint[], $2::bigint[]) k(epoch, number) ON k.epoch "
    "= b.epoch LEFT JOIN LATERAL (SELECT * FROM agentbox._changes n WHERE n.epoch = b.epoch AND n.epoch <> $3::bigint "
    "AND n.number > coalesce(k.number, 0) ORDER BY n.number LIMIT $4::bigint) c ON true ORDER BY b.epoch, c.number"};
const Statement newest_changes{
    "",
    "SELECT b.epoch, c.number, c.total FROM agentbox._boxes b CROSS JOIN LATERAL (SELECT * FROM agentbox._changes n "
    "WHERE n.epoch = b.epoch ORDER BY n.number DESC LIMIT 1) c WHERE b.epoch <> $1::bigint"};
const Statement evict_dead{"", "SELECT agentbox._evict($1::bigint, $2::bigint)"};
// The newest one says what was committed (commit_log.h).
const Statement erase_old{
    "",
    "DELETE FROM agentbox._changes c WHERE c.epoch = $1::bigint AND c.at < clock_timestamp() - interval '1 minute' AND "
    "c.number < (SELECT max(n.number) FROM agentbox._changes n WHERE n.epoch = $1::bigint)"};
const Statement erase_dead{"",
                           "WITH gone AS (DELETE FROM agentbox._boxes b WHERE b.is_recovered AND b.evicted_at < "
                           "clock_timestamp() - interval '1 hour' RETURNING b.epoch) DELETE FROM agentbox._changes c "
                           "USING gone WHERE c.epoch = gone.epoch"};

std::string_view read_bytes(std::string_view& bytes, std::size_t count) {
  if (bytes.size() < count) throw Corrupt("a row of the store's changes is damaged");
  const auto first = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return first;
}
std::size_t read_length(std::string_view& bytes) { return static_cast<unsigned char>(read_bytes(bytes, 1).front()); }

}  // namespace

std::optional<std::string> encode_parts(const std::vector<const Batch*>& batches,
                                        const std::vector<FamilySpec>& families) {
  std::map<Family, std::set<std::string_view>> changed;
  std::size_t count = 0;
  for (const auto* batch : batches)
    for (const auto& write : batch->writes)
      count += changed[write.family].insert(std::string_view(write.key).substr(0, part_size)).second;
  if (count > most_parts) return std::nullopt;
  std::string bytes;
  const auto append = [&bytes](std::string_view text) { bytes.append(1, static_cast<char>(text.size())).append(text); };
  for (const auto& [family, parts] : changed) {
    append(families[family].name);
    std::array<unsigned char, 4> size{};
    boost::endian::store_big_u32(size.data(), static_cast<std::uint32_t>(parts.size()));
    bytes.append(size.begin(), size.end());
    for (const auto& part : parts) append(part);
  }
  return bytes;
}

Feed::Feed(Pool& pool, BoxLease& lease, Versions& versions, const std::vector<FamilySpec>& families)
    : pool_(pool), lease_(lease), versions_(versions) {
  for (Family family = 0; family < families.size(); ++family) families_.emplace(families[family].name, family);
  begin_anew();
  look();
}

// Without what was committed since it was seen: everything counts as changed.
void Feed::begin_anew() {
  const auto losses = pool_.losses();
  Call call{&newest_changes};
  call.parameters.number(lease_.epoch());
  const auto found = run(call);
  auto before = std::exchange(seen_, {});
  for (int row = 0; row < found.rows(); ++row) {
    const auto epoch = found.number(row, 0);
    const Seen newest{found.number(row, 1), found.number(row, 2)};
    if (last_look_ != Clock::time_point{})
      records_ += static_cast<std::uint64_t>(std::max<std::int64_t>(0, newest.total - before[epoch].total));
    seen_[epoch] = newest;
  }
  losses_ = losses;
  versions_.bump_all();
}

std::vector<Result> Feed::run(std::span<const Call> calls) {
  const auto deadline = Clock::now() + longest_read;
  try {
    if (!connection_) connection_ = std::make_unique<Connection>(pool_.server(), longest_call, deadline);
    return connection_->run(calls, deadline);
  } catch (const Lost& lost) {
    connection_.reset();
    throw Unavailable("The store's database does not answer: " + std::string(lost.what()));
  } catch (const Refused& refused) {
    throw Unavailable("The store's database refused to say what has changed: " + std::string(refused.what()));
  }
}

void Feed::look() {
  const std::lock_guard lock(mutex_);
  look_now();
}

void Feed::look_now() {
  const auto start = Clock::now();
  if (last_look_ != Clock::time_point{} && (pool_.losses() != losses_ || start - last_look_ > longest_gap))
    begin_anew();
  while (!look_once()) {
  }
  last_look_ = start;
  const auto fresh = start + std::min<Clock::duration>(longest_staleness, lease_.length() / 2);
  fresh_until_.store(std::min(fresh, lease_.holds_until()).time_since_epoch().count(), std::memory_order_release);
}

bool Feed::look_once() {
  std::vector<std::int64_t> epochs, numbers;
  for (const auto& [epoch, known] : seen_) {
    epochs.push_back(epoch);
    numbers.push_back(known.number);
  }
  Call call{&new_changes};
  call.parameters.array(epochs).array(numbers).number(lease_.epoch()).number(page);
  const auto found = run(call);
  std::map<std::int64_t, Seen> seen;
  bool is_evicted = true, is_all = true;
  std::int64_t awaited = 0, of_box = 0;
  for (int row = 0; row < found.rows(); ++row) {
    const auto epoch = found.number(row, 0);
    if (epoch == lease_.epoch()) {
      is_evicted = found.truth(row, 2);
      continue;
    }
    awaited = std::max(awaited, found.number(row, 1));
    const auto [at, is_first] = seen.try_emplace(epoch, seen_[epoch]);
    auto& known = at->second;
    if (found.is_null(row, 3)) continue;
    of_box = is_first ? 1 : of_box + 1;
    if (of_box == page) is_all = false;
    const Seen now{found.number(row, 3), found.number(row, 4)};
    if (now.number != known.number + 1 || found.is_null(row, 5))
      versions_.bump_all();
    else
      apply(found.bytes(row, 5));
    records_ += static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.total - known.total));
    known = now;
  }
  seen_ = std::move(seen);
  if (is_evicted) lease_.lose();
  if (is_all) awaited_ = awaited;
  return is_all;
}

void Feed::apply(std::string_view parts) {
  while (!parts.empty()) {
    const auto family = families_.find(read_bytes(parts, read_length(parts)));
    const auto size = read_bytes(parts, 4);
    auto left = boost::endian::load_big_u32(reinterpret_cast<const unsigned char*>(size.data()));
    for (; left > 0; --left) {
      const auto part = read_bytes(parts, read_length(parts));
      if (family != families_.end()) versions_.bump(family->second, part);  // else of a newer box
    }
  }
}

void Feed::keep() {
  const std::lock_guard lock(mutex_);
  look_now();
  const auto now = Clock::now();
  const bool is_due = now >= renewal_due_;
  if (lease_.is_lost() || (!is_due && awaited_ <= confirmed_)) return;
  if (!lease_.renew([this](std::span<const Call> calls) { return run(calls); }, awaited_)) {
    lease_.lose();
    return;
  }
  confirmed_ = std::max(confirmed_, awaited_);
  if (!is_due) return;
  renewal_due_ = now + lease_.length() / 5;
  if (now - renewed_ > lease_.length() / 2) alive_since_ = now;
  renewed_ = now;
  if (now < eviction_due_) return;
  eviction_due_ = now + lease_.length();  // if it fails: each attempt may leave a transaction that waits for a standby
  evict(now - alive_since_);
  eviction_due_ = now;
}

// After a long outage of the server the leases of all boxes have run out. A box evicts no other until it has had its
// own for so long that the other would have renewed it, too.
void Feed::evict(Clock::duration alive) {
  Call evicts{&evict_dead}, of_own{&erase_old};
  evicts.parameters.number(lease_.epoch()).number(alive >= lease_.length() * 3 / 10 ? 1 : 0);
  of_own.parameters.number(lease_.epoch());
  run(evicts);
  run(of_own);
  run(Call{&erase_dead});
}

}  // namespace store::postgres
