// Fills a set-up data folder with PAYERS users who ask models: each with the plan label, a key with a budget, and caps
// of their own; and with MONTHS months of history of USERS users in all, a call a month each. Prints the keys, one a
// line. usage: fill_models FOLDER PAYERS USERS MONTHS
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "appliance/access/keys.h"
#include "appliance/access/records.h"
#include "appliance/billing/spending/caps.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/billing/usage/period.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/load.h"
#include "web/task.h"

namespace {

constexpr int side_by_side = 512;  // calls are recorded together, so that they share their fsyncs
constexpr std::int64_t plenty_of_tokens = 1'000'000'000'000;
const usage::Money plenty_of_money = *usage::Money::parse("1000000");

// No token leads there: it makes the keys, and signs nobody in.
std::string session_of(store::UserId user) { return "bench" + std::to_string(user); }

web::Task<store::UserId> make_user(store::System system, int number) {
  const auto id = co_await system.next_id("users");
  const auto email = "payer" + std::to_string(number) + "@bench.local";
  const accounts::User user{.id = id,
                            .email = email,
                            .name = email,
                            .referral_code = "payer" + std::to_string(number),
                            .created_at = store::now()};
  const accounts::Session session{.id = session_of(id),
                                  .user_id = id,
                                  .created_at = user.created_at,
                                  .expires_at = user.created_at + std::chrono::hours(1)};
  auto change = system.change();
  change.insert(accounts::users, user);
  change.insert(accounts::sessions, session);
  co_await change.commit();
  co_return user.id;
}

web::Task<> make_payer(store::System system, store::UserId user) {
  billing::Subscriptions subscriptions(system);
  keys::Keys keys(system);
  billing::Caps caps(system);
  const auto plan = co_await subscriptions.deploy(user, billing::Plan::label);
  if (!plan) throw std::runtime_error(plan.error().message);
  const web::Caller caller{.user_id = user, .credential = session_of(user)};
  const auto made = co_await keys.create(caller, "bench", std::nullopt, plenty_of_money.units());
  if (!made) throw std::runtime_error(made.error().message);
  for (const auto period : {billing::CapPeriod::day, billing::CapPeriod::month}) {
    billing::Cap cap{.user_id = user,
                     .period = period,
                     .tokens = plenty_of_tokens,
                     .cost = plenty_of_money.units(),
                     .updated_at = {}};
    const auto set = co_await caps.put(std::move(cap));
    if (!set) throw std::runtime_error(set.error().message);
  }
  std::printf("%s\n", made->secret.c_str());
}

// The history of every `side_by_side`-th user from `first` on.
web::Task<> make_history(usage::Ledger& ledger, const std::vector<store::UserId>& users, std::size_t first,
                         int months) {
  for (auto at = first; at < users.size(); at += side_by_side) {
    for (int ago = 1; ago <= months; ++ago) {
      usage::Call call{.user_id = users[at],
                       .at = usage::months_before(store::now(), ago) + std::chrono::hours(24 * (at % 28)),
                       .key = "k",
                       .provider = "openrouter",
                       .model = "openai/gpt-4o-mini",
                       .input_tokens = 20,
                       .output_tokens = 300,
                       .cost = 183'000'000,
                       .priced = true,
                       .latency_ms = 900,
                       .outcome = "ok"};
      co_await ledger.record(std::move(call));
    }
  }
}

web::Task<> fill(store::System system, usage::Ledger& ledger, int payers, int count, int months) {
  std::vector<store::UserId> users;
  for (int number = 0; number < count; ++number) users.push_back(co_await make_user(system, number));
  for (int number = 0; number < payers; ++number)
    co_await make_payer(system, users.at(static_cast<std::size_t>(number)));
  const auto executor = co_await boost::asio::this_coro::executor;
  for (std::size_t first = 0; months > 0 && first < side_by_side; ++first) {
    boost::asio::co_spawn(executor, make_history(ledger, users, first, months), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: fill_models FOLDER PAYERS USERS MONTHS\n");
    return 2;
  }
  try {
    // STORE_URL: into that database.
    const auto store = agentbox::open_store(
        agentbox::resolve_settings({{"AGENTBOX_DATA", argv[1]}}, agentbox::process_environment(), {}));
    usage::Ledger ledger(store->system());
    boost::asio::io_context context(1);
    boost::asio::co_spawn(context,
                          fill(store->system(), ledger, std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4])),
                          [](std::exception_ptr failure) {
                            if (failure) std::rethrow_exception(failure);
                          });
    context.run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fill_models: %s\n", error.what());
    return 1;
  }
}
