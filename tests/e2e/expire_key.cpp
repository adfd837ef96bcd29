// Makes an API key of a box that is not running a minute too old, as its days would. usage: expire_key FOLDER KEY
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "appliance/data_folder.h"
#include "appliance/keys/keys.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: expire_key FOLDER KEY\n");
    return 2;
  }
  try {
    agentbox::Settings settings;
    settings.data = argv[1];
    const auto store = agentbox::open_store(settings);
    const auto system = store->system();
    const auto valid = keys::Keys(system).validate(argv[2]);
    if (!valid) throw std::runtime_error("there is no such key");
    auto row = system.get(keys::api_keys, valid->key.user_id, valid->key.id);
    row->value.expires_at = store::now() - std::chrono::minutes(1);
    auto change = system.change();
    change.update(keys::api_keys, *row);
    return change.commit_blocking().ok() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "expire_key: %s\n", error.what());
    return 1;
  }
}
