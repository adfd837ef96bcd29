#include "store/rocks/rocks_engine.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/write_buffer_manager.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "store/committer.h"
#include "store/counter_fields.h"
#include "store/counter_values.h"
#include "store/rocks/compaction_throttle.h"
#include "store/rocks/hash_memtable.h"
#include "store/rocks/log_check.h"
#include "store/rocks/rocks_files.h"
#include "store/rocks/store_folder.h"
#include "store/versions.h"

namespace store {
namespace {

namespace rocks = rocksdb;

std::string_view view(const rocks::Slice& slice) { return {slice.data(), slice.size()}; }
rocks::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

// The first error of a background flush or compaction ends writing for good: RocksDB 7.8 may lose data when it goes on.
class FailStop final : public rocks::EventListener {
 public:
  void OnBackgroundError(rocks::BackgroundErrorReason, rocks::Status* status) override { stop(status->ToString()); }
  void OnErrorRecoveryBegin(rocks::BackgroundErrorReason, rocks::Status, bool* auto_recovery) override {
    *auto_recovery = false;
  }

  explicit FailStop(Trouble on_trouble) : on_trouble_(std::move(on_trouble)) {}

  void stop(const std::string& cause) {
    stop_because("The store is read-only since a write failed (" + cause +
                 "). Free disk space or mend the disk, then restart agentbox; run `agentbox verify` if this repeats.");
  }
  // Writing on would build upon what is lost.
  void stop_damaged(const std::string& cause) {
    stop_because("The store is read-only since what it holds cannot be read (" + cause +
                 "). Stop agentbox, keep a copy of its folder, see what `agentbox verify` finds, and restore the " +
                 "newest backup with `agentbox restore`.");
  }
  std::optional<std::string> reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
  }

 private:
  void stop_because(const std::string& reason) {
    {
      const std::lock_guard lock(mutex_);
      if (reason_) return;
      reason_ = reason;
    }
    if (on_trouble_) on_trouble_(reason);
  }

  const Trouble on_trouble_;
  mutable std::mutex mutex_;
  std::optional<std::string> reason_;
};

struct RocksSnapshot final : Snapshot {
  explicit RocksSnapshot(rocks::DB& d) : db(d), snapshot(d.GetSnapshot()) {}
  ~RocksSnapshot() override { db.ReleaseSnapshot(snapshot); }
  rocks::DB& db;
  const rocks::Snapshot* snapshot;
};

// RocksDB keeps a log file of its own in the folder, which reading must not write.
class NoLog final : public rocks::Logger {
 public:
  using rocks::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

constexpr std::size_t most_kept_bytes = 64u << 10;  // of memory for writes, between two of them
constexpr std::size_t cache_bytes = 8u << 20, write_buffers_bytes = 8u << 20, log_bytes = 24u << 20;

rocks::DBOptions database_options(const std::shared_ptr<FailStop>& fail_stop,
                                  const std::shared_ptr<rocks::WriteBufferManager>& buffers) {
  rocks::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.paranoid_checks = true;
  options.max_bgerror_resume_count = 0;
  // What a crash left torn was cut off before, and what is damaged refused (mend_logs): RocksDB alone would skip a
  // block that begins with zeros.
  options.wal_recovery_mode = rocks::WALRecoveryMode::kAbsoluteConsistency;
  options.avoid_flush_during_recovery = true;
  options.max_total_wal_size = log_bytes;
  options.write_buffer_manager = buffers;
  options.listeners = {fail_stop};
  options.max_background_jobs = 2;
  options.writable_file_max_buffer_size = 256u << 10;
  options.allow_concurrent_memtable_write = false;  // there is one writer, and key tables bear no more
  options.max_open_files = 512;
  options.max_file_opening_threads = 1;
  options.skip_stats_update_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.keep_log_file_num = 2;
  options.max_log_file_size = 1u << 20;
  options.info_log_level = rocks::InfoLogLevel::WARN_LEVEL;
  return options;
}

// Families whose rows are written again and again and hardly ever scanned.
bool is_found_by_key(std::string_view family) {
  return family == "counters" || family == "usage_reservations" || family == "users";
}

// Those that are hardly ever read at all.
bool is_history(std::string_view family) { return family == "usage" || family == "usage_reservations"; }

// One where each owner's rows are written in their order, those of all owners mixed: each finds its place in the memory
// table by the last one of its owner.
bool is_in_order_of_owners(std::string_view family) { return family == "usage"; }

rocks::ColumnFamilyOptions family_options(const std::string& name, const std::shared_ptr<rocks::Cache>& cache,
                                          const std::shared_ptr<WritePressure>& pressure) {
  rocks::BlockBasedTableOptions table;
  // Each new file is read once to check it. Of a history, that would drive out of the cache what others look up.
  table.no_block_cache = is_history(name);
  if (is_history(name)) table.block_size = 16u << 10;  // compressing takes as much memory for small ones
  if (!table.no_block_cache) table.block_cache = cache;
  table.filter_policy.reset(rocks::NewBloomFilterPolicy(10));
  table.optimize_filters_for_memory = true;
  table.format_version = 5;
  table.data_block_index_type = rocks::BlockBasedTableOptions::kDataBlockBinaryAndHash;  // most reads are of one key
  rocks::ColumnFamilyOptions options;
  options.table_factory.reset(rocks::NewBlockBasedTableFactory(table));
  options.compression = rocks::kLZ4Compression;
  options.write_buffer_size = 8u << 20;
  options.arena_block_size = 64u << 10;
  options.paranoid_file_checks = true;
  options.force_consistency_checks = true;
  options.table_properties_collector_factories = {paced_tables(pressure, write_buffers_bytes / 4)};
  // Small memory tables make small files, of which more are merged at a time.
  if (is_found_by_key(name) || is_history(name)) options.level0_file_num_compaction_trigger = 8;
  if (is_found_by_key(name)) options.memtable_factory = key_table_factory();
  if (is_in_order_of_owners(name))
    options.memtable_insert_with_hint_prefix_extractor.reset(rocks::NewFixedPrefixTransform(sizeof(std::int64_t)));
  return options;
}

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
  Impl(const std::filesystem::path& path, bool reads_only, const Trouble& on_trouble)
      : folder(path, reads_only ? StoreFolder::Access::read_only : StoreFolder::Access::write),
        where(path.string()),
        fail_stop(std::make_shared<FailStop>(reads_only ? Trouble() : on_trouble)),
        read_only(reads_only) {
    if (on_trouble)
      for (const auto& torn : folder.torn()) on_trouble(torn);
  }

  StoreFolder folder;
  const std::string where;
  std::unique_ptr<rocks::Env> files;  // of a store that is written to; outlives db
  std::shared_ptr<FailStop> fail_stop;
  std::shared_ptr<rocks::Cache> cache = rocks::NewLRUCache(cache_bytes, 2);
  std::shared_ptr<rocks::WriteBufferManager> buffers =
      std::make_shared<rocks::WriteBufferManager>(write_buffers_bytes, nullptr);
  std::shared_ptr<WritePressure> pressure = std::make_shared<WritePressure>();
  std::unique_ptr<rocks::DB> db;
  std::vector<rocks::ColumnFamilyHandle*> handles;  // by Family, then those on disk that nobody named
  rocks::ReadOptions reading;
  const bool read_only;
  Versions versions;
  std::atomic<Sequence> on_disk = 0;  // the newest that is
  std::mutex syncing;  // one sync at a time: none may begin beside one that is about to fail, and seem to mend it
  mutable std::map<Family, CounterValues> known_counters;  // of whoever commits
  rocks::WriteBatch gathered;                              // likewise, for its memory
  std::unique_ptr<Committer> committer;                    // last: its thread uses the rest

  ~Impl() override {
    committer.reset();
    if (!db) return;
    pressure->hurry();
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
    auto& known = known_counters[family];
    if (const auto* figures = known.find(key)) return *figures;
    const auto bytes = get(reading, family, key);
    const auto figures = bytes ? decode_counter(*bytes) : CounterFields();
    known.put(key, figures);
    return figures;
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
            break;  // among those counted
        }
      }
    }
    for (const auto& [family, key, figures] : counted) all.Put(handles.at(family), slice(key), encode(figures));
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
    pressure->wrote(all.GetDataSize());
    if (all.GetDataSize() > most_kept_bytes) all = rocks::WriteBatch();
    if (sync) on_disk = db->GetLatestSequenceNumber();
    for (const auto& [family, key, figures] : counted) known_counters[family].put(key, figures);
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

std::unique_ptr<RocksEngine> RocksEngine::open(const std::filesystem::path& folder, std::vector<std::string> families,
                                               bool read_only, const Trouble& on_trouble) {
  auto impl = std::make_unique<Impl>(folder, read_only, on_trouble);
  auto options = database_options(impl->fail_stop, impl->buffers);
  if (read_only) {
    options.wal_recovery_mode = rocks::WALRecoveryMode::kPointInTimeRecovery;  // a torn end stays where it is
    options.info_log = std::make_shared<NoLog>();
  }
  const auto files = std::make_shared<StoreFiles>(impl->folder.is_new());
  if (!read_only) {
    impl->files = rocks::NewCompositeEnv(files);
    options.env = impl->files.get();
  }
  if (impl->folder.is_new()) impl->folder.begin_making();

  std::vector<std::string> names = std::move(families);
  std::vector<std::string> on_disk;
  if (impl->folder.is_new()) {
    names.push_back(rocks::kDefaultColumnFamilyName);
  } else {
    if (const auto status = rocks::DB::ListColumnFamilies(options, impl->where, &on_disk); !status.ok())
      cannot_open(folder, status);
    for (const auto& name : on_disk)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  std::vector<rocks::ColumnFamilyDescriptor> descriptors;
  for (const auto& name : names) {
    const bool exists = std::find(on_disk.begin(), on_disk.end(), name) != on_disk.end();
    if (read_only && !exists)
      throw Unavailable("the store in " + impl->where + " is older and has no records of kind " + name +
                        " yet: start agentbox once to bring it up");
    descriptors.emplace_back(name, family_options(name, impl->cache, impl->pressure));
  }
  rocks::DB* db = nullptr;
  const auto status = read_only ? rocks::DB::OpenForReadOnly(options, impl->where, descriptors, &impl->handles, &db)
                                : rocks::DB::Open(options, impl->where, descriptors, &impl->handles, &db);
  if (!status.ok()) cannot_open(folder, status);
  impl->db.reset(db);
  if (impl->folder.is_new()) {
    impl->folder.finish_making();
    files->sync_from_now_on();
  }
  impl->on_disk = db->GetLatestSequenceNumber();
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

EngineFigures RocksEngine::figures() const {
  EngineFigures figures;
  if (impl_->committer) {
    const auto& now = impl_->committer->activity();
    figures = {.commits = now.commits,
               .groups = now.groups,
               .conflicts = now.conflicts,
               .queued = now.queued,
               .last_group = now.last_group,
               .append_seconds = static_cast<double>(now.append_microseconds) / 1e6};
  }
  figures.memtable_bytes = impl_->buffers->memory_usage();
  figures.cache_bytes = impl_->cache->GetUsage();
  impl_->db->GetAggregatedIntProperty(rocks::DB::Properties::kLiveSstFilesSize, &figures.table_file_bytes);
  return figures;
}

void RocksEngine::backup(const std::filesystem::path& to) const {
  // A copy of damaged bytes is a true copy: nothing below would notice.
  if (const auto damaged = damaged_tables(); !damaged.empty())
    throw Unavailable("no backup was made, since " + damaged.front().what + ": keep the backups there are, and see " +
                      "what `agentbox verify` finds");
  // Its files can be read by whoever gets at them.
  std::error_code error;
  std::filesystem::create_directories(to, error);
  if (!error) std::filesystem::permissions(to, std::filesystem::perms::owner_all, error);
  if (error) throw Unavailable("the backup to " + to.string() + " failed: " + error.message());
  rocks::BackupEngineOptions options(to.string());
  options.share_table_files = true;
  options.share_files_with_checksum = true;
  rocks::BackupEngine* opened = nullptr;
  auto status = rocks::BackupEngine::Open(options, rocks::Env::Default(), &opened);
  const std::unique_ptr<rocks::BackupEngine> engine(opened);
  if (status.ok()) {
    rocks::CreateBackupOptions how;
    how.flush_before_backup = true;
    rocks::BackupID id = 0;
    status = engine->CreateNewBackup(how, impl_->db.get(), &id);
    if (status.ok()) status = engine->VerifyBackup(id, true);
  }
  if (!status.ok()) throw Unavailable("the backup to " + to.string() + " failed: " + status.ToString());
}

void RocksEngine::restore(const std::filesystem::path& from, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  if (fs::exists(folder) && !fs::is_empty(folder))
    throw Unavailable(folder.string() + " is not empty: restore into a folder that holds nothing yet");
  if (!fs::is_directory(from / "meta")) throw Unavailable("there is no backup in " + from.string());
  rocks::BackupEngineReadOnly* opened = nullptr;
  auto status =
      rocks::BackupEngineReadOnly::Open(rocks::BackupEngineOptions(from.string()), rocks::Env::Default(), &opened);
  const std::unique_ptr<rocks::BackupEngineReadOnly> engine(opened);
  // Restored beside its place and moved there when it is whole, so that a restore that was cut off leaves nothing
  // behind that looks like a store.
  const fs::path beside = fs::path(folder).concat(".restoring");
  std::vector<rocks::BackupInfo> backups;
  if (status.ok()) {
    engine->GetBackupInfo(&backups);
    if (backups.empty()) throw Unavailable("there is no backup in " + from.string());
    status = engine->VerifyBackup(backups.back().backup_id, true);
  }
  try {
    if (status.ok()) {
      fs::remove_all(beside);
      fs::create_directories(beside);
      status = engine->RestoreDBFromBackup(backups.back().backup_id, beside.string(), beside.string());
      StoreFolder::note_restored(beside);
    }
    if (status.ok()) {
      fs::remove(folder);
      fs::rename(beside, folder);
      sync_path(fs::absolute(folder).parent_path());
    }
  } catch (const fs::filesystem_error& error) {
    throw Unavailable("the backup in " + from.string() + " cannot be restored: " + error.what());
  }
  if (!status.ok()) throw Unavailable("the backup in " + from.string() + " cannot be restored: " + status.ToString());
}

std::vector<Damage> RocksEngine::verify_files() const {
  auto found = damaged_logs(impl_->where);
  for (auto& damage : damaged_tables()) found.push_back(std::move(damage));
  return found;
}

std::vector<Damage> RocksEngine::damaged_tables() const {
  std::vector<Damage> found;
  std::vector<rocks::LiveFileMetaData> files;
  impl_->db->GetLiveFilesMetaData(&files);
  const auto options = impl_->db->GetOptions();
  for (const auto& file : files) {
    rocks::SstFileReader reader(options);
    auto status = reader.Open(file.db_path + file.name);
    if (status.ok()) status = reader.VerifyChecksum();
    // A file that compaction has replaced meanwhile is none of the store's any more.
    if (!status.ok() && !status.IsPathNotFound() && !status.IsNotFound())
      found.push_back({"a table file of " + file.column_family_name + " is damaged: " + status.ToString(), file.name});
  }
  return found;
}

}  // namespace store
