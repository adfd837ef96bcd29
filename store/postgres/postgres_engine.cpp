#include "store/postgres/postgres_engine.h"

#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

#include "store/committer.h"
#include "store/engine_log.h"
#include "store/keys.h"
#include "store/postgres/activity.h"
#include "store/postgres/commit_log.h"
#include "store/postgres/feed.h"
#include "store/postgres/lease.h"
#include "store/postgres/pool.h"
#include "store/postgres/schema.h"
#include "store/postgres/shared_boxes.h"
#include "store/postgres/statements.h"
#include "store/rocks/folder_lock.h"
#include "store/rocks/rocks_engine.h"
#include "store/sequences.h"
#include "store/transfer.h"
#include "store/versions.h"

namespace store {
namespace {

namespace fs = std::filesystem;

using namespace std::chrono_literals;
using postgres::Call;
using postgres::Result;

constexpr std::chrono::milliseconds lease_pause = 2s, probe_pause = 100ms, feed_pause = 50ms;
constexpr std::int64_t first_page = 64, further_page = 512;
constexpr auto backup_draft = "backup.draft";  // in the local folder
constexpr auto no_restore =
    "Backups are restored into a data folder, and moved into the database from there: see docs/postgres.md.";

const postgres::Statement begin_snapshot{"snapshot", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
const postgres::Statement take_snapshot{"moment", "SELECT pg_current_snapshot()::text"};
const postgres::Statement end_snapshot{"commit", "COMMIT"};
const postgres::Statement database_size{"", "SELECT pg_catalog.pg_database_size(current_database())"};
const postgres::Statement list_schema{
    "",
    "SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'agentbox' AND c.relkind IN ('r', 'p') UNION ALL "
    "SELECT p.proname::text FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
    "WHERE n.nspname = 'agentbox' AND has_function_privilege(p.oid, 'EXECUTE')"};

std::string random_name() {
  std::array<unsigned char, 12> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) throw Unavailable("no random numbers");
  std::string name;
  for (const auto byte : bytes) {
    constexpr auto digits = "0123456789abcdef";
    name.append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
  return name;
}

// The random name in the folder, made the first time, with the machine and the path: a copy of the folder is another
// box.
std::string box_name(const fs::path& local) {
  const auto file = local / postgres::box_name_file;
  std::string name;
  if (std::ifstream in(file); !(in >> name)) {
    name = random_name();
    std::ofstream out(file);
    if (!(out << name << '\n' << std::flush)) throw Unavailable("cannot write " + file.string());
  }
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return name + "@" + host.data() + ":" + fs::weakly_canonical(local).string();
}

// The counter itself, which other boxes count up, too.
Batch next_of(Family family, std::string key) {
  Batch batch;
  batch.writes.push_back({.kind = Write::Kind::add, .family = family, .key = std::move(key), .fields = {1}});
  batch.returns_sum = true;
  return batch;
}

// A transaction that sees one moment, on a connection of its own.
struct PostgresSnapshot final : Snapshot {
  PostgresSnapshot(postgres::Pool& from, std::uint64_t records)
      : position(records), pool(from), lease(from.take(postgres::Clock::now() + postgres::longest_read)) {
    const std::array<Call, 2> calls{Call{&begin_snapshot}, Call{&take_snapshot}};
    try {
      run(calls);
    } catch (...) {
      lease.discard();
      throw;
    }
  }
  ~PostgresSnapshot() override {
    try {
      lease->run(Call{&end_snapshot}, postgres::Clock::now() + postgres::longest_read);
    } catch (const std::exception&) {
      lease.discard();
    }
  }
  std::vector<Result> run(std::span<const Call> calls) const {
    const std::lock_guard lock(mutex);
    try {
      return lease->run(calls, postgres::Clock::now() + postgres::longest_read);
    } catch (const postgres::Lost& lost) {
      throw pool.failed(lost.what());
    } catch (const postgres::Refused& refused) {
      throw Unavailable("The store's database refused a read: " + std::string(refused.what()));
    }
  }
  const std::uint64_t position;  // what was written before, at least
  postgres::Pool& pool;
  mutable std::mutex mutex;  // one call at a time
  mutable postgres::Pool::Lease lease;
};

}  // namespace

struct PostgresEngine::Impl {
  Impl(const EngineOptions& options, postgres::Location location)
      : local(location.local),
        families(options.families),
        scopes(options.families),
        statements(postgres::make_statements(options.families)),
        is_read_only(options.read_only),
        on_trouble(options.on_trouble),
        sharing(options.sharing),
        pool(std::move(location.server)) {
    check_schema();
    postgres::activity().is_used = true;
    if (is_read_only) return;
    fs::create_directories(location.local);
    folder_lock.emplace(location.local, FolderLock::Kind::exclusive);
    lease.emplace(pool, box_name(location.local), sharing);
    if (sharing) {
      feed.emplace(pool, *lease, versions, families);
      boxes.emplace(pool, *lease);
    }
    log.emplace(pool, *lease, versions, families, statements);
    committer.emplace(*log);
    keeper = std::jthread([this](const std::stop_token& stop) { keep(stop); });
  }
  ~Impl() {
    if (is_read_only) return;
    committer.reset();
    keeper.request_stop();
    keeper.join();
    if (!lease->is_lost()) lease->give_back(pool);
  }

  void check_schema() {
    const auto found = pool.run_at_start(Call{&list_schema});
    std::set<std::string, std::less<>> known;
    for (int row = 0; row < found.rows(); ++row) known.emplace(found.bytes(row, 0));
    const auto need = [&](const char* what, const std::string& name) {
      if (!known.contains(name))
        throw Unavailable("The database " + pool.server().shown + " lacks the " + what + " " + name +
                          " of this agentbox: run `agentbox store init` as an administrator of the database.");
    };
    for (const auto& family : families) need("table", family.name);
    for (const auto& function : postgres::tenant_functions(families)) need("function", function);
    if (sharing)
      for (const auto* name : postgres::sharing_schema) need("table or function", name);
  }

  // Asks a server that has not answered, renews the lease, and looks for what other boxes have changed.
  void keep(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    std::uint64_t losses = pool.losses();
    std::optional<std::string> reported;
    for (auto due = postgres::Clock::now() + lease_pause; !stop.stop_requested();) {
      changed.wait_for(lock, stop, feed ? feed_pause : probe_pause, [] { return false; });
      if (feed && sharing->is_paused && *sharing->is_paused) continue;
      pool.probe();
      if (const auto now = pool.losses(); now != losses) {
        losses = now;
        versions.bump_all();
      }
      report(reported);
      if (feed && !lease->is_lost() && !pool.outage()) try {
          feed->keep();
        } catch (const std::exception&) {  // a read notices it, or the next attempt
        }
      if (feed || postgres::Clock::now() < due || pool.outage() || lease->is_lost()) continue;
      due = postgres::Clock::now() + lease_pause;
      renew();
    }
  }

  void report(std::optional<std::string>& reported) const {
    const auto outage = lease->is_lost() ? std::optional<std::string>(lease->loss()) : pool.outage();
    if (outage.has_value() == reported.has_value()) return;
    if (outage && on_trouble) on_trouble(*outage);
    if (!outage && engine_log()) engine_log()(EngineSays::warning, "The store's database answers again.");
    reported = outage;
  }

  void renew() {
    try {
      auto connection = pool.take(postgres::Clock::now() + postgres::longest_read);
      if (!lease->renew(*connection, postgres::Clock::now() + postgres::longest_read)) lease->lose();
    } catch (const std::exception&) {  // a read notices it, or the next attempt
    }
  }

  std::vector<Result> run(std::span<const Call> calls, const Snapshot* at) {
    return at ? static_cast<const PostgresSnapshot*>(at)->run(calls) : pool.run(calls);
  }
  Result run(const Call& call, const Snapshot* at) { return std::move(run({&call, 1}, at).front()); }

  // Of the range, in order. The first column is the key, or what the index names.
  Result page(Scope scope, const postgres::Statement (&of_system)[2][2], const postgres::Statement& of_tenant,
              const Range& range, std::int64_t most, const Snapshot* at) {
    if (scope.is_system()) {
      Call call{&of_system[!range.last.empty()][range.reverse]};
      call.parameters.bytes(range.first).number(most);
      if (!range.last.empty()) call.parameters.bytes(range.last);
      return run(call, at);
    }
    Call call{&of_tenant};
    call.parameters.number(*scope.owner()).bytes(range.first);
    if (range.last.empty())
      call.parameters.none();
    else
      call.parameters.bytes(range.last);
    call.parameters.number(range.reverse ? 1 : 0).number(most);
    return run(call, at);
  }

  // The entries' records; an empty optional where there is none.
  Result look_up(Scope scope, const Range& entries, Family records, std::int64_t most, const Snapshot* at) {
    return page(scope, statements[records].lookup, statements[records].tenant_lookup, entries, most, at);
  }
  bool has_rows(Scope scope, Family family) const {
    return scope.is_system() || !statements[family].tenant_get.sql.empty();
  }

  void check_writable() const {
    if (is_read_only) throw Unavailable("The store was opened for reading only.");
    if (lease->is_lost()) throw Unavailable(lease->loss());
    if (const auto outage = pool.outage()) throw Unavailable(*outage);
  }

  std::int64_t next(Family family, const std::string& key) {
    check_writable();
    return sequences.next(key, [&] {
      Call call{&statements[family].get};
      call.parameters.bytes(key);
      const auto found = pool.run(call);
      return found.rows() == 1 ? decode_counter(found.bytes(0, 0))[0] : 0;
    });
  }

  const fs::path local;
  const std::vector<FamilySpec> families;
  const ScopeRules scopes;
  const std::vector<postgres::FamilyStatements> statements;
  const bool is_read_only;
  const Trouble on_trouble;
  const std::optional<Sharing> sharing;
  postgres::Pool pool;
  Versions versions;
  Sequences sequences;
  std::optional<FolderLock> folder_lock;
  std::optional<postgres::BoxLease> lease;
  std::optional<postgres::Feed> feed;  // this and the next one: where boxes share the store
  std::optional<postgres::SharedBoxes> boxes;
  std::optional<postgres::CommitLog> log;
  std::optional<Committer> committer;  // its threads use the rest
  std::jthread keeper;                 // likewise
};

PostgresEngine::PostgresEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PostgresEngine::~PostgresEngine() = default;

std::unique_ptr<PostgresEngine> PostgresEngine::open(const EngineOptions& options, postgres::Location location) {
  return std::unique_ptr<PostgresEngine>(new PostgresEngine(std::make_unique<Impl>(options, std::move(location))));
}

std::optional<std::string> PostgresEngine::get(Scope scope, Family family, std::string_view key,
                                               const Snapshot* at) const {
  if (!impl_->has_rows(scope, family)) return std::nullopt;
  if (scope.is_system()) {
    Call call{&impl_->statements[family].get};
    call.parameters.bytes(key);
    const auto found = impl_->run(call, at);
    return found.rows() == 1 ? std::optional(std::string(found.bytes(0, 0))) : std::nullopt;
  }
  const std::string only(key);
  return std::move(multi_get(scope, family, {&only, 1}, at).front());
}

std::vector<std::optional<std::string>> PostgresEngine::multi_get(Scope scope, Family family,
                                                                  std::span<const std::string> keys,
                                                                  const Snapshot* at) const {
  std::vector<std::optional<std::string>> values(keys.size());
  if (keys.empty() || !impl_->has_rows(scope, family)) return values;
  const auto& statements = impl_->statements[family];
  Call call{scope.is_system() ? &statements.multi_get : &statements.tenant_get};
  if (!scope.is_system()) call.parameters.number(*scope.owner());
  call.parameters.array(std::vector<std::string_view>(keys.begin(), keys.end()));
  const auto found = impl_->run(call, at);
  for (int row = 0; row < found.rows(); ++row)
    values.at(static_cast<std::size_t>(found.number(row, 0)) - 1) = found.bytes(row, 1);
  return values;
}

std::vector<Found> PostgresEngine::lookup(Scope scope, Family, const Range& entries, Family records,
                                          std::size_t limit) const {
  std::vector<Found> all;
  const bool has_end = !entries.last.empty();
  if (limit == 0 || !impl_->has_rows(scope, records) || (has_end && entries.first >= entries.last)) return all;
  const auto most = static_cast<std::int64_t>(std::min<std::size_t>(limit, std::numeric_limits<int>::max()));
  const auto found = impl_->look_up(scope, entries, records, most, nullptr);
  all.reserve(static_cast<std::size_t>(found.rows()));
  for (int row = 0; row < found.rows(); ++row) {
    if (found.is_null(row, 1)) throw Corrupt("an index names a record that is not there");
    all.push_back({std::string(found.bytes(row, 0)), std::string(found.bytes(row, 1))});
  }
  return all;
}

std::optional<Found> PostgresEngine::find_one(Scope scope, Family, std::string_view entry, Family records,
                                              const Snapshot* at) const {
  if (!impl_->has_rows(scope, records)) return std::nullopt;
  Range only{.first = std::string(entry), .last = std::string(entry)};
  only.last.push_back('\0');
  const auto found = impl_->look_up(scope, only, records, 1, at);
  if (found.rows() == 0) return std::nullopt;
  return Found{std::string(found.bytes(0, 0)), found.is_null(0, 1) ? std::string() : std::string(found.bytes(0, 1))};
}

std::unique_ptr<Snapshot> PostgresEngine::snapshot() const {
  const auto foreign = impl_->feed ? impl_->feed->records() : 0;
  return std::make_unique<PostgresSnapshot>(impl_->pool, impl_->log ? impl_->log->ended_records() + foreign : 0);
}

void PostgresEngine::scan(Scope scope, Family family, const Range& range,
                          const std::function<bool(std::string_view, std::string_view)>& visit,
                          const Snapshot* at) const {
  if (!impl_->has_rows(scope, family)) return;
  const auto& statements = impl_->statements[family];
  auto left = range;
  for (auto most = first_page; left.last.empty() || left.first < left.last; most = further_page) {
    const auto found = impl_->page(scope, statements.scan, statements.tenant_scan, left, most, at);
    for (int row = 0; row < found.rows(); ++row)
      if (!visit(found.bytes(row, 0), found.bytes(row, 1))) return;
    if (found.rows() < most) return;
    const auto last = found.bytes(found.rows() - 1, 0);
    if (range.reverse)
      left.last = last;
    else
      left.first = std::string(last).append(1, '\0');
    if (range.reverse && left.last.empty()) return;  // an empty key is the first of all
  }
}

CounterFields PostgresEngine::counter(Scope scope, Family family, std::string_view key, const Snapshot* at) const {
  const auto bytes = get(scope, family, key, at);
  return bytes ? decode_counter(*bytes) : CounterFields();
}

std::uint64_t PostgresEngine::version(Family family, std::string_view key) const {
  return impl_->feed ? impl_->feed->version(family, key) : impl_->versions.of(family, key);
}

Task<CommitResult> PostgresEngine::commit(Batch batch, Durability durability) {
  impl_->check_writable();
  impl_->scopes.check(batch);
  return impl_->committer->commit(std::move(batch), durability);
}

CommitResult PostgresEngine::commit_blocking(Batch batch, Durability durability) {
  impl_->check_writable();
  impl_->scopes.check(batch);
  return impl_->committer->commit_blocking(std::move(batch), durability);
}

Task<std::int64_t> PostgresEngine::next_number(Family family, std::string key) {
  if (impl_->sharing) {
    const CommitResult counted = co_await commit(next_of(family, std::move(key)));
    co_return counted.sum;
  }
  const auto number = impl_->next(family, key);
  auto batch = Sequences::keep(family, std::move(key), number);
  co_await commit(std::move(batch));
  co_return number;
}

std::int64_t PostgresEngine::next_number_blocking(Family family, const std::string& key) {
  if (impl_->sharing) return commit_blocking(next_of(family, key)).sum;
  const auto number = impl_->next(family, key);
  commit_blocking(Sequences::keep(family, key, number));
  return number;
}

std::optional<std::string> PostgresEngine::read_only_reason() const {
  if (impl_->is_read_only) return "The store was opened for reading only.";
  if (impl_->lease->is_lost()) return impl_->lease->loss();
  if (impl_->sharing && impl_->lease->holds_until() < postgres::Clock::now() && !impl_->pool.outage())
    return postgres::lease_ended;
  return impl_->pool.outage();
}

void PostgresEngine::backup(const fs::path& to) const {
  const auto draft = impl_->local / backup_draft;
  struct Remover {
    const fs::path& path;
    ~Remover() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } const remover{draft};
  try {
    fs::remove_all(draft);  // of a process that was killed
    const auto size = static_cast<std::uintmax_t>(impl_->pool.run(Call{&database_size}).number(0, 0));
    if (fs::space(impl_->local).available < size)
      throw Unavailable("There is no room for a copy of the database in " + impl_->local.string() + ": it has " +
                        std::to_string(size >> 20) + " MB.");
  } catch (const fs::filesystem_error& error) {
    throw Unavailable(std::string("The backup cannot be prepared: ") + error.what());
  }
  const auto copy = rocks_engine.open({.folder = draft, .families = impl_->families});
  copy_records(*this, *copy, impl_->families);
  copy->backup(to);
}

std::uint64_t PostgresEngine::position(const Snapshot* at) const {
  if (at) return static_cast<const PostgresSnapshot*>(at)->position;
  if (impl_->feed) impl_->feed->look();
  return impl_->log ? impl_->log->begun_records() + (impl_->feed ? impl_->feed->records() : 0) : 0;
}

Boxes& PostgresEngine::boxes() {
  if (impl_->boxes) return *impl_->boxes;
  return Engine::boxes();
}

EngineStats PostgresEngine::stats() const {
  if (!impl_->committer) return {};
  const auto& now = impl_->committer->activity();
  return {.commits = now.commits,
          .groups = now.groups,
          .conflicts = now.conflicts,
          .queued = now.queued,
          .last_group = now.last_group,
          .append_seconds = static_cast<double>(now.append_microseconds) / 1e6};
}

const EngineKind postgres_engine{.open = [](EngineOptions options) -> std::unique_ptr<Engine> {
                                   return PostgresEngine::open(options, postgres::recall_location(options.folder));
                                 },
                                 .restore = [](const fs::path&, const fs::path&) { throw Unavailable(no_restore); }};

}  // namespace store
