// Parts that are the rows of tables with owners: most are.
#pragma once

#include <string>
#include <vector>

#include "appliance/identity/personal_data/archive.h"
#include "appliance/identity/personal_data/exported.h"
#include "appliance/identity/personal_data/personal_data.h"
#include "store/store.h"

namespace personal_data {

inline constexpr std::size_t rows_per_change = 200, rows_per_file = 1'000;

template <class R>
web::Task<> erase_rows(store::System system, const store::Owned<R>& table, store::UserId user) {
  const auto tenant = system.tenant(user);
  for (;;) {
    const auto found = tenant.list(table, store::Page{.limit = rows_per_change});
    if (found.empty()) co_return;
    auto change = system.change();
    for (const R& record : found)
      if (const auto row = tenant.get(table, record.*table.id)) change.erase(table, *row);
    co_await change.commit(store::Durability::relaxed);  // stale: somebody wrote meanwhile; the next round has it
  }
}

// A file for each thousand rows, one JSON object a line: "messages.jsonl", "messages-2.jsonl".
template <class R>
web::Task<> write_rows(store::System system, const store::Owned<R>& table, store::UserId user, Archive& archive) {
  const auto tenant = system.tenant(user);
  const std::string name(table.name.family);
  store::Page page{.limit = rows_per_file};
  for (std::size_t file = 1;; ++file) {
    const auto found = tenant.list(table, page);
    if (found.empty()) co_return;
    std::string lines;
    for (const R& record : found) lines += boost::json::serialize(exported(record)) + "\n";
    std::string path = name + (file == 1 ? "" : "-" + std::to_string(file)) + ".jsonl";
    co_await archive.add(std::move(path), std::move(lines));
    if (found.size() < rows_per_file) co_return;
    page.after = found.back().*table.id;
  }
}

// Exported and erased. The tables must be constants.
template <class... R>
Part rows_of(store::System system, const store::Owned<R>&... tables) {
  using Erase = std::function<web::Task<>(store::UserId)>;
  using Write = std::function<web::Task<>(store::UserId, Archive&)>;
  const std::vector<Erase> erase{
      [system, table = &tables](store::UserId user) { return erase_rows(system, *table, user); }...};
  const std::vector<Write> write{[system, table = &tables](store::UserId user, Archive& archive) {
    return write_rows(system, *table, user, archive);
  }...};
  return {.erase = [erase](store::UserId user) -> web::Task<> {
            for (const auto& one : erase) co_await one(user);
          },
          .write = [write](store::UserId user, Archive& archive) -> web::Task<> {
            for (const auto& one : write) co_await one(user, archive);
          }};
}

// Erased only: rows that say nothing to their owner, such as private keys and marks of work in progress.
template <class... R>
Part hidden_rows_of(store::System system, const store::Owned<R>&... tables) {
  auto part = rows_of(std::move(system), tables...);
  part.write = {};
  return part;
}

}  // namespace personal_data
