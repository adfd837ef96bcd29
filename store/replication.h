// How a standby follows a store: a copy of its files as a base, then every write in its order. A write is the bytes of
// one append to the log and the position of its first record (Engine::position counts them).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace store {

using Position = std::uint64_t;

// Sees the writes of an engine.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  // After a write is in the log, and on disk if it is `synced`: before its callers are resumed. Called by the writer,
  // one call at a time, in the order of positions, without gaps between two calls.
  virtual void written(Position first, Position last, std::string_view bytes, bool synced) noexcept = 0;
};

// Callable from every thread.
class Replication {
 public:
  virtual ~Replication() = default;

  // From the next write on, after those that observe already.
  virtual void observe(WriteObserver&) = 0;
  // Returns once no call is in progress. The observer must outlive that.
  virtual void forget(WriteObserver&) = 0;
  // Of the newest write.
  virtual Position newest() const = 0;
  // Passes the writes behind `after` to `visit`, in their order, as far as they are in the logs, until it returns
  // false. Returns false, perhaps after some of them, when the logs no longer have the next one. Blocks. Throws
  // Unavailable.
  virtual bool read_log(Position after,
                        const std::function<bool(Position first, Position last, std::string_view bytes)>& visit) = 0;
  // The numbers that writes name the families by, which differ between stores that were made separately.
  virtual std::map<std::string, std::uint32_t> families() const = 0;
  // Makes `to`, which must not exist, a copy of the newest state: Replica::open opens it. Files that do not change are
  // hard links, so both must be on one file system. Blocks. Throws Unavailable.
  virtual void checkpoint(const std::filesystem::path& to) = 0;
};

}  // namespace store
