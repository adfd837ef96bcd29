#include "appliance/identity/accounts/brute_force_alert.h"

#include "web/log.h"

namespace accounts {

namespace {

web::Counter& counter(const char* guessed) {
  return web::metrics().counter("agentbox_guess_alarms_total",
                                "Accounts whose password or codes were guessed at often within an hour.",
                                {{"guessed", guessed}});
}

}  // namespace

BruteForceAlert::BruteForceAlert(const Accounts& accounts, audit::Audit& audit)
    : accounts_(accounts), audit_(audit), passwords_(counter("password")), codes_(counter("code")) {}

web::Task<> BruteForceAlert::raise(Guessed guessed, store::UserId id, unsigned failures) {
  const bool is_password = guessed == Guessed::password;
  (is_password ? passwords_ : codes_).add();
  web::log::warning(is_password ? "password_guessed_often" : "codes_guessed_often",
                    {{"user", id}, {"failures", std::int64_t{failures}}});
  const auto user = accounts_.find(id);
  audit::Entry entry{.act = is_password ? "many wrong passwords" : "many wrong codes",
                     .outcome = std::to_string(failures) + " failures within an hour",
                     .user_id = id,
                     .subject = user ? user->email : std::string()};
  co_await audit_.note(std::move(entry));
}

}  // namespace accounts
