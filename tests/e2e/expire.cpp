// Makes something of a box that is not running a minute too old, as its days would.
// usage: expire session FOLDER TOKEN | expire key FOLDER KEY
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "appliance/accounts/records.h"
#include "appliance/crypto/random.h"
#include "appliance/data_folder.h"
#include "appliance/keys/keys.h"

namespace {

// Writes the record back with its time over; throws when there is none.
template <class Row>
void expire(const store::System& system, const auto& table, std::optional<Row> row) {
  if (!row) throw std::runtime_error("there is no such thing");
  row->value.expires_at = store::now() - std::chrono::minutes(1);
  auto change = system.change();
  change.update(table, *row);
  if (!change.commit_blocking().ok()) throw std::runtime_error("somebody else wrote meanwhile");
}

void expire(const std::string& what, const std::string& folder, const std::string& secret) {
  agentbox::Settings settings;
  settings.data = folder;
  const auto store = agentbox::open_store(settings);
  const auto system = store->system();
  if (what == "session")
    return expire(system, accounts::sessions, system.get(accounts::sessions, crypto::sha256_hex(secret)));
  if (what != "key") throw std::runtime_error("usage: expire session|key FOLDER SECRET");
  const auto valid = keys::Keys(system).validate(secret);
  if (!valid) throw std::runtime_error("there is no such key");
  expire(system, keys::api_keys, system.get(keys::api_keys, valid->key->user_id, valid->key->id));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::runtime_error("usage: expire session|key FOLDER SECRET");
    expire(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "expire: %s\n", error.what());
    return 1;
  }
}
