// What the tests of the Engine contract share. They run over every engine.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/rocks/rocks_engine.h"
#include "tests/store/counter_fields_list.h"
#include "tests/store/fixture.h"
#include "tests/store/memory_engine.h"
#include "tests/store/postgres_server.h"

namespace store_test {
namespace engine_contract_test {

using store::Batch;
using store::Precondition;
using store::Write;

using Entries = std::vector<std::pair<std::string, std::string>>;

enum : store::Family { things, people_family, counters, history, pending, owned, boxes, sums_by_owner, entries };
constexpr char owned_number = 90, boxes_number = 91;

inline const std::vector<store::FamilySpec> families{
    {.name = "things"},
    {.name = "people", .access = store::Access::by_key},
    {.name = "sums", .access = store::Access::counted},
    {.name = "history", .access = store::Access::by_history},
    {.name = "pending", .access = store::Access::transient},
    {.name = "owned", .has_owner = true, .number = owned_number},
    {.name = "boxes", .number = boxes_number},
    {.name = "sums_by_owner", .access = store::Access::counted, .has_owner = true},
    {.name = "entries", .is_index = true}};

struct Kind {
  const char* name;
  const store::EngineKind* engine;
  bool is_shared = false;   // several engines may have one database open
  bool has_backups = true;  // of its own; else they are RocksDB's
};

class EngineContract : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<store::Engine> open(const std::filesystem::path& folder, bool read_only = false) const {
    return open_as(*GetParam().engine, folder, read_only);
  }
  static std::unique_ptr<store::Engine> open_as(const store::EngineKind& kind, const std::filesystem::path& folder,
                                                bool read_only = false) {
    return kind.open({.folder = folder, .families = families, .read_only = read_only});
  }

  std::optional<std::size_t> commit(Batch batch) {
    return engine_->commit_blocking(std::move(batch), store::Durability::relaxed).failed;
  }
  void put(std::string key, std::string value, store::Family family = things) {
    ASSERT_EQ(commit({{}, {put_of(std::move(key), std::move(value), family)}}), std::nullopt);
  }
  void erase(std::string key) {
    ASSERT_EQ(commit({{}, {{.kind = Write::Kind::erase, .family = things, .key = std::move(key)}}}), std::nullopt);
  }
  static Write put_of(std::string key, std::string value, store::Family family = things) {
    return {.kind = Write::Kind::put, .family = family, .key = std::move(key), .value = std::move(value)};
  }
  static Write add_of(std::string key, store::CounterFields fields) {
    return {.kind = Write::Kind::add, .family = counters, .key = std::move(key), .fields = fields};
  }
  static Write raise_of(std::string key, store::CounterFields fields) {
    return {.kind = Write::Kind::raise, .family = counters, .key = std::move(key), .fields = fields};
  }
  static Precondition absent(std::string key) {
    return {.kind = Precondition::Kind::absent, .family = things, .key = std::move(key)};
  }
  static Precondition equals(std::string key, std::string value, std::optional<std::uint64_t> version = {}) {
    return {.kind = Precondition::Kind::equals,
            .family = things,
            .key = std::move(key),
            .value = std::move(value),
            .version = version};
  }
  static Precondition at_most(std::string key, std::int64_t bound, std::size_t field = 0) {
    return {
        .kind = Precondition::Kind::at_most, .family = counters, .key = std::move(key), .field = field, .bound = bound};
  }

  std::string at(std::string_view key, const store::Snapshot* snapshot = nullptr) const {
    return engine_->get(store::Scope::system(), things, key, snapshot).value_or("none");
  }
  List sums(std::string_view key, const store::Snapshot* snapshot = nullptr) const {
    return list(engine_->counter(store::Scope::system(), counters, key, snapshot));
  }
  Entries scan(const store::Range& range, const store::Snapshot* snapshot = nullptr,
               std::size_t most = std::numeric_limits<std::size_t>::max(), store::Family family = things) const {
    Entries found;
    engine_->scan(
        store::Scope::system(), family, range,
        [&](std::string_view key, std::string_view value) {
          found.emplace_back(key, value);
          return found.size() < most;
        },
        snapshot);
    return found;
  }

  Folder folder_;
  std::unique_ptr<store::Engine> engine_ = open(folder_.path());
};

// PostgreSQL where its server is installed.
inline std::vector<Kind> engines() {
  std::vector<Kind> all{{"RocksDB", &store::rocks_engine}, {"Memory", &memory_engine, /*is_shared=*/true}};
  if (has_postgres()) {
    all.push_back({"PostgreSQL", &postgres_test_engine, false, /*has_backups=*/false});
    all.push_back({"SharedPostgreSQL", &shared_postgres_test_engine, true, /*has_backups=*/false});
  }
  return all;
}
inline const auto every_engine = testing::ValuesIn(engines());
inline std::string name_of_kind(const testing::TestParamInfo<Kind>& test) { return test.param.name; }

}  // namespace engine_contract_test
}  // namespace store_test
