#include "store/postgres/commit_log.h"

#include <algorithm>
#include <array>
#include <deque>
#include <thread>

#include "store/postgres/activity.h"

namespace store::postgres {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds write_timeout = 5s, longest_group = 10s, longest_lookup = 10s, lookup_pause = 100ms;

const Statement begin_transaction{"begin", "BEGIN"};
const Statement commit_transaction{"commit", "COMMIT"};
const Statement roll_back_transaction{"", "ROLLBACK"};
const Statement hold_lease{"fence", "SELECT agentbox._fence($1::text, $2::bigint, $3::bigint, $4::text)"};
// A transaction that writes nothing but its end, which is flushed with all that was written before.
const Statement last_group{"", "SELECT groups FROM agentbox._lease WHERE name = 'box'"};
const Statement flush_log{"", "SELECT pg_logical_emit_message(true, 'agentbox', '')"};

constexpr std::size_t max_unflushed_bytes = 64u << 20;

constexpr auto lost_the_lease = "AB001", not_permitted = "42501";

bool is_of_tenant(const Batch* batch) { return !batch->scope.is_system(); }
bool is_counted(Write::Kind kind) { return kind == Write::Kind::add || kind == Write::Kind::raise; }

}  // namespace

CommitLog::CommitLog(Pool& pool, BoxLease& lease, Versions& versions, const std::vector<FamilyStatements>& statements)
    : pool_(pool),
      lease_(lease),
      versions_(versions),
      statements_(statements),
      group_(lease.first_group()),
      last_committed_(lease.first_group()) {}

Connection& CommitLog::connection() {
  if (lease_.is_lost()) throw Unavailable(lease_lost);
  if (const auto outage = pool_.outage()) throw Unavailable(*outage);
  if (connection_ && connection_->is_lost()) connection_.reset();
  if (!connection_) {
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
    if (!unflushed_.empty()) is_outcome_open_ = true;
  }
  Values wanted;
  connection();
  for (const auto* submission : group) collect(*submission, wanted);
  if (!wanted.empty()) read_all(wanted);
  read_ = std::move(wanted);
}

void CommitLog::collect(const Submission& submission, Values& wanted) const {
  const auto need_counter = [&](Family family, std::string_view key) {
    if (!counters_[family].find(key)) wanted.try_emplace({family, key});
  };
  for (const auto& condition : submission.batch.preconditions) {
    if (condition.kind == Precondition::Kind::at_most)
      need_counter(condition.family, condition.key);
    else if (!condition.version || *condition.version != version(condition.family, condition.key))
      wanted.try_emplace({condition.family, condition.key});
  }
  for (const auto& write : submission.batch.writes)
    if (is_counted(write.kind)) need_counter(write.family, write.key);
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

std::vector<Call> CommitLog::writes_of(const std::vector<const Batch*>& batches,
                                       const std::vector<Committer::Counted>& counted,
                                       std::deque<std::string>& encoded) const {
  using Owner = std::optional<std::int64_t>;
  struct Change {
    Owner owner;  // of the batch; nothing: the box
    std::string_view key, value;
  };
  struct Changes {
    std::vector<Change> erased, put;
  };
  std::map<Family, Changes> changes;
  struct Last {
    const Write* write;
    Owner owner;
  };
  std::map<Key, Last> last;  // change of each key
  std::map<Key, Owner> counter_owners;
  for (const auto* batch : batches)
    for (const auto& write : batch->writes) {
      const auto& owner = batch->scope.owner();
      const Key key{write.family, write.key};
      if (is_counted(write.kind)) {
        auto& known = counter_owners[key];
        if (known && owner && *known != *owner) throw OutOfScope();
        if (owner) known = owner;
        continue;
      }
      const auto [before, is_first] = last.try_emplace(key, Last{&write, owner});
      if (is_first) continue;
      auto& [earlier, earlier_owner] = before->second;
      if (earlier_owner != owner) {
        // A unique value may pass from one owner to another; a record may not.
        if (earlier->kind == Write::Kind::erase)
          changes[write.family].erased.push_back({earlier_owner, key.second, earlier->value});
        else if (earlier_owner && owner)
          throw OutOfScope();
      }
      before->second = {&write, owner};
    }
  for (const auto& [key, change] : last) {
    auto& [erased, put] = changes[key.first];
    (change.write->kind == Write::Kind::erase ? erased : put)
        .push_back({change.owner, key.second, change.write->value});
  }
  for (const auto& [family, key, fields] : counted)
    changes[family].put.push_back({counter_owners[{family, key}], key, encoded.emplace_back(encode(fields))});

  std::vector<Call> calls;
  const auto add_calls = [&](const std::vector<Change>& all, const Statement& of_system, const Statement& of_tenants,
                             bool has_values) {
    std::vector<std::int64_t> owners;
    std::vector<std::string_view> keys, values, owned_keys, owned_values;
    for (const auto& [owner, key, value] : all) {
      if (owner) owners.push_back(*owner);
      (owner ? owned_keys : keys).push_back(key);
      (owner ? owned_values : values).push_back(value);
    }
    if (!keys.empty()) {
      calls.push_back({&of_system});
      calls.back().parameters.array(keys);
      if (has_values) calls.back().parameters.array(values);
    }
    if (owners.empty()) return;
    if (of_tenants.sql.empty()) throw OutOfScope();  // a table of the box
    calls.push_back({&of_tenants});
    calls.back().parameters.array(owners).array(owned_keys).array(owned_values);
  };
  for (const auto& [family, of_family] : changes) {
    const auto& statements = statements_[family];
    add_calls(of_family.erased, statements.erase, statements.tenant_erase, false);
    add_calls(of_family.put, statements.put, statements.tenant_put, true);
  }
  return calls;
}

bool CommitLog::append(const std::vector<const Batch*>& batches, const std::vector<Committer::Counted>& counted,
                       Append how) {
  auto& open = connection();
  if (pool_.losses() != losses_) throw OutOfDate();  // what was read may be of another server
  std::deque<std::string> encoded;
  const auto group = ++group_;
  std::vector<Call> calls;
  calls.push_back({&begin_transaction});
  calls.push_back({&hold_lease});
  calls.back().parameters.bytes(lease_.box()).number(lease_.epoch()).number(group);
  calls.back().parameters.bytes(how == Append::synced ? "on" : "off");
  for (auto& call : writes_of(batches, counted, encoded)) calls.push_back(std::move(call));
  calls.push_back({&commit_transaction});
  std::uint64_t records = counted.size();
  for (const auto* batch : batches) records += batch->writes.size();
  begun_records_ += records;
  const struct Ended {
    std::atomic<std::uint64_t>& all;
    const std::uint64_t records;
    ~Ended() { all += records; }
  } ended{ended_records_, records};
  try {
    open.run(calls, Clock::now() + longest_group);
  } catch (const Refused& refused) {
    roll_back();
    if (refused.sqlstate == lost_the_lease) {
      lease_.lose();
      throw Unavailable(lease_lost);
    }
    if (refused.sqlstate == not_permitted && std::ranges::any_of(batches, is_of_tenant)) throw OutOfScope();
    if (refused.sqlstate.starts_with("40")) {
      ++activity().repeated_groups;
      throw OutOfDate();
    }
    throw Unavailable("The store's database refused a change: " + std::string(refused.what()));
  } catch (const Lost&) {
    is_outcome_open_ = true;
    if (!was_committed(group)) {
      ++activity().repeated_groups;
      throw OutOfDate();
    }
  }
  last_committed_ = group;
  if (how == Append::synced) {
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
    calls.push_back({&begin_transaction});
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
      throw Unavailable(lease_lost);
    }
    last_committed_ = *committed;
    is_outcome_open_ = false;
  } catch (const Refused& refused) {
    if (refused.sqlstate == "57014") throw Lost(refused.what(), true);  // the old group is still under way
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
