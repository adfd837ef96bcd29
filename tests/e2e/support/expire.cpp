// Makes something of a box that is not running a minute too old, as its days would.
// usage: expire session FOLDER TOKEN | expire sign-in FOLDER TOKEN | expire key FOLDER KEY
// A sign-in that has expired is a session that goes on, but proves nobody any more.
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "appliance/access/keys.h"
#include "appliance/access/records.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/load.h"
#include "appliance/identity/second_factor/step_up.h"

namespace {

constexpr const char* usage = "usage: expire session|sign-in|key FOLDER SECRET";

// Writes the record back with its time over; throws when there is none.
template <class Row>
void expire(const store::System& system, const auto& table, std::optional<Row> row) {
  if (!row) throw std::runtime_error("there is no such thing");
  row->value.expires_at = store::now() - std::chrono::minutes(1);
  auto change = system.change();
  change.update(table, *row);
  if (!change.commit_blocking().ok()) throw std::runtime_error("somebody else wrote meanwhile");
}

void grow_old(const store::System& system, const std::string& token) {
  auto row = system.get(accounts::sessions, crypto::sha256_hex(token));
  if (!row) throw std::runtime_error("there is no such session");
  row->value.created_at -= second_factor::fresh_for + std::chrono::minutes(1);
  auto change = system.change();
  change.update(accounts::sessions, *row);
  if (!change.commit_blocking().ok()) throw std::runtime_error("somebody else wrote meanwhile");
}

void expire(const std::string& what, const std::string& folder, const std::string& secret) {
  const auto nothing = [](const std::string&) { return std::optional<std::string>(); };
  const auto store = agentbox::open_store(agentbox::resolve_settings({{"AGENTBOX_DATA", folder}}, nothing, {}));
  const auto system = store->system();
  if (what == "session")
    return expire(system, accounts::sessions, system.get(accounts::sessions, crypto::sha256_hex(secret)));
  if (what == "sign-in") return grow_old(system, secret);
  if (what != "key") throw std::runtime_error(usage);
  const auto valid = keys::Keys(system).validate(secret);
  if (!valid) throw std::runtime_error("there is no such key");
  expire(system, keys::api_keys, system.get(keys::api_keys, valid->key->user_id, valid->key->id));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::runtime_error(usage);
    expire(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "expire: %s\n", error.what());
    return 1;
  }
}
