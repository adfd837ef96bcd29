// Makes a session of a box that is not running a minute too old, as thirty days would. usage: expire_session FOLDER
// TOKEN
#include <cstdio>
#include <exception>
#include <string>

#include "appliance/accounts/records.h"
#include "appliance/crypto/random.h"
#include "appliance/data_folder.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: expire_session FOLDER TOKEN\n");
    return 2;
  }
  try {
    agentbox::Settings settings;
    settings.data = argv[1];
    const auto store = agentbox::open_store(settings);
    auto row = store->system().get(accounts::sessions, crypto::sha256_hex(argv[2]));
    if (!row) throw std::runtime_error("there is no such session");
    row->value.expires_at = store::now() - std::chrono::minutes(1);
    auto change = store->system().change();
    change.update(accounts::sessions, *row);
    return change.commit_blocking().ok() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "expire_session: %s\n", error.what());
    return 1;
  }
}
