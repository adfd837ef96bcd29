// Puts LIVE sessions, which end over the next thirty days, and EXPIRED ones into the store of a set-up data folder, all
// of the folder's first user; prints the cookie tokens of up to a thousand live ones, spread over all, one a line.
//
// usage: fill_sessions FOLDER LIVE EXPIRED
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "appliance/access/sessions.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"

namespace {

constexpr std::int64_t a_commit = 2'000, told = 1'000;

void fill(const char* folder, std::int64_t live, std::int64_t expired) {
  agentbox::Settings settings;
  settings.data = folder;
  const auto store = agentbox::open_store(settings);
  const auto system = store->system();
  std::int64_t user = 0;
  system.each<accounts::User, std::int64_t>(accounts::users, [&](const accounts::User& first) {
    user = first.id;
    return false;
  });
  const auto now = store::now();
  const std::int64_t all = live + expired, every = std::max<std::int64_t>(1, live / told);
  for (std::int64_t at = 0; at < all;) {
    auto change = system.change();
    for (const std::int64_t end = std::min(all, at + a_commit); at < end; ++at) {
      const std::string token = crypto::random_token(32);
      const bool is_live = at < live;
      const auto left = std::chrono::duration_cast<store::Time::duration>(accounts::session_lifetime) * (at + 1) /
                        std::max<std::int64_t>(1, live);
      const auto ends = is_live ? now + left + std::chrono::hours(1) : now - std::chrono::seconds(1);
      change.insert(accounts::sessions, accounts::Session{.id = crypto::sha256_hex(token),
                                                          .user_id = user,
                                                          .created_at = ends - accounts::session_lifetime,
                                                          .expires_at = ends});
      if (is_live && at % every == 0) std::puts(token.c_str());
    }
    if (!change.commit_blocking().ok()) throw std::runtime_error("a random token was taken");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: fill_sessions FOLDER LIVE EXPIRED\n");
    return 2;
  }
  try {
    fill(argv[1], std::atoll(argv[2]), std::atoll(argv[3]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fill_sessions: %s\n", error.what());
    return 1;
  }
}
