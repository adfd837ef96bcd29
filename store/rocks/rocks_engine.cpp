#include "store/rocks/rocks_engine.h"

#include <rocksdb/db.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "store/committer.h"
#include "store/counter_fields.h"
#include "store/counter_values.h"
#include "store/rocks/backup.h"
#include "store/rocks/fail_stop.h"
#include "store/rocks/log_check.h"
#include "store/rocks/rocks_files.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/store_folder.h"
#include "store/versions.h"

namespace store {
namespace {

namespace rocks = rocksdb;

std::string_view view(const rocks::Slice& slice) { return {slice.data(), slice.size()}; }
rocks::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

struct RocksSnapshot final : Snapshot {
  explicit RocksSnapshot(rocks::DB& d) : db(d), snapshot(d.GetSnapshot()) {}
  ~RocksSnapshot() override { db.ReleaseSnapshot(snapshot); }
  rocks::DB& db;
  const rocks::Snapshot* snapshot;
};

constexpr std::size_t most_kept_bytes = 64u << 10;  // memory of a write batch that is kept for the next one

[[noreturn]] void cannot_open(const std::filesystem::path& folder, const rocks::Status& status) {
  const auto text = status.ToString();
  const auto where = "the store in " + folder.string();
  if (status.IsCorruption())
    throw Unavailable(where + " is damaged (" + text + "). Keep a copy of the folder, then restore the newest backup " +
                      "with `agentbox restore` into an empty one");
  if (status.IsNoSpace()) throw Unavailable(where + " cannot be opened: the disk is full");
  throw Unavailable(where + " cannot be opened: " + text);
}

}  // namespace

struct RocksEngine::Impl final : Committer::Log {
  explicit Impl(const EngineOptions& options)
      : folder(options.folder, options.read_only ? StoreFolder::Access::read_only : StoreFolder::Access::write),
        where(options.folder.string()),
        fail_stop(std::make_shared<FailStop>(options.read_only ? Trouble() : options.on_trouble)),
        read_only(options.read_only) {
    if (options.on_trouble)
      for (const auto& torn : folder.torn()) options.on_trouble(torn);
  }
  // The families on disk, which RocksDB needs to be opened with, and those of the options that are not there yet.
  struct Descriptors {
    std::vector<rocks::ColumnFamilyDescriptor> existing, missing;
  };
  Descriptors descriptors(const EngineOptions&, const rocks::DBOptions&) const;
  rocks::Status open(const rocks::DBOptions&, const Descriptors&, const std::vector<FamilySpec>& wanted);

  StoreFolder folder;
  const std::string where;
  std::unique_ptr<rocks::Env> files;  // of a store that is written to; outlives db
  std::shared_ptr<FailStop> fail_stop;
  const SharedMemory memory;
  std::unique_ptr<rocks::DB> db;
  std::vector<rocks::ColumnFamilyHandle*> handles;  // by Family, then those on disk that were not named
  rocks::ReadOptions reading;
  const bool read_only;
  Versions versions;
  std::atomic<Sequence> on_disk = 0;  // the newest number that is synced
  std::mutex syncing;  // one sync at a time: one that starts beside a failing one could succeed and hide it
  mutable std::map<Family, CounterValues> cached_counters;  // of the thread that commits
  rocks::WriteBatch gathered;                               // likewise; kept for its memory
  std::unique_ptr<Committer> committer;                     // last: its thread uses the rest

  ~Impl() override {
    committer.reset();
    if (!db) return;
    memory.pressure->hurry();
    if (!read_only && !fail_stop->reason())
      db->Flush(rocks::FlushOptions(), handles);  // the next start replays nothing
    for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
    db->Close();
  }

  rocks::ReadOptions at(const Snapshot* snapshot) const {
    auto options = reading;
    if (snapshot) options.snapshot = static_cast<const RocksSnapshot*>(snapshot)->snapshot;
    return options;
  }

  std::optional<std::string> get(const rocks::ReadOptions& options, Family family, std::string_view key) const {
    rocks::PinnableSlice value;
    const auto status = db->Get(options, handles.at(family), slice(key), &value);
    if (status.IsNotFound()) return {};
    check_read(status);
    return std::string(value.data(), value.size());
  }

  void check_read(const rocks::Status& status) const {
    if (status.ok()) return;
    if (status.IsCorruption()) fail_stop->stop_damaged(status.ToString());
    throw Corrupt("the store cannot be read: " + status.ToString());
  }

  std::optional<std::string> read(Family family, std::string_view key) const override {
    return get(reading, family, key);
  }
  CounterFields read_counter(Family family, std::string_view key) const override {
    auto& cached = cached_counters[family];
    if (const auto* fields = cached.find(key)) return *fields;
    const auto bytes = get(reading, family, key);
    const auto fields = bytes ? decode_counter(*bytes) : CounterFields();
    cached.put(key, fields);
    return fields;
  }

  std::uint64_t version(Family family, std::string_view key) const override { return versions.of(family, key); }

  bool append(const std::vector<const Batch*>& batches, const std::vector<Committer::Counted>& counted,
              Append how) override {
    if (const auto reason = fail_stop->reason()) throw Unavailable(*reason);
    auto& all = gathered;
    all.Clear();
    all.PutLogData(on_disk_mark(on_disk));
    for (const auto* batch : batches) {
      for (const auto& write : batch->writes) {
        switch (write.kind) {
          case Write::Kind::put:
            all.Put(handles.at(write.family), write.key, write.value);
            break;
          case Write::Kind::erase:
            all.Delete(handles.at(write.family), write.key);
            break;
          case Write::Kind::add:
          case Write::Kind::raise:
            break;  // part of `counted`
        }
      }
    }
    for (const auto& [family, key, fields] : counted) all.Put(handles.at(family), slice(key), encode(fields));
    all.PutLogData(rocks::Slice(&end_mark, 1));
    const bool sync = how == Append::synced;
    rocks::WriteOptions options;
    options.sync = sync;
    options.no_slowdown = how == Append::at_once;
    std::unique_lock lock(syncing, std::defer_lock);
    if (sync) {
      lock.lock();
      if (const auto reason = fail_stop->reason()) throw Unavailable(*reason);
    }
    const auto status = db->Write(options, &all);
    if (options.no_slowdown && status.IsIncomplete()) return false;
    if (!status.ok()) {
      fail_stop->stop(status.ToString());  // a failed fsync may succeed when repeated, for pages that are lost
      throw Unavailable(*fail_stop->reason());
    }
    memory.pressure->wrote(all.GetDataSize());
    if (all.GetDataSize() > most_kept_bytes) all = rocks::WriteBatch();
    if (sync) on_disk = db->GetLatestSequenceNumber();
    for (const auto& [family, key, fields] : counted) cached_counters[family].put(key, fields);
    for (const auto* batch : batches)
      for (const auto& write : batch->writes) versions.bump(write.family, write.key);
    return true;
  }

  void sync() override {
    const std::lock_guard lock(syncing);
    if (const auto reason = fail_stop->reason()) throw Unavailable(*reason);
    const auto newest = db->GetLatestSequenceNumber();
    if (const auto status = db->SyncWAL(); !status.ok()) {
      fail_stop->stop(status.ToString());
      throw Unavailable(*fail_stop->reason());
    }
    on_disk = newest;
  }
};

RocksEngine::RocksEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RocksEngine::~RocksEngine() = default;

RocksEngine::Impl::Descriptors RocksEngine::Impl::descriptors(const EngineOptions& wanted,
                                                              const rocks::DBOptions& options) const {
  std::vector<std::string> existing;
  if (!folder.is_new())
    if (const auto status = rocks::DB::ListColumnFamilies(options, where, &existing); !status.ok())
      cannot_open(wanted.folder, status);
  if (folder.is_new()) existing.push_back(rocks::kDefaultColumnFamilyName);
  Descriptors found;
  for (const auto& family : wanted.families) {
    const bool is_there = std::ranges::find(existing, family.name) != existing.end();
    if (read_only && !is_there)
      throw Unavailable("the store in " + where + " is older and has no records of kind " + family.name +
                        " yet: start agentbox once to bring it up");
    auto& list = is_there ? found.existing : found.missing;
    list.emplace_back(family.name, family_options(family.access, memory));
  }
  for (const auto& name : existing)
    if (std::ranges::find(wanted.families, name, &FamilySpec::name) == wanted.families.end())
      found.existing.emplace_back(name, family_options(Access::general, memory));
  return found;
}

// RocksDB would create missing families while it opens, but one by one, and write its file of all options after each:
// for seventy families that is most of the time that a new store takes.
rocks::Status RocksEngine::Impl::open(const rocks::DBOptions& options, const Descriptors& families,
                                      const std::vector<FamilySpec>& wanted) {
  rocks::DB* opened = nullptr;
  auto status = read_only ? rocks::DB::OpenForReadOnly(options, where, families.existing, &handles, &opened)
                          : rocks::DB::Open(options, where, families.existing, &handles, &opened);
  if (!status.ok()) return status;
  db.reset(opened);
  if (!families.missing.empty()) {
    std::vector<rocks::ColumnFamilyHandle*> created;
    status = db->CreateColumnFamilies(families.missing, &created);
    handles.insert(handles.end(), created.begin(), created.end());
    if (!status.ok()) return status;
  }
  for (std::size_t family = 0; family < wanted.size(); ++family) {
    const auto named = std::find_if(handles.begin() + std::ptrdiff_t(family), handles.end(),
                                    [&](auto* handle) { return handle->GetName() == wanted[family].name; });
    std::iter_swap(handles.begin() + std::ptrdiff_t(family), named);
  }
  return status;
}

std::unique_ptr<RocksEngine> RocksEngine::open(EngineOptions wanted) {
  auto impl = std::make_unique<Impl>(wanted);
  const bool read_only = wanted.read_only;
  auto options = database_options(read_only, impl->memory, impl->fail_stop);
  const auto files = std::make_shared<StoreFiles>(impl->folder.is_new());
  if (!read_only) {
    impl->files = rocks::NewCompositeEnv(files);
    options.env = impl->files.get();
  }
  if (impl->folder.is_new()) impl->folder.begin_creation();

  if (const auto status = impl->open(options, impl->descriptors(wanted, options), wanted.families); !status.ok())
    cannot_open(wanted.folder, status);
  if (impl->folder.is_new()) {
    impl->folder.finish_creation();
    files->sync_from_now_on();
  }
  impl->on_disk = impl->db->GetLatestSequenceNumber();
  if (!read_only) impl->folder.finish_restoring();
  if (!read_only) impl->committer = std::make_unique<Committer>(*impl);
  return std::unique_ptr<RocksEngine>(new RocksEngine(std::move(impl)));
}

std::optional<std::string> RocksEngine::get(Family family, std::string_view key, const Snapshot* snapshot) const {
  return snapshot ? impl_->get(impl_->at(snapshot), family, key) : impl_->get(impl_->reading, family, key);
}

std::vector<std::optional<std::string>> RocksEngine::multi_get(Family family, std::span<const std::string> keys,
                                                               const Snapshot* snapshot) const {
  std::vector<rocks::Slice> slices(keys.begin(), keys.end());
  std::vector<rocks::PinnableSlice> values(keys.size());
  std::vector<rocks::Status> statuses(keys.size());
  impl_->db->MultiGet(impl_->at(snapshot), impl_->handles.at(family), keys.size(), slices.data(), values.data(),
                      statuses.data());
  std::vector<std::optional<std::string>> found(keys.size());
  for (std::size_t index = 0; index < keys.size(); ++index) {
    if (statuses[index].IsNotFound()) continue;
    impl_->check_read(statuses[index]);
    found[index].emplace(values[index].data(), values[index].size());
  }
  return found;
}

std::unique_ptr<Snapshot> RocksEngine::snapshot() const { return std::make_unique<RocksSnapshot>(*impl_->db); }

void RocksEngine::scan(Family family, const Range& range,
                       const std::function<bool(std::string_view, std::string_view)>& visit,
                       const Snapshot* snapshot) const {
  auto options = impl_->at(snapshot);
  const auto last = slice(range.last), first = slice(range.first);
  if (!range.last.empty()) options.iterate_upper_bound = &last;
  options.iterate_lower_bound = &first;
  const std::unique_ptr<rocks::Iterator> cursor(impl_->db->NewIterator(options, impl_->handles.at(family)));
  for (range.reverse ? cursor->SeekToLast() : cursor->SeekToFirst(); cursor->Valid();
       range.reverse ? cursor->Prev() : cursor->Next())
    if (!visit(view(cursor->key()), view(cursor->value()))) return;
  impl_->check_read(cursor->status());
}

CounterFields RocksEngine::counter(Family family, std::string_view key, const Snapshot* snapshot) const {
  const auto bytes = get(family, key, snapshot);
  return bytes ? decode_counter(*bytes) : CounterFields();
}

std::uint64_t RocksEngine::version(Family family, std::string_view key) const { return impl_->version(family, key); }

Task<CommitResult> RocksEngine::commit(Batch batch, Durability durability) {
  if (const auto reason = read_only_reason()) throw Unavailable(*reason);
  return impl_->committer->commit(std::move(batch), durability);
}

CommitResult RocksEngine::commit_blocking(Batch batch, Durability durability) {
  if (const auto reason = read_only_reason()) throw Unavailable(*reason);
  return impl_->committer->commit_blocking(std::move(batch), durability);
}

std::optional<std::string> RocksEngine::read_only_reason() const {
  if (impl_->read_only) return "The store was opened for reading only.";
  return impl_->fail_stop->reason();
}

EngineStats RocksEngine::stats() const {
  EngineStats stats;
  if (impl_->committer) {
    const auto& now = impl_->committer->activity();
    stats = {.commits = now.commits,
             .groups = now.groups,
             .conflicts = now.conflicts,
             .queued = now.queued,
             .last_group = now.last_group,
             .append_seconds = static_cast<double>(now.append_microseconds) / 1e6};
  }
  stats.memtable_bytes = impl_->memory.write_buffers->memory_usage();
  stats.cache_bytes = impl_->memory.cache->GetUsage();
  impl_->db->GetAggregatedIntProperty(rocks::DB::Properties::kLiveSstFilesSize, &stats.file_bytes);
  return stats;
}

void RocksEngine::backup(const std::filesystem::path& to) const { make_backup(*impl_->db, to); }

std::vector<Damage> RocksEngine::verify_files() const {
  auto found = damaged_logs(impl_->where);
  for (auto& damage : damaged_tables(*impl_->db)) found.push_back(std::move(damage));
  return found;
}

const EngineKind rocks_engine{
    .open = [](EngineOptions options) -> std::unique_ptr<Engine> { return RocksEngine::open(std::move(options)); },
    .restore = restore_backup};

}  // namespace store
