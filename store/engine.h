// The whole persistence contract: point and multi reads, lookups by index, ordered scans on a snapshot, an atomic
// conditional commit, sequences, and backup, verification and statistics. An engine lives in a folder of its own below
// store/ (rocks/: RocksDB), and is known to the rest by its EngineKind alone. tests/store/engine_contract_test.cpp
// holds every engine to this contract.
//
// Every read and every batch carries its scope, which the engine checks (scope.h).
//
// Versions are not stored and start anew with each open. Everything that caches by version relies on them: an engine
// that other boxes write beside (Sharing) changes version() within a second after a foreign write, or else returns a
// new number on each call, which turns the caches off, and it does not trust Precondition::version. Preconditions,
// bounds and sequences hold between all engines that have one database open.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "store/counter_fields.h"
#include "store/scope.h"

namespace store {

// Resumes on the awaiting coroutine's own io_context.
template <class T = void>
using Task = boost::asio::awaitable<T, boost::asio::io_context::executor_type>;

// How the records of a family are used. A hint: engines choose memory tables, caching and compression by it, and every
// operation works on every family.
enum class Access {
  general,     // looked up, listed and changed
  by_key,      // changed often and looked up by the whole key; hardly ever scanned
  counted,     // counters: added to with nearly every commit, looked up by the whole key
  by_history,  // appended in key order for each owner; hardly ever read
  transient    // inserted, and erased soon after, by the whole key; hardly ever read
};
std::string_view to_string(Access);

struct FamilySpec {
  std::string name;  // kept on disk
  Access access = Access::general;
  bool has_owner = false;   // keys begin with the owner's 8 bytes
  bool is_index = false;    // keys begin with the number of a table; values are keys of its records
  std::uint8_t number = 0;  // of the table in index entries; 0: it has none
};
using Family = std::uint32_t;  // index into the families the engine was opened with

// Thrown by commit when the store has gone read-only (first write error, failed fsync, disk full) and by open when
// the folder cannot be used. The message is a sentence with the cause and what to do.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Called with a sentence for each log that was found torn when opening, and when the store goes read-only. May be
// empty. Called on any thread.
using Trouble = std::function<void(const std::string& sentence)>;

// Thrown by reads when bytes on disk fail their checksum or do not parse.
struct Corrupt : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Precondition {
  enum class Kind {
    absent,   // no such key
    equals,   // the key holds exactly `value` ("unchanged since read")
    at_most,  // a field of the counter at `key`, with this batch's own additions, is at most `bound`
    held      // this box holds the lease named `key` with the epoch `bound` (boxes.h); the family is of no account
  };
  Kind kind;
  Family family;
  std::string key;
  std::string value{};
  // Of equals: Engine::version of the key, from before the value was read. A hint: if it is still the same, the engine
  // need not compare the value.
  std::optional<std::uint64_t> version{};
  std::size_t field = 0;
  std::int64_t bound = 0;
};

struct Write {
  enum class Kind {
    put,
    erase,
    add,   // counter += fields, each separately; an absent counter is 0
    raise  // counter = max(counter, fields), each separately
  };
  Kind kind;
  Family family;
  std::string key;
  std::string value{};  // of an erased index entry: the key of its record, by which its scope is checked
  CounterFields fields{};
};

// The writes take effect in their order. A key is either a counter, which is only added to and raised, or a value.
struct Batch {
  std::vector<Precondition> preconditions;
  std::vector<Write> writes;
  Scope scope = Scope::system();
  bool returns_sum = false;  // the first write adds to a counter: CommitResult::sum
};

// The strictest first. Commits in the log survive the end of the process, kill -9 included; synced ones survive a power
// failure.
enum class Durability {
  durable,  // returns once the log is synced
  prompt,   // returns once it is in the log, which is synced at once, but at most every ten milliseconds
  relaxed   // returns once it is in the log, which is synced within a second
};

// Committed, or the index of the first precondition that did not hold; then nothing was written.
struct CommitResult {
  std::optional<std::size_t> failed;
  std::int64_t sum = 0;  // of Batch::returns_sum: the counter's first field after the batch
  bool ok() const { return !failed; }
};

// A consistent view of the whole store at one moment. Must not outlive its engine.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
};

struct Range {
  std::string first;     // inclusive
  std::string last;      // exclusive; empty: to the end of the family
  bool reverse = false;  // from last to first
};

// A record that was found by an index.
struct Found {
  std::string key, value;
  std::optional<std::uint64_t> version{};  // Engine::version of the key, from before it was read
};

struct Damage {
  std::string what;   // a sentence
  std::string where;  // the file
};

// Since the engine was opened. What an engine does not have is 0.
struct EngineStats {
  std::uint64_t commits = 0, groups = 0, conflicts = 0;  // a group of commits shares one append to the log
  std::uint64_t queued = 0, last_group = 0;              // waiting now; commits in the last group
  std::uint64_t memtable_bytes = 0, cache_bytes = 0, file_bytes = 0;
  double append_seconds = 0;  // spent appending and syncing, in total
};

class Boxes;
class Replication;

class Engine {
 public:
  virtual ~Engine() = default;

  // Callable from every thread. Without a snapshot: the newest committed state. Keys order as unsigned bytes. Keys
  // outside of the scope read as absent. Reads throw Unavailable while the engine cannot be asked.
  virtual std::optional<std::string> get(Scope, Family, std::string_view key, const Snapshot* = nullptr) const = 0;
  virtual std::vector<std::optional<std::string>> multi_get(Scope, Family, std::span<const std::string> keys,
                                                            const Snapshot* = nullptr) const = 0;
  // The records that the entries in the range name, at one moment, in the order of the entries. Throws Corrupt when one
  // is not there. By default three reads; engines that are far away do it in one.
  virtual std::vector<Found> lookup(Scope, Family index, const Range& entries, Family records, std::size_t limit) const;
  // The record that the index entry names. Without a snapshot the entry and the record may be of different moments; the
  // value is empty if the record was erased between the two.
  virtual std::optional<Found> find_one(Scope, Family index, std::string_view entry, Family records,
                                        const Snapshot* = nullptr) const;
  virtual std::unique_ptr<Snapshot> snapshot() const = 0;
  // Calls `visit` in key order until it returns false. The views are valid during the call only.
  virtual void scan(Scope, Family, const Range&,
                    const std::function<bool(std::string_view key, std::string_view value)>& visit,
                    const Snapshot* = nullptr) const = 0;
  virtual CounterFields counter(Scope, Family, std::string_view key, const Snapshot* = nullptr) const = 0;
  // A number for all keys of the family with the same first eight bytes. It changes after each write to one of them,
  // and may change without. Read it before the records that are to be cached: while it stays the same, so do they. Not
  // kept over a restart.
  virtual std::uint64_t version(Family, std::string_view key) const = 0;

  // Batches are checked one after the other, in the order they were handed in; those that wait are appended together,
  // synced together if one of them is to be durable, and resumed together (Durability says what has happened by then).
  // Throws Unavailable when the store is read-only, Corrupt when what a precondition is about cannot be read, and
  // OutOfScope.
  virtual Task<CommitResult> commit(Batch, Durability = Durability::durable) = 0;
  // The same for threads that are not coroutines (command line, tests, migrations). Never call it on an io thread.
  virtual CommitResult commit_blocking(Batch, Durability = Durability::durable) = 0;

  // A positive number that was never returned before for this counter, by no engine that has the database open,
  // restarts included; larger than every number returned before the call. Throws as commit does.
  virtual Task<std::int64_t> next_number(Family counters, std::string key) = 0;
  virtual std::int64_t next_number_blocking(Family counters, const std::string& key) = 0;

  // Nothing while healthy; else the sentence that says why the store is read-only.
  virtual std::optional<std::string> read_only_reason() const = 0;

  // Adds a backup of the newest committed state to the folder `to`, while the store is in use. Blocks. Throws
  // Unavailable with the cause, also when the store's own files are damaged: then no backup is made.
  virtual void backup(const std::filesystem::path& to) const = 0;
  // Checks every file against its checksums and returns what does not match. Blocks.
  virtual std::vector<Damage> verify_files() const = 0;
  virtual EngineStats stats() const = 0;

  // How many records were put or erased before this moment, over all restarts: grows with each write, and by as many as
  // it changes. 0 where the engine does not count them.
  virtual std::uint64_t position(const Snapshot* = nullptr) const { return 0; }
  // What a standby follows this engine by (replication.h); null where the engine has none. Lives as long as the engine.
  virtual Replication* replication() { return nullptr; }
  // The other boxes that share the store. Lives as long as the engine.
  virtual Boxes& boxes();
};

// How a box shares its store with others (boxes.h).
struct Sharing {
  std::string address;    // where other boxes reach this one
  std::string version;    // of this program
  bool may_lose = false;  // also on a server without a synchronous standby, whose loss takes acknowledged changes along
  std::chrono::milliseconds lease{10'000};
  const std::atomic<bool>* is_paused = nullptr;  // for tests: while true the box neither renews its lease nor looks
};

struct EngineOptions {
  std::filesystem::path folder;
  // Families on disk that are not named here stay untouched.
  std::vector<FamilySpec> families;
  bool read_only = false;  // opens without writing
  // Bytes of logs that are kept when the store no longer needs them, for a standby that was away.
  std::uint64_t kept_log_bytes = 0;
  Trouble on_trouble{};
  // Without it the store serves this box alone, and others are refused. Throws Unavailable where an engine cannot.
  std::optional<Sharing> sharing{};
};

// One kind of engine: how to open it, and how to restore its backups.
struct EngineKind {
  // Throws Unavailable.
  std::unique_ptr<Engine> (*open)(EngineOptions);
  // The newest backup in `from` into `folder`, which must be empty or missing. Throws Unavailable.
  void (*restore)(const std::filesystem::path& from, const std::filesystem::path& folder);
};

}  // namespace store
