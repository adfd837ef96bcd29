// The once-only ledger of payment credentials.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/spent_credentials/records.h"
#include "store/store.h"
#include "web/task.h"

namespace spent_credentials {

using Row = store::Row<Credential>;

// Callable from every thread; outlives what it hands out.
class SpentCredentials {
 public:
  // The right of one request to work with what the id names (a credential, a payer), while it lives. False: another
  // request has it.
  class Exclusive {
   public:
    Exclusive(SpentCredentials& all, std::string id);
    ~Exclusive();
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;
    explicit operator bool() const { return is_first_; }

   private:
    SpentCredentials& all_;
    const std::string id_;
    const bool is_first_;
  };

  explicit SpentCredentials(store::System system) : system_(std::move(system)) {}

  // By its id; with a transaction also the row that counts it under another id.
  std::optional<Row> find(std::string_view id, std::string_view transaction = {}) const;
  // Stores a new credential durably. Nothing: its id or its transaction is known.
  web::Task<std::optional<Row>> claim(Credential);
  // Moves the row to a state, with its other members as they are in `row`, which is then as stored. False: another
  // request has changed the row, or its transaction counts as another credential.
  web::Task<bool> move(Row& row, State to);
  // Forgets a credential with which no money has moved. False: another request has changed the row.
  web::Task<bool> release(const Row& row);
  // Adds a spent credential to a change, which then fails as a duplicate if the credential is known.
  static void spend(store::Change&, Credential);

  // After a crash: held ones are forgotten, and serving ones are paid again. Settling ones stay, for their payer to
  // come back with. Blocks; before anything is served. Returns how many there were.
  std::size_t recover();
  // Those that are not spent.
  std::vector<Credential> unfinished_ones() const;

 private:
  store::System system_;
  std::mutex mutex_;  // protects in_use_
  std::set<std::string, std::less<>> in_use_;
};

}  // namespace spent_credentials
