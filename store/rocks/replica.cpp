#include "store/replica.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "store/rocks/database.h"
#include "store/rocks/log_check.h"
#include "store/rocks/rocks_options.h"

namespace store {
namespace {

namespace rocks = rocksdb;

// Rebuilds a write with the marks of this store's own log: those of the other store say what is on its disk.
class Rewriter final : public rocks::WriteBatch::Handler {
 public:
  Rewriter(const Database& database, rocks::WriteBatch& to) : to_(to) {
    for (auto* handle : database.families()) handles_.emplace(handle->GetID(), handle);
  }

  rocks::Status PutCF(std::uint32_t family, const rocks::Slice& key, const rocks::Slice& value) override {
    const auto found = handles_.find(family);
    return found == handles_.end() ? unknown() : to_.Put(found->second, key, value);
  }
  rocks::Status DeleteCF(std::uint32_t family, const rocks::Slice& key) override {
    const auto found = handles_.find(family);
    return found == handles_.end() ? unknown() : to_.Delete(found->second, key);
  }
  void LogData(const rocks::Slice&) override {}

 private:
  static rocks::Status unknown() { return rocks::Status::InvalidArgument("a family that this store does not have"); }

  rocks::WriteBatch& to_;
  std::map<std::uint32_t, rocks::ColumnFamilyHandle*> handles_;
};

class RocksReplica final : public Replica {
 public:
  RocksReplica(const std::filesystem::path& folder, const Trouble& on_trouble)
      : fail_stop_(std::make_shared<FailStop>(on_trouble)),
        database_({.folder = folder, .families = {}, .read_only = false, .kept_log_bytes = 0, .on_trouble = on_trouble},
                  memory_, fail_stop_),
        on_disk_(newest()) {
    if (on_trouble)
      for (const auto& torn : database_.torn()) on_trouble(torn);
  }

  Position newest() const override { return database_.db().GetLatestSequenceNumber(); }
  std::map<std::string, std::uint32_t> families() const override { return database_.family_numbers(); }

  void apply(Position first, std::string_view bytes) override {
    if (const auto reason = fail_stop_->reason()) throw Unavailable(*reason);
    const auto before = newest();
    if (first != before + 1)
      throw Unavailable("The write " + std::to_string(first) + " does not follow " + std::to_string(before) + ".");
    const rocks::WriteBatch given{std::string(bytes)};
    rocks::WriteBatch own;
    own.PutLogData(on_disk_mark(on_disk_));
    Rewriter rewriter(database_, own);
    if (const auto status = given.Iterate(&rewriter); !status.ok())
      throw Unavailable("The write " + std::to_string(first) + " cannot be applied: " + status.ToString());
    own.PutLogData(rocks::Slice(&end_mark, 1));
    if (const auto status = database_.db().Write({}, &own); !status.ok()) stop(status);
    memory_.pressure->wrote(own.GetDataSize());
  }

  void sync() override {
    if (const auto reason = fail_stop_->reason()) throw Unavailable(*reason);
    const auto applied = newest();
    if (applied == on_disk_) return;
    if (const auto status = database_.db().SyncWAL(); !status.ok()) stop(status);
    on_disk_ = applied;
  }

  std::uint64_t count(const std::string& family) const override {
    auto* handle = find(family);
    if (!handle) return 0;
    std::uint64_t count = 0;
    const std::unique_ptr<rocks::Iterator> cursor(database_.db().NewIterator({}, handle));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++count;
    if (!cursor->status().ok()) throw Unavailable("The store cannot be read: " + cursor->status().ToString());
    return count;
  }

  std::optional<std::string> get(const std::string& family, std::string_view key) const override {
    auto* handle = find(family);
    std::string value;
    if (!handle) return std::nullopt;
    const auto status = database_.db().Get({}, handle, rocks::Slice(key.data(), key.size()), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) throw Unavailable("The store cannot be read: " + status.ToString());
    return value;
  }

 private:
  rocks::ColumnFamilyHandle* find(const std::string& family) const {
    for (auto* handle : database_.families())
      if (handle->GetName() == family) return handle;
    return nullptr;
  }
  [[noreturn]] void stop(const rocks::Status& status) {
    fail_stop_->stop(status.ToString());
    throw Unavailable(*fail_stop_->reason());
  }

  const std::shared_ptr<FailStop> fail_stop_;
  const SharedMemory memory_;
  const Database database_;
  Position on_disk_;
};

}  // namespace

std::unique_ptr<Replica> Replica::open(const std::filesystem::path& folder, const Trouble& on_trouble) {
  if (!std::filesystem::exists(folder / "CURRENT")) throw Unavailable("there is no store in " + folder.string());
  return std::make_unique<RocksReplica>(folder, on_trouble);
}

}  // namespace store
