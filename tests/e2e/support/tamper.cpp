// Changes the audit log of a box that is not running, as somebody who can write its store would.
// usage: tamper FOLDER change ID | remove ID | swap ID ID | cut ID | downgrade
// cut removes the entries from ID on, and says so where the log ends; downgrade makes the log that of an older version.
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "appliance/box/open_store.h"
#include "appliance/foundation/settings/load.h"
#include "appliance/identity/audit/chain.h"
#include "appliance/identity/audit/signed_heads.h"

namespace {

constexpr const char* usage = "usage: tamper FOLDER change ID | remove ID | swap ID ID | cut ID | downgrade";

template <class Table>
auto row_of(const store::System& system, const Table& table, const auto& id) {
  auto row = system.get(table, id);
  if (!row) throw std::runtime_error("there is no such record");
  return *row;
}

void commit(store::Change change) {
  if (!change.commit_blocking().ok()) throw std::runtime_error("somebody else wrote meanwhile");
}

template <class Table, class Record>
void remove_all(const store::System& system, const Table& table, auto id) {
  std::vector<Record> all;
  system.each(table, [&](const Record& record) {
    all.push_back(record);
    return true;
  });
  auto change = system.change();
  for (const Record& record : all) change.erase(table, row_of(system, table, record.*id));
  commit(std::move(change));
}

void downgrade(const store::System& system) {
  std::vector<audit::Entry> all;
  system.each(audit::entries, [&](const audit::Entry& entry) {
    all.push_back(entry);
    return true;
  });
  auto change = system.change();
  for (const audit::Entry& entry : all) {
    auto row = row_of(system, audit::entries, entry.id);
    for (auto* text : {&row.value.salt, &row.value.personal, &row.value.previous, &row.value.hash}) text->clear();
    change.update(audit::entries, row);
    system.next_id_blocking("audit");
  }
  commit(std::move(change));
  remove_all<decltype(audit::chain_points), audit::ChainPoint>(system, audit::chain_points, &audit::ChainPoint::name);
  remove_all<decltype(audit::heads), audit::Head>(system, audit::heads, &audit::Head::id);
}

void tamper(const std::string& folder, const std::string& what, const std::vector<std::int64_t>& ids) {
  const auto nothing = [](const std::string&) { return std::optional<std::string>(); };
  const auto store = agentbox::open_store(agentbox::resolve_settings({{"AGENTBOX_DATA", folder}}, nothing, {}));
  const auto system = store->system();
  if (what == "downgrade") return downgrade(system);
  auto first = row_of(system, audit::entries, ids.at(0));
  auto change = system.change();
  if (what == "change") {
    first.value.outcome = "something else";
    change.update(audit::entries, first);
  } else if (what == "remove") {
    change.erase(audit::entries, first);
  } else if (what == "swap") {
    auto second = row_of(system, audit::entries, ids.at(1));
    std::swap(first.value, second.value);
    std::swap(first.value.id, second.value.id);
    change.update(audit::entries, first);
    change.update(audit::entries, second);
  } else if (what == "cut") {
    auto end = row_of(system, audit::chain_points, audit::end_point);
    for (auto id = ids.at(0); id <= end.value.entry_id; ++id)
      change.erase(audit::entries, row_of(system, audit::entries, id));
    end.value.entry_id = ids.at(0) - 1;
    end.value.hash = first.value.previous;
    change.update(audit::chain_points, end);
  } else {
    throw std::runtime_error(usage);
  }
  commit(std::move(change));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error(usage);
    std::vector<std::int64_t> ids;
    for (int at = 3; at < argc; ++at) ids.push_back(std::stoll(argv[at]));
    tamper(argv[1], argv[2], ids);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tamper: %s\n", error.what());
    return 1;
  }
}
