#include "store/rocks/rocks_engine.h"

#include <rocksdb/db.h>
#include <rocksdb/transaction_log.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "store/committer.h"
#include "store/counter_fields.h"
#include "store/counter_values.h"
#include "store/engine_log.h"
#include "store/replication.h"
#include "store/rocks/backup.h"
#include "store/rocks/database.h"
#include "store/rocks/log_check.h"
#include "store/rocks/recovery.h"
#include "store/rocks/use_gate.h"
#include "store/sequences.h"
#include "store/versions.h"

namespace store {
namespace {

namespace rocks = rocksdb;

std::string_view view(const rocks::Slice& slice) { return {slice.data(), slice.size()}; }
rocks::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

struct RocksSnapshot final : Snapshot {
  RocksSnapshot(UseGate::Pass p, rocks::DB& d) : pass(std::move(p)), db(d), snapshot(d.GetSnapshot()) {}
  ~RocksSnapshot() override { db.ReleaseSnapshot(snapshot); }
  const UseGate::Pass pass;
  rocks::DB& db;
  const rocks::Snapshot* snapshot;
};

constexpr std::size_t max_kept_bytes = 64u << 10;  // memory of a write batch that is kept for the next one

}  // namespace

struct RocksEngine::Impl final : Committer::Log, Replication {
  explicit Impl(EngineOptions given)
      : opening(std::move(given)),
        scopes(opening.families),
        fail_stop(std::make_shared<FailStop>(opening.read_only ? Trouble() : opening.on_trouble)),
        database(std::make_unique<Database>(opening, memory, fail_stop)),
        on_disk(database->db().GetLatestSequenceNumber()) {
    if (opening.on_trouble)
      for (const auto& torn : database->torn()) opening.on_trouble(torn);
    if (opening.read_only) return;
    committer = std::make_unique<Committer>(*this);
    recovery = std::make_unique<Recovery>([this] { return fail_stop->failures().has_value(); },
                                          [this] { return try_to_recover(); });
  }

  const EngineOptions opening;
  const ScopeRules scopes;
  const std::shared_ptr<FailStop> fail_stop;
  const SharedMemory memory;
  UseGate gate;                        // every use of `database` holds a pass
  std::unique_ptr<Database> database;  // null: it could not be reopened
  rocks::ReadOptions reading;
  Versions versions;
  Sequences sequences;
  std::atomic<Sequence> on_disk;  // the newest number that is synced
  std::mutex syncing;             // one sync at a time: one that starts beside a failing one could succeed and hide it
  std::atomic<bool> is_observed{false};
  std::mutex observing;  // protects observers, and is held while they are called
  std::vector<WriteObserver*> observers;
  mutable std::map<Family, CounterValues> cached_counters;  // of the thread that commits
  rocks::WriteBatch gathered;                               // likewise; kept for its memory
  std::atomic<std::uint64_t> generation{0};                 // of `database`
  mutable std::optional<std::uint64_t> checked;             // that preconditions were checked against; of the thread
                                                            // that commits
  std::unique_ptr<Committer> committer;                     // its threads use the rest
  std::unique_ptr<Recovery> recovery;                       // likewise

  ~Impl() override {
    recovery.reset();
    committer.reset();
  }

  // With a pass.
  const Database& opened() const {
    if (!database) throw Unavailable(fail_stop->reason().value_or("The store is not open."));
    return *database;
  }

  std::int64_t next(Family, const std::string& key);

  bool try_to_recover() {
    const auto failures = fail_stop->failures();
    if (!failures || !takes_writes(opening.folder) || !gate.close_if_unused()) return false;
    const bool is_open = open_anew();
    gate.open();
    if (!is_open) return false;
    const auto pass = gate.enter();
    if (const auto damage = damaged_tables(opened().db()); !damage.empty()) {
      fail_stop->stop_damaged(damage.front().what);
      return false;
    }
    if (!fail_stop->recover(*failures)) return false;
    if (engine_log())
      engine_log()(EngineSays::warning, "The store was reopened and checked: it accepts changes again.");
    return true;
  }

  // While no thread uses the database. Where it can only be read, reads go on.
  bool open_anew() {
    database.reset();
    cached_counters.clear();
    ++generation;
    bool is_open = false;
    auto wanted = opening;
    for (const bool read_only : {false, true}) try {
        wanted.read_only = read_only;
        database = std::make_unique<Database>(wanted, memory, fail_stop);
        on_disk = database->db().GetLatestSequenceNumber();
        is_open = !read_only;
        break;
      } catch (const std::exception& error) {
        if (engine_log()) engine_log()(EngineSays::error, error.what());
      }
    versions.bump_all();
    return is_open;
  }

  rocks::ReadOptions at(const Snapshot* snapshot) const {
    auto options = reading;
    if (snapshot) options.snapshot = static_cast<const RocksSnapshot*>(snapshot)->snapshot;
    return options;
  }

  std::optional<std::string> get(const rocks::ReadOptions& options, Family family, std::string_view key) const {
    const auto& open = opened();
    rocks::PinnableSlice value;
    const auto status = open.db().Get(options, open.family(family), slice(key), &value);
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
    const auto pass = gate.enter();
    if (!checked) checked = generation;
    return get(reading, family, key);
  }
  CounterFields read_counter(Family family, std::string_view key) const override {
    const auto pass = gate.enter();
    if (!checked) checked = generation;
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
    const auto pass = gate.enter();
    const auto checked_against = std::exchange(checked, std::nullopt);
    if (const auto reason = fail_stop->reason()) throw Unavailable(*reason);
    if (checked_against && *checked_against != generation)
      throw Unavailable("The store was reopened meanwhile: try again.");
    const auto& open = opened();
    auto& all = gathered;
    all.Clear();
    all.PutLogData(on_disk_mark(on_disk));
    for (const auto* batch : batches) {
      for (const auto& write : batch->writes) {
        switch (write.kind) {
          case Write::Kind::put:
            all.Put(open.family(write.family), write.key, write.value);
            break;
          case Write::Kind::erase:
            all.Delete(open.family(write.family), write.key);
            break;
          case Write::Kind::add:
          case Write::Kind::raise:
            break;  // part of `counted`
        }
      }
    }
    for (const auto& [family, key, fields] : counted) all.Put(open.family(family), slice(key), encode(fields));
    all.PutLogData(rocks::Slice(&end_mark, 1));
    const bool sync = how == Append::synced;
    rocks::WriteOptions writing;
    writing.sync = sync;
    writing.no_slowdown = how == Append::at_once;
    std::unique_lock lock(syncing, std::defer_lock);
    if (sync) {
      lock.lock();
      if (const auto reason = fail_stop->reason()) throw Unavailable(*reason);
    }
    const auto status = open.db().Write(writing, &all);
    if (writing.no_slowdown && status.IsIncomplete()) return false;
    if (!status.ok()) {
      fail_stop->stop(status.ToString());  // a failed fsync may succeed when repeated, for pages that are lost
      throw Unavailable(*fail_stop->reason());
    }
    memory.pressure->wrote(all.GetDataSize());
    if (sync) on_disk = open.db().GetLatestSequenceNumber();
    for (const auto& [family, key, fields] : counted) cached_counters[family].put(key, fields);
    for (const auto* batch : batches)
      for (const auto& write : batch->writes) versions.bump(write.family, write.key);
    if (lock) lock.unlock();  // an observer may wait
    if (is_observed.load(std::memory_order_relaxed)) report_write(open, sync);
    if (all.GetDataSize() > max_kept_bytes) all = rocks::WriteBatch();
    return true;
  }

  // Of the write in `gathered`, which is the newest: there is one writer.
  void report_write(const Database& open, bool synced) {
    const auto count = static_cast<Position>(gathered.Count());
    if (count == 0) return;
    const auto last = open.db().GetLatestSequenceNumber();
    const std::lock_guard lock(observing);
    for (auto* observer : observers) observer->written(last - count + 1, last, gathered.Data(), synced);
  }

  void observe(WriteObserver& wanted) override {
    const std::lock_guard lock(observing);
    observers.push_back(&wanted);
    is_observed = true;
  }
  void forget(WriteObserver& known) override {
    const std::lock_guard lock(observing);
    std::erase(observers, &known);
    is_observed = !observers.empty();
  }

  Position newest() const override {
    const auto pass = gate.enter();
    return opened().db().GetLatestSequenceNumber();
  }

  bool read_log(Position after, const std::function<bool(Position, Position, std::string_view)>& visit) override {
    const auto pass = gate.enter();
    std::unique_ptr<rocks::TransactionLogIterator> cursor;
    if (!opened().db().GetUpdatesSince(after + 1, &cursor).ok()) return false;
    for (auto next = after + 1; cursor->Valid(); cursor->Next()) {
      const auto found = cursor->GetBatch();
      const auto last = found.sequence + static_cast<Position>(found.writeBatchPtr->Count()) - 1;
      if (last < next) continue;
      if (found.sequence != next) return false;
      if (!visit(found.sequence, last, found.writeBatchPtr->Data())) return true;
      next = last + 1;
    }
    return cursor->status().ok();
  }

  std::map<std::string, std::uint32_t> families() const override {
    const auto pass = gate.enter();
    return opened().family_numbers();
  }

  void checkpoint(const std::filesystem::path& to) override {
    const auto pass = gate.enter();
    make_checkpoint(opened().db(), to);
  }

  void sync() override {
    const auto pass = gate.enter();
    const std::lock_guard lock(syncing);
    if (const auto reason = fail_stop->reason()) throw Unavailable(*reason);
    auto& db = opened().db();
    const auto newest = db.GetLatestSequenceNumber();
    if (const auto status = db.SyncWAL(); !status.ok()) {
      fail_stop->stop(status.ToString());
      throw Unavailable(*fail_stop->reason());
    }
    on_disk = newest;
  }
};

RocksEngine::RocksEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RocksEngine::~RocksEngine() = default;

std::unique_ptr<RocksEngine> RocksEngine::open(EngineOptions wanted) {
  if (wanted.sharing) throw Unavailable("The embedded store serves one box: several boxes need PostgreSQL.");
  return std::unique_ptr<RocksEngine>(new RocksEngine(std::make_unique<Impl>(std::move(wanted))));
}

std::optional<std::string> RocksEngine::get(Scope scope, Family family, std::string_view key,
                                            const Snapshot* snapshot) const {
  const auto pass = impl_->gate.enter();
  auto value = snapshot ? impl_->get(impl_->at(snapshot), family, key) : impl_->get(impl_->reading, family, key);
  if (value && !impl_->scopes.reach(scope, family, key, *value)) value.reset();
  return value;
}

std::vector<std::optional<std::string>> RocksEngine::multi_get(Scope scope, Family family,
                                                               std::span<const std::string> keys,
                                                               const Snapshot* snapshot) const {
  const auto pass = impl_->gate.enter();
  const auto& open = impl_->opened();
  std::vector<rocks::Slice> slices(keys.begin(), keys.end());
  std::vector<rocks::PinnableSlice> values(keys.size());
  std::vector<rocks::Status> statuses(keys.size());
  open.db().MultiGet(impl_->at(snapshot), open.family(family), keys.size(), slices.data(), values.data(),
                     statuses.data());
  std::vector<std::optional<std::string>> found(keys.size());
  for (std::size_t index = 0; index < keys.size(); ++index) {
    if (statuses[index].IsNotFound()) continue;
    impl_->check_read(statuses[index]);
    if (impl_->scopes.reach(scope, family, keys[index], view(values[index])))
      found[index].emplace(values[index].data(), values[index].size());
  }
  return found;
}

std::unique_ptr<Snapshot> RocksEngine::snapshot() const {
  auto pass = impl_->gate.enter();
  auto& db = impl_->opened().db();
  return std::make_unique<RocksSnapshot>(std::move(pass), db);
}

std::uint64_t RocksEngine::position(const Snapshot* snapshot) const {
  if (snapshot) return static_cast<const RocksSnapshot*>(snapshot)->snapshot->GetSequenceNumber();
  const auto pass = impl_->gate.enter();
  return impl_->opened().db().GetLatestSequenceNumber();
}

void RocksEngine::scan(Scope scope, Family family, const Range& range,
                       const std::function<bool(std::string_view, std::string_view)>& visit,
                       const Snapshot* snapshot) const {
  const auto pass = impl_->gate.enter();
  const auto& open = impl_->opened();
  auto options = impl_->at(snapshot);
  const auto last = slice(range.last), first = slice(range.first);
  if (!range.last.empty()) options.iterate_upper_bound = &last;
  options.iterate_lower_bound = &first;
  const std::unique_ptr<rocks::Iterator> cursor(open.db().NewIterator(options, open.family(family)));
  for (range.reverse ? cursor->SeekToLast() : cursor->SeekToFirst(); cursor->Valid();
       range.reverse ? cursor->Prev() : cursor->Next())
    if (impl_->scopes.reach(scope, family, view(cursor->key()), view(cursor->value())) &&
        !visit(view(cursor->key()), view(cursor->value())))
      return;
  impl_->check_read(cursor->status());
}

CounterFields RocksEngine::counter(Scope scope, Family family, std::string_view key, const Snapshot* snapshot) const {
  const auto bytes = get(scope, family, key, snapshot);
  return bytes ? decode_counter(*bytes) : CounterFields();
}

std::uint64_t RocksEngine::version(Family family, std::string_view key) const { return impl_->version(family, key); }

Task<CommitResult> RocksEngine::commit(Batch batch, Durability durability) {
  if (const auto reason = read_only_reason()) throw Unavailable(*reason);
  impl_->scopes.check(batch);
  return impl_->committer->commit(std::move(batch), durability);
}

CommitResult RocksEngine::commit_blocking(Batch batch, Durability durability) {
  if (const auto reason = read_only_reason()) throw Unavailable(*reason);
  impl_->scopes.check(batch);
  return impl_->committer->commit_blocking(std::move(batch), durability);
}

std::int64_t RocksEngine::Impl::next(Family family, const std::string& key) {
  return sequences.next(key, [&] {
    const auto pass = gate.enter();
    const auto bytes = get(reading, family, key);
    return bytes ? decode_counter(*bytes)[0] : 0;
  });
}

Task<std::int64_t> RocksEngine::next_number(Family family, std::string key) {
  const auto number = impl_->next(family, key);
  auto batch = Sequences::keep(family, std::move(key), number);
  co_await commit(std::move(batch));
  co_return number;
}

std::int64_t RocksEngine::next_number_blocking(Family family, const std::string& key) {
  const auto number = impl_->next(family, key);
  commit_blocking(Sequences::keep(family, key, number));
  return number;
}

std::optional<std::string> RocksEngine::read_only_reason() const {
  if (impl_->opening.read_only) return "The store was opened for reading only.";
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
  const auto pass = impl_->gate.enter();
  if (impl_->database)
    impl_->database->db().GetAggregatedIntProperty(rocks::DB::Properties::kLiveSstFilesSize, &stats.file_bytes);
  return stats;
}

Replication* RocksEngine::replication() { return impl_.get(); }

void RocksEngine::backup(const std::filesystem::path& to) const {
  const auto pass = impl_->gate.enter();
  make_backup(impl_->opened().db(), to);
}

std::vector<Damage> RocksEngine::verify_files() const {
  const auto pass = impl_->gate.enter();
  auto found = damaged_logs(impl_->opening.folder);
  for (auto& damage : damaged_tables(impl_->opened().db())) found.push_back(std::move(damage));
  return found;
}

const EngineKind rocks_engine{
    .open = [](EngineOptions options) -> std::unique_ptr<Engine> { return RocksEngine::open(std::move(options)); },
    .restore = restore_backup};

}  // namespace store
