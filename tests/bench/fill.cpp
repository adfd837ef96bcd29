// Fills the store of a set-up data folder: users user1@bench.local to userN@bench.local, each with AGENTS stopped
// agents, all with one password. Written as the box writes them, a thousand users a commit. usage: fill FOLDER USERS
// AGENTS PASSWORD
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "appliance/access/records.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/load.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/identity/accounts/password_hasher.h"

namespace {

constexpr int users_per_commit = 1'000;
// Where the store counts the ids it hands out: moved by hand, because asking for each would cost a synced write.
const store::CounterName user_ids{"sequence/users"};

accounts::User make_user(store::UserId id, int number, const std::string& password_hash) {
  const std::string email = "user" + std::to_string(number) + "@bench.local";
  return {.id = id,
          .email = email,
          .name = email,
          .password_hash = password_hash,
          .referral_code = crypto::random_id(10),
          .created_at = store::now()};
}

agents::Agent make_agent(store::UserId owner, int number) {
  const std::string token = crypto::random_token(), box_token = crypto::random_token();
  const auto now = store::now();
  return {.owner = owner,
          .id = "ag_" + crypto::random_id(20),
          .name = "Agent " + std::to_string(number),
          .subdomain = "agent-" + std::to_string(number) + "-" + crypto::random_id(12),
          .model = agents::default_model,
          .plan = "network",
          .status = agents::Status::stopped,
          .gateway_token = {token},
          .box_token = {box_token},
          .box_token_hash = crypto::sha256_hex(box_token),
          .created_at = now,
          .updated_at = now};
}

void fill(const std::string& folder, int users, int agents_each, const std::string& password) {
  // STORE_URL: into that database.
  const auto store = agentbox::open_store(
      agentbox::resolve_settings({{"AGENTBOX_DATA", folder}}, agentbox::process_environment(), {}));
  const auto system = store->system();
  const std::string hash = accounts::PasswordHasher().hash_blocking(password);
  const store::UserId ids_before = system.counter(0, user_ids);
  for (int first = 1; first <= users; first += users_per_commit) {
    auto change = system.change();
    for (int number = first; number < first + users_per_commit && number <= users; ++number) {
      const auto user = make_user(ids_before + number, number, hash);
      change.insert(accounts::users, user);
      for (int agent = 1; agent <= agents_each; ++agent) change.insert(agents::records, make_agent(user.id, agent));
      if (agents_each > 0) change.add(user.id, agents::count, agents_each);
    }
    change.add(0, user_ids, std::min(users_per_commit, users - first + 1));
    if (!change.commit_blocking().ok()) throw std::runtime_error("the folder has been filled before");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: fill FOLDER USERS AGENTS PASSWORD\n");
    return 2;
  }
  try {
    fill(argv[1], std::atoi(argv[2]), std::atoi(argv[3]), argv[4]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fill: %s\n", error.what());
    return 1;
  }
}
