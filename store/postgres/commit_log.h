// How the committer writes to a store on a server: what a group is about is read in one round trip, and all that it
// changes is written in another, in one transaction that renews the box's lease. Groups that add to known counters and
// check nothing else take one. What batches with a tenant's scope write goes through functions that get the scope of
// each row: the server refuses rows of other owners, whatever the engine has checked.
//
// A group whose commit is cut off was committed or not: the log begins a new epoch of the lease, after which the old
// group cannot be committed any more, and reads the number of the last group that was.
//
// Where several boxes share the store, nothing is known from earlier groups. The first round trip begins the
// transaction, checks the box's lease and locks the rows of all that the group checks, counts and erases, in the order
// of their keys, before it reads them; for those that are not there it writes empty rows, so that no other box can make
// them. The second one erases these, writes, and notes what has changed for the other boxes (feed.h). Every group waits
// for the disk.
//
// Groups that returned before the server had flushed them are kept until it has. A server that crashed, or a standby
// that was promoted, may lack the last of them: they are written again, in their order, before anything else is.
#pragma once

#include <atomic>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/committer.h"
#include "store/counter_values.h"
#include "store/postgres/lease.h"
#include "store/postgres/pool.h"
#include "store/postgres/statements.h"
#include "store/versions.h"

namespace store::postgres {

class CommitLog final : public Committer::Log {
 public:
  CommitLog(Pool&, BoxLease&, Versions&, const std::vector<FamilySpec>&, const std::vector<FamilyStatements>&);

  void begin(std::span<Submission* const>) override;
  void abandon() override;
  bool may_use_callers() const override { return false; }  // it waits for the network
  std::optional<std::string> read(Family, std::string_view key) const override;
  CounterFields read_counter(Family, std::string_view key) const override;
  std::uint64_t version(Family family, std::string_view key) const override {
    return lease_.is_shared() ? std::numeric_limits<std::uint64_t>::max() : versions_.of(family, key);
  }
  bool holds(std::string_view lease, std::int64_t epoch) const override;
  bool append(const std::vector<const Batch*>&, const std::vector<Committer::Counted>&, Append) override;
  void sync() override;

  // How many records were written since the start: those of groups that have ended, and with those that may be under
  // way. Callable from every thread.
  std::uint64_t ended_records() const { return ended_records_; }
  std::uint64_t begun_records() const { return begun_records_; }

 private:
  using Key = std::pair<Family, std::string_view>;
  using Values = std::map<Key, std::optional<std::string>>;

  // The effect of a group: what each key holds after it; nothing for those that it erased.
  struct Group {
    std::int64_t number = 0;
    std::size_t bytes = 0;
    std::map<Family, std::map<std::string, std::optional<std::string>>> values;
  };

  // Throws Unavailable.
  Connection& connection();
  void collect(const Submission&, Values& wanted) const;
  void read_all(Values& wanted);
  void lock_all(Values& wanted, const std::vector<std::string>& leases);
  void begin_transaction(std::vector<Call>&) const;
  // What a refusal of one of the transaction's statements means; rolls it back. Throws.
  [[noreturn]] void refused(const Refused&, bool may_be_out_of_scope);
  // After the connection was lost while a group was written. Throws Unavailable when the server cannot be asked.
  bool was_committed(std::int64_t group);
  void begin_epoch(Clock::time_point deadline);
  void roll_back();
  void keep_until_flushed(std::int64_t group, const std::vector<const Batch*>&, const std::vector<Committer::Counted>&);
  void write_lost_again();

  Pool& pool_;
  BoxLease& lease_;
  Versions& versions_;
  const std::vector<FamilySpec>& families_;
  const std::vector<FamilyStatements>& statements_;

  // Of the thread that commits.
  std::unique_ptr<Connection> connection_;
  bool is_outcome_open_ = false;  // a group was cut off, and no epoch has begun since
  std::int64_t group_ = 0, last_committed_ = 0;
  std::uint64_t losses_ = 0;
  Values read_;
  mutable std::map<Family, CounterValues> counters_;
  // Shared: of the group's transaction.
  bool is_begun_ = false;
  std::map<Family, std::vector<std::string>> empty_rows_;
  std::map<std::string, std::int64_t, std::less<>> leases_;

  std::atomic<std::uint64_t> begun_records_{0}, ended_records_{0};

  std::mutex keeping_;  // protects what follows
  std::deque<Group> unflushed_;
  std::size_t unflushed_bytes_ = 0;
};

}  // namespace store::postgres
