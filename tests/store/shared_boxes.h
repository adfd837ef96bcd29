// Several boxes on one database of PostgreSQL, each an engine in this process.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "store/boxes.h"
#include "store/postgres/postgres_engine.h"
#include "tests/store/engine_contract.h"

namespace store_test {
namespace shared_boxes_test {

using namespace std::chrono_literals;
using engine_contract_test::counters;
using engine_contract_test::families;
using engine_contract_test::owned;
using engine_contract_test::things;
using store::Batch;
using store::Durability;
using store::Precondition;
using store::Unavailable;
using store::Write;
using store::postgres::Call;
using store::postgres::Clock;
using store::postgres::Connection;
using store::postgres::Statement;

constexpr auto lease_length = 2s;  // short, so that boxes die soon; long enough for a busy machine

inline Write put_of(std::string key, std::string value) {
  return {.kind = Write::Kind::put, .family = things, .key = std::move(key), .value = std::move(value)};
}
inline Write add_of(std::string key, std::int64_t by) {
  return {.kind = Write::Kind::add, .family = counters, .key = std::move(key), .fields = {by}};
}
inline Precondition absent(std::string key) {
  return {.kind = Precondition::Kind::absent, .family = things, .key = std::move(key)};
}
inline Precondition held(const store::NamedLease& named) {
  return {.kind = Precondition::Kind::held, .family = things, .key = named.name, .bound = named.epoch};
}

inline double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Until it holds, for at most twenty seconds.
inline bool becomes(const std::function<bool()>& holds) {
  for (const auto deadline = Clock::now() + 20s; Clock::now() < deadline; std::this_thread::sleep_for(5ms)) try {
      if (holds()) return true;
    } catch (const Unavailable&) {
    }
  return false;
}

// What a process with a box of its own has.
struct TestBox {
  std::atomic<bool> is_paused{false};  // as by SIGSTOP, but that the test still uses it
  std::unique_ptr<store::Engine> engine;

  store::Boxes& boxes() const { return engine->boxes(); }
  std::int64_t epoch() const { return boxes().epoch(); }
  bool put(std::string key, std::string value, std::vector<Precondition> if_so = {}) const {
    return engine->commit_blocking({std::move(if_so), {put_of(std::move(key), std::move(value))}}).ok();
  }
  std::optional<std::string> at(std::string_view key) const { return engine->get(store::Scope::system(), things, key); }
  List sum(std::string_view key) const { return list(engine->counter(store::Scope::system(), counters, key)); }
  // Whether it sees that other box as dead, and has to recover what it left.
  bool recovers(std::int64_t epoch) const {
    return std::ranges::any_of(boxes().dead(), [&](const auto& box) { return box.epoch == epoch; });
  }
};

class SharedBoxes : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_postgres()) GTEST_SKIP() << "Debian's package postgresql is not installed";
  }
  store::postgres::Location location(const std::string& box) const {
    auto found = PostgresServer::instance().location(folder_.path(), families);
    found.local = folder_.path(box);
    return found;
  }
  std::unique_ptr<TestBox> join(const std::string& name, std::chrono::milliseconds length = lease_length) const {
    auto box = std::make_unique<TestBox>();
    const store::Sharing sharing{
        .address = name, .version = "1", .may_lose = true, .lease = length, .is_paused = &box->is_paused};
    box->engine = store::PostgresEngine::open({.families = families, .sharing = sharing}, location(name));
    return box;
  }
  std::unique_ptr<store::Engine> open_alone(const std::string& name) const {
    return store::PostgresEngine::open({.families = families}, location(name));
  }
  store::postgres::Result sql(const std::string& text) const {
    const Statement statement{"", text};
    return PostgresServer::instance()
        .as_role("agentbox_system", location("admin"))
        ->run(Call{&statement}, Clock::now() + 10s);
  }
  std::int64_t number(const std::string& text) const { return sql(text).number(0, 0); }

  Folder folder_;
};

inline std::string refusal(const std::function<void()>& act) {
  try {
    act();
    return "none";
  } catch (const Unavailable& error) {
    return error.what();
  }
}

}  // namespace shared_boxes_test
}  // namespace store_test
