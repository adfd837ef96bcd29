#include "store/postgres/commit_log.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <thread>

#include "store/postgres/activity.h"
#include "store/postgres/feed.h"
#include "store/postgres/group_writes.h"
#include "store/postgres/shared_boxes.h"

namespace store::postgres {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds write_timeout = 5s, longest_group = 10s, longest_lookup = 10s, lookup_pause = 100ms;

const Statement begin_group{"begin", "BEGIN"};
const Statement begin_shared{"begin_shared", "BEGIN ISOLATION LEVEL READ COMMITTED"};
const Statement commit_transaction{"commit", "COMMIT"};
const Statement roll_back_transaction{"", "ROLLBACK"};
const Statement hold_lease{"fence", "SELECT agentbox._fence($1::text, $2::bigint, $3::bigint, $4::text)"};
const Statement hold_box{"hold", "SELECT agentbox._hold($1::bigint, $2::bigint)"};
const Statement note_changes{"note", "SELECT agentbox._note($1::bigint, $2::bigint, $3::bigint, $4::bytea)"};
const Statement lock_leases{
    "lock_leases",
    "SELECT l.name, l.epoch FROM agentbox._lease l WHERE l.name IN (SELECT convert_from(n, "
    "'UTF8') FROM unnest($1::bytea[]) n) AND l.holder = $2::bigint ORDER BY l.name FOR SHARE OF "
    "l"};
// A transaction that writes nothing but its end, which is flushed with all that was written before.
const Statement last_group{"", "SELECT groups FROM agentbox._lease WHERE name = 'box'"};
const Statement flush_log{"", "SELECT pg_logical_emit_message(true, 'agentbox', '')"};

constexpr std::size_t max_unflushed_bytes = 64u << 20;

constexpr auto lost_the_lease = "AB001", lease_has_ended = "AB002", not_permitted = "42501", timed_out = "57014";

bool is_of_tenant(const Batch* batch) { return !batch->scope.is_system(); }
std::vector<std::string> leases_in(std::span<Submission* const> group) {
  std::vector<std::string> names;
  for (const auto* submission : group)
    for (const auto& condition : submission->batch.preconditions)
      if (condition.kind == Precondition::Kind::held) names.push_back(row_of_lease(condition.key));
  return names;
}

}  // namespace

CommitLog::CommitLog(Pool& pool, BoxLease& lease, Versions& versions, const std::vector<FamilySpec>& families,
                     const std::vector<FamilyStatements>& statements)
    : pool_(pool),
      lease_(lease),
      versions_(versions),
      families_(families),
      statements_(statements),
      group_(lease.first_group()),
      last_committed_(lease.first_group()) {}

Connection& CommitLog::connection() {
  if (lease_.is_lost()) throw Unavailable(lease_.loss());
  if (const auto outage = pool_.outage()) throw Unavailable(*outage);
  if (connection_ && connection_->is_lost()) connection_.reset();
  if (!connection_) {
    is_begun_ = false;
    try {
      connection_ = std::make_unique<Connection>(pool_.server(), write_timeout, Clock::now() + longest_read);
    } catch (const Lost& lost) {
      throw pool_.failed(lost.what());
    }
    versions_.bump_all();  // the server may have been replaced by a standby
    counters_.clear();
    const std::lock_guard lock(keeping_);
    if (!unflushed_.empty()) is_outcome_open_ = true;
  }
  if (is_outcome_open_) try {
      begin_epoch(Clock::now() + longest_lookup);
      write_lost_again();
    } catch (const Lost& lost) {
      throw pool_.failed(lost.what());
    }
  return *connection_;
}

void CommitLog::begin(std::span<Submission* const> group) {
  read_.clear();
  if (const auto losses = pool_.losses(); losses != losses_) {
    losses_ = losses;
    counters_.clear();
    const std::lock_guard lock(keeping_);
    if (!unflushed_.empty() || lease_.is_shared()) is_outcome_open_ = true;
  }
  Values wanted;
  connection();
  if (lease_.is_shared()) counters_.clear();
  for (const auto* submission : group) collect(*submission, wanted);
  if (lease_.is_shared())
    lock_all(wanted, leases_in(group));
  else if (!wanted.empty())
    read_all(wanted);
  read_ = std::move(wanted);
}

void CommitLog::abandon() {
  if (is_begun_) roll_back();
}

bool CommitLog::holds(std::string_view lease, std::int64_t epoch) const {
  if (!lease_.is_shared()) return true;
  const auto held = leases_.find(row_of_lease(lease));
  return held != leases_.end() && held->second == epoch;
}

void CommitLog::collect(const Submission& submission, Values& wanted) const {
  const auto need_counter = [&](Family family, std::string_view key) {
    if (!counters_[family].find(key)) wanted.try_emplace({family, key});
  };
  for (const auto& condition : submission.batch.preconditions) {
    if (condition.kind == Precondition::Kind::held) continue;
    if (condition.kind == Precondition::Kind::at_most)
      need_counter(condition.family, condition.key);
    else if (!condition.version || *condition.version != version(condition.family, condition.key))
      wanted.try_emplace({condition.family, condition.key});
  }
  for (const auto& write : submission.batch.writes)
    if (is_counted(write.kind))
      need_counter(write.family, write.key);
    else if (write.kind == Write::Kind::erase && lease_.is_shared())
      wanted.try_emplace({write.family, write.key});  // locked in its turn
}

// By the connection that writes, so that nothing is older than this box's own writes.
void CommitLog::read_all(Values& wanted) {
  std::map<Family, std::vector<std::string_view>> keys;
  for (const auto& [key, value] : wanted) keys[key.first].push_back(key.second);
  std::vector<Call> calls;
  for (const auto& [family, of_family] : keys) {
    calls.push_back({&statements_[family].multi_get});
    calls.back().parameters.array(of_family);
  }
  for (int attempt = 1;; ++attempt) {
    auto& open = connection();
    try {
      const auto results = open.run(calls, Clock::now() + longest_read);
      auto at = results.begin();
      for (const auto& [family, of_family] : keys) {
        for (int row = 0; row < at->rows(); ++row)
          wanted[{family, of_family[static_cast<std::size_t>(at->number(row, 0)) - 1]}] = at->bytes(row, 1);
        ++at;
      }
      return;
    } catch (const Lost& lost) {
      if (attempt == 2 || lost.is_time_out) throw pool_.failed(lost.what());
    } catch (const Refused& refused) {
      throw Unavailable("The store's database refused a read: " + std::string(refused.what()));
    }
  }
}

void CommitLog::begin_transaction(std::vector<Call>& calls) const {
  calls.push_back({&begin_shared});
  calls.push_back({&hold_box});
  calls.back().parameters.number(lease_.epoch()).number(lease_.term());
}

void CommitLog::lock_all(Values& wanted, const std::vector<std::string>& leases) {
  abandon();
  leases_.clear();
  empty_rows_.clear();
  if (wanted.empty() && leases.empty()) return;
  std::map<Family, std::vector<std::string_view>> keys;
  for (const auto& [key, value] : wanted) keys[key.first].push_back(key.second);
  std::vector<Call> calls;
  begin_transaction(calls);
  if (!leases.empty()) {
    calls.push_back({&lock_leases});
    calls.back().parameters.array(std::vector<std::string_view>(leases.begin(), leases.end())).number(lease_.epoch());
  }
  for (const auto& [family, of_family] : keys)
    for (const auto* statement : {&statements_[family].lock, &statements_[family].multi_get}) {
      calls.push_back({statement});
      calls.back().parameters.array(of_family);
    }
  try {
    is_begun_ = true;
    const auto results = connection_->run(calls, Clock::now() + longest_group);
    auto at = results.begin() + 1;
    if (!leases.empty()) ++at;
    for (int row = 0; !leases.empty() && row < at->rows(); ++row)
      leases_.emplace(at->bytes(row, 0), at->number(row, 1));
    for (const auto& [family, of_family] : keys) {
      ++at;
      std::set<std::string_view> empty;
      for (int row = 0; row < at->rows(); ++row) empty.insert(at->bytes(row, 0));
      if (!empty.empty()) empty_rows_[family].assign(empty.begin(), empty.end());
      ++at;
      for (int row = 0; row < at->rows(); ++row) {
        const auto key = of_family[static_cast<std::size_t>(at->number(row, 0)) - 1];
        if (!empty.contains(key)) wanted[{family, key}] = at->bytes(row, 1);
      }
    }
  } catch (const Lost& lost) {  // nothing was to be committed yet
    connection_.reset();
    if (lost.is_time_out) throw pool_.failed(lost.what());
    throw OutOfDate();
  } catch (const Refused& error) {
    refused(error, false);
  }
}

void CommitLog::refused(const Refused& error, bool may_be_out_of_scope) {
  roll_back();
  if (error.sqlstate == lost_the_lease) {
    lease_.lose();
    throw Unavailable(lease_.loss());
  }
  if (error.sqlstate == lease_has_ended) throw Unavailable(lease_ended);
  if (error.sqlstate == not_permitted && may_be_out_of_scope) throw OutOfScope();
  if (error.sqlstate.starts_with("40") || (lease_.is_shared() && error.sqlstate == timed_out)) {
    ++activity().repeated_groups;
    throw OutOfDate();
  }
  throw Unavailable("The store's database refused a change: " + std::string(error.what()));
}

std::optional<std::string> CommitLog::read(Family family, std::string_view key) const {
  const auto found = read_.find({family, key});
  if (found != read_.end()) return found->second;
  Call call{&statements_[family].get};  // its version has changed since begin()
  call.parameters.bytes(key);
  const auto result = pool_.run(call);
  return result.rows() == 1 ? std::optional(std::string(result.bytes(0, 0))) : std::nullopt;
}

CounterFields CommitLog::read_counter(Family family, std::string_view key) const {
  auto& cached = counters_[family];
  if (const auto* fields = cached.find(key)) return *fields;
  const auto bytes = read(family, key);
  const auto fields = bytes ? decode_counter(*bytes) : CounterFields();
  cached.put(key, fields);
  return fields;
}

bool CommitLog::append(const std::vector<const Batch*>& batches, const std::vector<Committer::Counted>& counted,
                       Append how) {
  const bool is_shared = lease_.is_shared();
  auto& open = is_begun_ ? *connection_ : connection();
  if (pool_.losses() != losses_) {  // what was read may be of another server
    abandon();
    throw OutOfDate();
  }
  std::deque<std::string> encoded;
  std::vector<Call> writes;
  try {
    writes = writes_of(batches, counted, statements_, encoded);
  } catch (const OutOfScope&) {
    abandon();
    throw;
  }
  group_ = is_shared ? last_committed_ + 1 : group_ + 1;
  const auto group = group_;
  std::uint64_t records = counted.size();
  for (const auto* batch : batches) records += batch->writes.size();
  begun_records_ += records;
  const struct Ended {
    std::atomic<std::uint64_t>& all;
    const std::uint64_t records;
    ~Ended() { all += records; }
  } ended{ended_records_, records};
  std::vector<Call> calls;
  if (!is_shared) {
    calls.push_back({&begin_group});
    calls.push_back({&hold_lease});
    calls.back().parameters.bytes(lease_.box()).number(lease_.epoch()).number(group);
    calls.back().parameters.bytes(how == Append::synced ? "on" : "off");
  } else if (!is_begun_) {
    begin_transaction(calls);
  }
  for (const auto& [family, keys] : empty_rows_) {
    calls.push_back({&statements_[family].erase});
    calls.back().parameters.array(std::vector<std::string_view>(keys.begin(), keys.end()));
  }
  for (auto& call : writes) calls.push_back(std::move(call));
  std::optional<std::string> parts;
  if (is_shared) {
    parts = encode_parts(batches, families_);
    calls.push_back({&note_changes});
    calls.back().parameters.number(lease_.epoch()).number(group).number(static_cast<std::int64_t>(begun_records_));
    if (parts)
      calls.back().parameters.bytes(*parts);
    else
      calls.back().parameters.none();
  }
  calls.push_back({&commit_transaction});
  try {
    is_begun_ = is_shared;
    open.run(calls, Clock::now() + longest_group);
    is_begun_ = false;
  } catch (const Refused& error) {
    refused(error, std::ranges::any_of(batches, is_of_tenant));
  } catch (const Lost&) {
    is_begun_ = false;
    is_outcome_open_ = true;
    if (!was_committed(group)) {
      ++activity().repeated_groups;
      throw OutOfDate();
    }
  }
  last_committed_ = group;
  if (how == Append::synced || is_shared) {
    const std::lock_guard lock(keeping_);
    unflushed_.clear();
    unflushed_bytes_ = 0;
  } else {
    keep_until_flushed(group, batches, counted);
  }
  for (const auto& [family, key, fields] : counted) counters_[family].put(key, fields);
  for (const auto* batch : batches)
    for (const auto& write : batch->writes) versions_.bump(write.family, write.key);
  return true;
}

void CommitLog::keep_until_flushed(std::int64_t number, const std::vector<const Batch*>& batches,
                                   const std::vector<Committer::Counted>& counted) {
  Group group{.number = number, .bytes = 0, .values = {}};
  for (const auto* batch : batches)
    for (const auto& write : batch->writes) {
      if (is_counted(write.kind)) continue;
      auto& value = group.values[write.family][write.key];
      value = write.kind == Write::Kind::erase ? std::nullopt : std::optional(write.value);
      group.bytes += write.key.size() + write.value.size();
    }
  for (const auto& [family, key, fields] : counted) {
    auto bytes = encode(fields);
    group.bytes += key.size() + bytes.size();
    group.values[family].insert_or_assign(std::string(key), std::move(bytes));
  }
  bool is_full = false;
  {
    const std::lock_guard lock(keeping_);
    unflushed_bytes_ += group.bytes;
    unflushed_.push_back(std::move(group));
    is_full = unflushed_bytes_ > max_unflushed_bytes;
  }
  if (is_full) sync();
}

// In the epoch that has begun: nothing else has been written since they were.
void CommitLog::write_lost_again() {
  const std::lock_guard lock(keeping_);
  const auto is_there = [this](const Group& group) { return group.number <= last_committed_; };
  std::erase_if(unflushed_, is_there);
  if (!unflushed_.empty()) {
    activity().repeated_groups += unflushed_.size();
    const auto group = ++group_;
    std::vector<Call> calls;
    calls.push_back({&begin_group});
    calls.push_back({&hold_lease});
    calls.back().parameters.bytes(lease_.box()).number(lease_.epoch()).number(group).bytes("on");
    for (const auto& lost : unflushed_)
      for (const auto& [family, values] : lost.values) {
        std::vector<std::string_view> put_keys, put_values, erased;
        for (const auto& [key, value] : values) {
          (value ? put_keys : erased).push_back(key);
          if (value) put_values.push_back(*value);
        }
        if (!erased.empty()) {
          calls.push_back({&statements_[family].erase});
          calls.back().parameters.array(erased);
        }
        if (put_keys.empty()) continue;
        calls.push_back({&statements_[family].put});
        calls.back().parameters.array(put_keys).array(put_values);
      }
    calls.push_back({&commit_transaction});
    is_outcome_open_ = true;  // until they are there
    try {
      connection_->run(calls, Clock::now() + longest_group);
    } catch (const Refused& refused) {
      connection_.reset();
      throw Unavailable("The store's database refused a change: " + std::string(refused.what()));
    }
    is_outcome_open_ = false;
    last_committed_ = group;
  }
  unflushed_.clear();
  unflushed_bytes_ = 0;
}

void CommitLog::roll_back() {
  is_begun_ = false;
  try {
    connection_->run(Call{&roll_back_transaction}, Clock::now() + longest_read);
  } catch (const std::exception&) {
    connection_.reset();  // which rolls back, too
  }
}

bool CommitLog::was_committed(std::int64_t group) {
  ++activity().looked_up_outcomes;
  const auto deadline = Clock::now() + longest_lookup;
  for (;;) {
    try {
      connection_ = std::make_unique<Connection>(pool_.server(), write_timeout, Clock::now() + longest_read);
      versions_.bump_all();
      counters_.clear();
      begin_epoch(deadline);
      pool_.probe();
      const bool is_there = last_committed_ >= group;
      write_lost_again();
      return is_there;
    } catch (const Lost& lost) {
      connection_.reset();
      const auto outage = pool_.failed(lost.what());
      if (Clock::now() > deadline)
        throw Unavailable("Whether the change was stored is not known yet. " + std::string(outage.what()));
    }
    std::this_thread::sleep_for(lookup_pause);
  }
}

void CommitLog::begin_epoch(Clock::time_point deadline) {
  try {
    const auto committed = lease_.begin_epoch(*connection_, std::min(deadline, Clock::now() + write_timeout));
    if (!committed) {
      lease_.lose();
      throw Unavailable(lease_.loss());
    }
    last_committed_ = *committed;
    is_outcome_open_ = false;
  } catch (const Refused& refused) {
    if (refused.sqlstate == timed_out) throw Lost(refused.what(), true);  // the old group is still under way
    throw Unavailable("The store's database refused a change: " + std::string(refused.what()));
  }
}

// A server that crashed meanwhile may no longer have them.
void CommitLog::sync() {
  std::int64_t newest = 0;
  {
    const std::lock_guard lock(keeping_);
    if (unflushed_.empty()) return;
    newest = unflushed_.back().number;
  }
  try {
    const std::array<Call, 2> calls{Call{&last_group}, Call{&flush_log}};
    const auto known = pool_.run(calls);
    if (known.front().rows() != 1 || known.front().number(0, 0) < newest) return;
  } catch (const Unavailable&) {
    return;  // written again, if they are lost
  }
  const std::lock_guard lock(keeping_);
  while (!unflushed_.empty() && unflushed_.front().number <= newest) {
    unflushed_bytes_ -= unflushed_.front().bytes;
    unflushed_.pop_front();
  }
}

}  // namespace store::postgres
