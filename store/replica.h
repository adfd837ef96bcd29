// The store of a standby: a copy of another store (Replication::checkpoint) to which that one's writes are applied. It
// is opened by Store::open once it is to be written to by itself.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/engine.h"
#include "store/replication.h"

namespace store {

// Used by one thread at a time. All throw Unavailable, with a sentence; after an error of a write each further call
// does.
class Replica {
 public:
  // Of the default engine, and for writing: the folder is this process's alone until the object is gone.
  static std::unique_ptr<Replica> open(const std::filesystem::path& folder, const Trouble& on_trouble = {});
  virtual ~Replica() = default;

  // Of the newest write.
  virtual Position newest() const = 0;
  // As Replication::families: writes of a store with other numbers cannot be applied.
  virtual std::map<std::string, std::uint32_t> families() const = 0;
  // A write, which must be the one that follows. In the log when it returns.
  virtual void apply(Position first, std::string_view bytes) = 0;
  // Everything that was applied is on disk when it returns.
  virtual void sync() = 0;

  // These may be called on another thread meanwhile. 0 and nothing for a family that it does not have.
  virtual std::uint64_t count(const std::string& family) const = 0;
  virtual std::optional<std::string> get(const std::string& family, std::string_view key) const = 0;
};

}  // namespace store
