// The once-only ledger of payment credentials.
#pragma once

#include <string>

#include "appliance/billing/spent_credentials/records.h"
#include "store/store.h"
#include "web/task.h"

namespace spent_credentials {

using Row = store::Row<Credential>;

// Callable from every thread.
class SpentCredentials {
 public:
  explicit SpentCredentials(store::System system) : system_(std::move(system)) {}

  struct Claim {
    Row row;
    bool is_new = false;  // false: the credential was known; `row` is as it was found
  };
  // Stores the credential durably unless it is known. Of concurrent claims one is new. A credential whose transaction
  // counts as another one is answered with that one's row.
  web::Task<Claim> claim(Credential);
  // Moves the row to a state, with its other members as they are in `row`, which is then as stored. False: another
  // request has changed the row, or its transaction counts as another credential.
  web::Task<bool> move(Row& row, State to);
  // Forgets a credential with which no money has moved. False: another request has changed the row.
  web::Task<bool> release(const Row& row);
  // Adds a spent credential to a change, which then fails as a duplicate if the credential is known.
  static void spend(store::Change&, Credential);
  bool is_known(std::string_view id) const;

  // After a crash: held ones are forgotten and serving ones are paid again. Settling ones stay; see unsettled().
  // Blocks; before anything is served. Returns how many there were.
  std::size_t recover();
  std::vector<Credential> unsettled() const;

 private:
  std::optional<Row> find(const Credential&) const;

  store::System system_;
};

}  // namespace spent_credentials
