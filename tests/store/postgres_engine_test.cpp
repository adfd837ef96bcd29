// What only the engine over PostgreSQL promises: roles and row-level security, one box at a time, outages, outcomes.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "store/postgres/administration.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres_engine.h"
#include "store/transfer.h"
#include "tests/store/engine_contract.h"

namespace store_test {
namespace postgres_engine_test {

using namespace std::chrono_literals;
using engine_contract_test::entries;
using engine_contract_test::families;
using engine_contract_test::owned;
using engine_contract_test::sums_by_owner;
using engine_contract_test::things;
using store::Batch;
using store::Precondition;
using store::Write;
using store::postgres::Call;
using store::postgres::Clock;
using store::postgres::Connection;
using store::postgres::Refused;
using store::postgres::Statement;

class Postgres : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_postgres()) GTEST_SKIP() << "Debian's package postgresql is not installed";
    engine_ = open();
  }
  std::unique_ptr<store::Engine> open() const {
    return postgres_test_engine.open({.folder = folder_.path(), .families = families});
  }
  store::postgres::Location location() const { return PostgresServer::instance().location(folder_.path(), families); }
  static Write put_of(std::string key, std::string value, store::Family family = things) {
    return {.kind = Write::Kind::put, .family = family, .key = std::move(key), .value = std::move(value)};
  }
  void put(std::string key, std::string value, store::Family family = things) {
    ASSERT_TRUE(engine_->commit_blocking({{}, {put_of(std::move(key), std::move(value), family)}}).ok());
  }
  std::optional<std::string> at(std::string_view key) const {
    return engine_->get(store::Scope::system(), things, key);
  }
  std::unique_ptr<Connection> as_role(const std::string& role) const {
    return PostgresServer::instance().as_role(role, location());
  }
  static int rows(Connection& connection, const std::string& sql) {
    const Statement statement{"", sql};
    return connection.run(Call{&statement}, Clock::now() + 10s).rows();
  }
  static std::string refusal(Connection& connection, const std::string& sql) {
    try {
      rows(connection, sql);
      return "none";
    } catch (const Refused& refused) {
      return refused.sqlstate;
    }
  }
  static std::string literal(const std::string& bytes) {
    std::string hex = "'\\x";
    for (const unsigned char byte : bytes)
      hex.append(1, "0123456789abcdef"[byte >> 4]).append(1, "0123456789abcdef"[byte & 15]);
    return hex + "'";
  }
  void wait_until_usable() const {
    for (const auto deadline = Clock::now() + 30s; engine_->read_only_reason() && Clock::now() < deadline;)
      std::this_thread::sleep_for(20ms);
  }

  Folder folder_;
  std::unique_ptr<store::Engine> engine_;
};

TEST_F(Postgres, NetworksAreVerifiedAndSecretsStayOutOfMessages) {
  using store::postgres::read_server_url;
  const auto server = read_server_url("postgres://box:pa%73s@db.example.org:5433/agents");
  EXPECT_EQ(server.value_of("sslmode"), "verify-full");
  EXPECT_EQ(server.value_of("password"), "pass");
  EXPECT_EQ(server.shown, "postgres://db.example.org:5433/agents");
  EXPECT_EQ(read_server_url("postgres://box@127.0.0.1/agents").value_of("sslmode"), "verify-full");
  EXPECT_EQ(read_server_url("postgres://box@db/agents?sslmode=disable").value_of("sslmode"), "disable");
  EXPECT_EQ(read_server_url("postgres://box@/agents?host=/run/postgresql").value_of("sslmode"), "");
  EXPECT_EQ(read_server_url("postgres://a,b/agents").value_of("target_session_attrs"), "read-write");
  EXPECT_THROW(read_server_url("postgres://box:secret@db/agents?nonsense=1"), store::Unavailable);
}

TEST_F(Postgres, RolesSeeTheirRowsOnly) {
  for (const std::int64_t owner : {1, 2}) {
    const auto key = store::keys::owned(owner, "a");
    put(key, "of " + std::to_string(owner), owned);
    put(store::keys::index_entry(90, 1, {}, "same") + key, key, entries);
  }
  put("of the box", "1");
  auto tenant = as_role("agentbox_tenant"), reader = as_role("agentbox_reader"), owner = as_role("agentbox_owner");
  for (const auto& family : families) {
    const auto table = "agentbox." + family.name, select = "SELECT * FROM " + table;
    EXPECT_EQ(refusal(*tenant, select), "42501") << table << ": no right at all";
    EXPECT_EQ(refusal(*tenant, "DELETE FROM " + table), "42501");
    EXPECT_EQ(refusal(*reader, "DELETE FROM " + table), "42501");
    EXPECT_EQ(rows(*owner, select), 0) << table << ": row-level security is forced on the tables' owner";
    EXPECT_NE(refusal(*reader, select), "none") << table << ": nothing without a scope";
  }
  for (const auto* family : {"owned", "entries"}) {
    const auto scan = [&](const std::string& scope) {
      return std::string("SELECT * FROM agentbox.tenant_scan_") + family + "(" + scope + ", '', NULL, 0, 100)";
    };
    EXPECT_EQ(rows(*tenant, scan("1")), 1);
    EXPECT_EQ(rows(*tenant, scan("3")), 0);
    EXPECT_NE(refusal(*tenant, scan("NULL")), "none");
    rows(*reader, "SELECT set_config('agentbox.owner', '2', false)");
    EXPECT_EQ(rows(*reader, std::string("SELECT * FROM agentbox.") + family), 1) << "its own only";
    rows(*reader, "SELECT set_config('agentbox.owner', '', false)");
  }
  const auto found = store::postgres::inspect(location().server, families);
  EXPECT_TRUE(found.missing_tables.empty());
  EXPECT_TRUE(found.missing_functions.empty());
  EXPECT_EQ(found.max_connections, 200);
  EXPECT_TRUE(found.unprotected_tables.empty());
  EXPECT_TRUE(found.foreign_rights.empty());
  EXPECT_TRUE(found.is_system);
  EXPECT_FALSE(found.ignores_row_security);
}

TEST_F(Postgres, RolesWriteTheirRowsOnly) {
  struct Row {
    std::string scope, key, value;
  };
  const auto mine = store::keys::owned(1, "a"), theirs = store::keys::owned(2, "a");
  const auto entry = [](const std::string& value) { return store::keys::index_entry(90, 1, {}, value); };
  put(theirs, "theirs", owned);
  put(entry("taken"), theirs, entries);
  put(theirs, "1", sums_by_owner);
  auto tenant = as_role("agentbox_tenant"), writer = as_role("agentbox_writer");
  const auto call = [&](const std::string& function, const std::vector<Row>& given) {
    std::string scopes, keys, values;
    for (const auto& [scope, key, value] : given) {
      const auto* const comma = scopes.empty() ? "" : ", ";
      scopes += comma + scope;
      keys += comma + literal(key);
      values += comma + literal(value);
    }
    return refusal(*tenant, "SELECT agentbox.tenant_" + function + "(ARRAY[" + scopes + "]::bigint[], ARRAY[" + keys +
                                "]::bytea[], ARRAY[" + values + "]::bytea[])");
  };
  EXPECT_EQ(call("put_owned", {{"1", mine, "mine"}}), "none");
  EXPECT_EQ(call("put_entries", {{"1", entry("free"), mine}}), "none");
  for (const auto* scope : {"1", "3", "-1", "NULL"}) {
    EXPECT_EQ(call("put_owned", {{scope, theirs, "changed"}}), "42501");
    EXPECT_EQ(call("put_owned", {{scope, store::keys::owned(2, "b"), "new"}}), "42501");
    EXPECT_EQ(call("erase_owned", {{scope, theirs, ""}}), "42501");
    EXPECT_EQ(call("put_entries", {{scope, entry("other"), theirs}}), "42501") << "of another owner's record";
    EXPECT_EQ(call("erase_entries", {{scope, entry("taken"), theirs}}), "42501");
  }
  EXPECT_EQ(call("put_owned", {{"1", "short", "new"}}), "42501");
  EXPECT_EQ(call("put_entries", {{"1", entry("taken"), mine}}), "42501") << "another owner's entry";
  EXPECT_EQ(call("erase_entries", {{"1", entry("taken"), mine}}), "none") << "there is none of this owner's";
  EXPECT_EQ(call("put_entries", {{"1", store::keys::index_entry(91, 1, {}, "x"), mine}}), "42501")
      << "of a table of the box";
  // Beside rows that are in order, also where the other owner writes in the same call.
  const Row good{"2", store::keys::owned(2, "good"), "new"};
  EXPECT_EQ(call("put_owned", {good, {"1", theirs, "changed"}}), "42501");
  EXPECT_EQ(call("put_owned", {good, {"1", store::keys::owned(2, "b"), "new"}}), "42501");
  EXPECT_EQ(call("erase_owned", {good, {"1", theirs, ""}}), "42501");
  EXPECT_EQ(call("put_entries", {{"2", entry("good"), theirs}, {"1", entry("taken"), mine}}), "42501");
  EXPECT_EQ(call("erase_entries", {{"2", entry("good"), theirs}, {"1", entry("taken"), mine}}), "none");

  const auto all = store::Scope::system();
  EXPECT_EQ(engine_->get(all, owned, theirs), "theirs");
  for (const auto* id : {"b", "good"}) EXPECT_EQ(engine_->get(all, owned, store::keys::owned(2, id)), std::nullopt);
  EXPECT_EQ(engine_->get(all, entries, entry("taken")), theirs);
  EXPECT_EQ(engine_->get(all, entries, entry("free")), mine);
  for (const auto& family : families) {
    const auto table = "agentbox." + family.name;
    for (const auto& change : {"INSERT INTO " + table + " VALUES ('x', 'x')", "UPDATE " + table + " SET value = 'x'",
                               "DELETE FROM " + table, "TRUNCATE " + table}) {
      EXPECT_EQ(refusal(*tenant, change), "42501") << change;
      EXPECT_NE(refusal(*writer, change), "none") << change << ": nothing without a scope";
    }
  }
}

TEST_F(Postgres, AUniqueValuePassesFromOneOwnerToAnother) {
  const auto entry = store::keys::index_entry(90, 1, {}, "name");
  const auto record = [](std::int64_t owner) { return store::keys::owned(owner, "a"); };
  std::int64_t holder = 1;
  put(entry, record(holder), entries);
  // Side by side, so that they meet in one group.
  for (int round = 0; round < 50; ++round) {
    const auto next = holder % 3 + 1;
    Batch given_up{{}, {{.kind = Write::Kind::erase, .family = entries, .key = entry, .value = record(holder)}}};
    given_up.scope = store::Scope::tenant(holder);
    std::jthread other([&, batch = std::move(given_up)]() mutable { engine_->commit_blocking(std::move(batch)); });
    for (bool taken = false; !taken;) {
      Batch batch{{{.kind = Precondition::Kind::absent, .family = entries, .key = entry}},
                  {put_of(entry, record(next), entries)}};
      batch.scope = store::Scope::tenant(next);
      taken = engine_->commit_blocking(std::move(batch)).ok();
    }
    EXPECT_EQ(engine_->get(store::Scope::system(), entries, entry), record(next));
    holder = next;
  }
}

TEST_F(Postgres, ADatabaseServesOneBox) {
  auto elsewhere = location();
  elsewhere.local = folder_.path("elsewhere");
  try {
    store::PostgresEngine::open({.families = families}, elsewhere);
    FAIL() << "a second box was not refused";
  } catch (const store::Unavailable& error) {
    EXPECT_NE(std::string(error.what()).find("Another box uses"), std::string::npos) << error.what();
  }
  const auto reader = store::PostgresEngine::open({.families = families, .read_only = true}, elsewhere);
  put("a", "1");
  EXPECT_EQ(reader->get(store::Scope::system(), things, "a"), "1");
  engine_.reset();
  EXPECT_NO_THROW(store::PostgresEngine::open({.families = families}, elsewhere)) << "the first one has ended";
}

TEST_F(Postgres, ABoxWhoseLeaseWasTakenCommitsNothing) {
  auto admin = as_role("agentbox_system");
  rows(*admin, "UPDATE agentbox._lease SET box = 'another', epoch = epoch + 1");
  EXPECT_THROW(engine_->commit_blocking({{}, {put_of("a", "1")}}), store::Unavailable);
  EXPECT_EQ(at("a"), std::nullopt);
  EXPECT_TRUE(engine_->read_only_reason());
}

TEST_F(Postgres, AnOutageHoldsNoThreadForLong) {
  auto& server = PostgresServer::instance();
  put("a", "1");
  server.kill();
  for (int round = 0; round < 3; ++round) {
    const auto start = Clock::now();
    EXPECT_THROW(at("a"), store::Unavailable);
    EXPECT_LT(Clock::now() - start, 2s);
  }
  EXPECT_TRUE(engine_->read_only_reason());
  server.start();
  wait_until_usable();
  EXPECT_EQ(at("a"), "1");
  put("a", "2");
  EXPECT_EQ(at("a"), "2");
}

TEST_F(Postgres, NoAcknowledgedWriteIsLostAndNoneIsWrittenTwice) {
  auto& server = PostgresServer::instance();
  std::atomic<bool> ends{false};
  std::vector<std::vector<std::string>> acknowledged(4);
  std::atomic<int> conflicts{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < acknowledged.size(); ++thread)
      threads.emplace_back([&, thread] {
        for (int number = 0; !ends; ++number) try {
            const auto key = std::to_string(thread) + "/" + std::to_string(number);
            Batch batch{{{.kind = Precondition::Kind::absent, .family = things, .key = key}}, {put_of(key, "1")}};
            if (engine_->commit_blocking(std::move(batch)).ok())
              acknowledged[thread].push_back(key);
            else
              ++conflicts;
          } catch (const store::Unavailable&) {
            std::this_thread::sleep_for(5ms);
          }
      });
    for (int round = 0; round < 3; ++round) {
      std::this_thread::sleep_for(200ms);
      server.kill();
      server.start();
      wait_until_usable();
    }
    std::this_thread::sleep_for(100ms);
    ends = true;
  }
  EXPECT_EQ(conflicts, 0) << "a group that was committed was written again";
  for (const auto& keys : acknowledged) {
    EXPECT_FALSE(keys.empty());
    const auto values = engine_->multi_get(store::Scope::system(), things, keys);
    for (std::size_t number = 0; number < keys.size(); ++number) EXPECT_TRUE(values[number]) << keys[number];
  }
}

TEST_F(Postgres, WhatReturnedBeforeItWasFlushedIsWrittenAgain) {
  auto& server = PostgresServer::instance();
  put("erased", "1");
  constexpr int changes = 50;
  for (int round = 0; round < 2; ++round) {
    const auto key = [round](int number) { return std::to_string(round) + "/" + std::to_string(number); };
    for (int number = 0; number < changes; ++number) {
      Batch batch{{},
                  {put_of(key(number), "first"), {.kind = Write::Kind::add, .family = 2, .key = "n", .fields = {1}}}};
      ASSERT_TRUE(engine_->commit_blocking(std::move(batch), store::Durability::relaxed).ok());
    }
    Batch last{{}, {put_of(key(0), "second"), {.kind = Write::Kind::erase, .family = things, .key = "erased"}}};
    ASSERT_TRUE(engine_->commit_blocking(std::move(last), store::Durability::prompt).ok());
    server.kill();
    server.start();
    wait_until_usable();
    for (const auto deadline = Clock::now() + 30s;; std::this_thread::sleep_for(20ms)) try {
        put("next", "1");
        break;
      } catch (const store::Unavailable& error) {
        ASSERT_LT(Clock::now(), deadline) << error.what();
      }
    EXPECT_EQ(at(key(0)), "second");
    for (int number = 1; number < changes; ++number) EXPECT_EQ(at(key(number)), "first") << key(number);
    EXPECT_EQ(at("erased"), std::nullopt);
    EXPECT_EQ(list(engine_->counter(store::Scope::system(), 2, "n")), (List{(round + 1) * changes}));
  }
}

TEST_F(Postgres, ABackupHasTheFormOfTheEmbeddedStore) {
  put("a", "1");
  put(store::keys::owned(1, "x"), "mine", owned);
  const auto to = folder_.path("backup"), restored = folder_.path("restored");
  engine_->backup(to);
  put("a", "2");
  store::rocks_engine.restore(to, restored);
  const auto copy = store::rocks_engine.open({.folder = restored, .families = families});
  EXPECT_EQ(copy->get(store::Scope::system(), things, "a"), "1");
  EXPECT_EQ(copy->get(store::Scope::tenant(1), owned, store::keys::owned(1, "x")), "mine");
}

TEST_F(Postgres, AStoreMovesThereAndBack) {
  const auto embedded = store::rocks_engine.open({.folder = folder_.path("embedded"), .families = families});
  Batch batch;
  for (int number = 0; number < 1'200; ++number)
    batch.writes.push_back(put_of("k" + std::to_string(number), std::to_string(number)));
  batch.writes.push_back(put_of(store::keys::owned(1, std::string("\0\xff", 2)), "", owned));
  batch.writes.push_back({.kind = Write::Kind::add, .family = 2, .key = "n", .fields = {5, -3}});
  batch.writes.push_back({.kind = Write::Kind::put, .family = 1, .key = "p", .value = std::string("\0\1", 2)});
  ASSERT_TRUE(embedded->commit_blocking(std::move(batch)).ok());
  // An earlier attempt that was cut off.
  ASSERT_TRUE(engine_
                  ->commit_blocking(
                      {{}, {{.kind = Write::Kind::put, .family = 1, .key = "p", .value = std::string("\0\1", 2)}}})
                  .ok());
  store::copy_records(*embedded, *engine_, families);
  const auto there = store::digests(*engine_, families);
  EXPECT_EQ(store::digests(*embedded, families), there);
  EXPECT_EQ(there.front().records, 1'200u);
  EXPECT_THROW(store::copy_records(*embedded, *engine_, families), store::Unavailable) << "it holds a store";
  EXPECT_EQ(list(engine_->counter(store::Scope::system(), 2, "n")), (List{5, -3}));
  const auto back = store::rocks_engine.open({.folder = folder_.path("back"), .families = families});
  store::copy_records(*engine_, *back, families);
  EXPECT_EQ(store::digests(*back, families), there);
}

}  // namespace postgres_engine_test
}  // namespace store_test
