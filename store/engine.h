// The whole persistence contract: point and multi reads, ordered scans on a snapshot, and an atomic conditional commit.
// RocksEngine (rocks_engine.h) is the embedded default; the contract is small enough for a second engine over
// PostgreSQL.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "store/counter_fields.h"

namespace store {

// The coroutine type of the house; resumes on the awaiting coroutine's own io_context.
template <class T = void>
using Task = boost::asio::awaitable<T, boost::asio::io_context::executor_type>;

using Family = std::uint32_t;  // index into the names the engine was opened with

// Thrown by commit when the store has gone read-only (first write error, failed fsync, disk full) and by open when
// the folder cannot be used. The message is a sentence with the cause and what to do.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Hears, in a sentence, of what opening found torn, and why the store has gone read-only. May be empty; is called on
// any thread.
using Trouble = std::function<void(const std::string& sentence)>;

// Thrown by reads when bytes on disk fail their checksum or do not parse.
struct Corrupt : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Precondition {
  enum class Kind {
    absent,  // no such key
    equals,  // the key holds exactly `value` ("unchanged since read")
    at_most  // a figure of the counter at `key`, with this batch's own additions, is at most `bound`
  };
  Kind kind;
  Family family;
  std::string key;
  std::string value{};
  // Of equals: what Engine::version answered before the value was read. While it still does, nobody need look again.
  std::optional<std::uint64_t> version{};
  std::size_t figure = 0;
  std::int64_t bound = 0;
};

struct Write {
  enum class Kind {
    put,
    erase,
    add,   // counter += figures, each for itself; absent is 0
    raise  // counter = max(counter, figures)
  };
  Kind kind;
  Family family;
  std::string key;
  std::string value{};
  CounterFields figures{};
};

struct Batch {
  std::vector<Precondition> preconditions;
  std::vector<Write> writes;
};

// The strictest first. What is in the log survives the end of the process, kill -9 included; what is synced survives a
// power failure.
enum class Durability {
  durable,  // answered once the log is synced
  prompt,   // answered once it is in the log, which is synced at once, but not more often than every ten milliseconds
  relaxed   // answered once it is in the log, which is synced within a second
};

// Committed, or the index of the first precondition that did not hold; then nothing was written.
struct CommitResult {
  std::optional<std::size_t> failed;
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

class Engine {
 public:
  virtual ~Engine() = default;

  // Callable from every thread. Without a snapshot: the newest committed state.
  virtual std::optional<std::string> get(Family, std::string_view key, const Snapshot* = nullptr) const = 0;
  virtual std::vector<std::optional<std::string>> multi_get(Family, std::span<const std::string> keys,
                                                            const Snapshot* = nullptr) const = 0;
  virtual std::unique_ptr<Snapshot> snapshot() const = 0;
  // Calls `visit` in key order until it returns false. The views are valid during the call only.
  virtual void scan(Family, const Range&,
                    const std::function<bool(std::string_view key, std::string_view value)>& visit,
                    const Snapshot* = nullptr) const = 0;
  virtual CounterFields counter(Family, std::string_view key, const Snapshot* = nullptr) const = 0;
  // Differs from an earlier answer when a key with the same first eight bytes was written since, and may differ
  // without. Ask before reading what is to be remembered: while it stays the same, so do the records. Not kept over a
  // restart.
  virtual std::uint64_t version(Family, std::string_view key) const = 0;

  // Batches are judged one after the other, in the order they were handed in; those that wait are appended together,
  // synced together if one of them is to be durable, and resumed together (Durability says what has happened by then).
  // Throws Unavailable when the store is read-only, and Corrupt when what a precondition is about cannot be read.
  virtual Task<CommitResult> commit(Batch, Durability = Durability::durable) = 0;
  // The same for threads that are not coroutines (command line, tests, migrations). Never call it on an io thread.
  virtual CommitResult commit_blocking(Batch, Durability = Durability::durable) = 0;

  // Nothing while healthy; else the sentence that says why the store is read-only.
  virtual std::optional<std::string> read_only_reason() const = 0;
};

}  // namespace store
