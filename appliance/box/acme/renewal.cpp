#include "appliance/box/acme/renewal.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/url.hpp>

#include "appliance/box/acme/challenge.h"
#include "appliance/box/acme/order.h"
#include "appliance/box/acme/schedule.h"
#include "web/client/authorities.h"
#include "web/log.h"

namespace acme {

using namespace std::chrono_literals;

namespace {

constexpr auto look_pause = 1s;               // at the clock
constexpr std::chrono::seconds apart = 1min;  // attempts, however often the box restarts

std::chrono::sys_seconds now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

std::int64_t count(std::chrono::sys_seconds at) { return at.time_since_epoch().count(); }
std::chrono::sys_seconds at(std::int64_t seconds) { return std::chrono::sys_seconds(std::chrono::seconds(seconds)); }

bool covers(const crypto::CertificateFacts& certificate, const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::find(certificate.names, name) != certificate.names.end();
  });
}

// As fetch() names it.
std::string destination_of(const std::string& url) {
  const boost::urls::url_view parsed(url);
  const std::string port(parsed.port().empty() ? std::string_view("443") : std::string_view(parsed.port()));
  return std::string(parsed.encoded_host()) + ":" + port;
}

// The other kind comes first after a failure: one of the two ports may be closed.
std::vector<std::string> challenges_of(const agentbox::Settings& settings, std::int64_t failures) {
  std::vector<std::string> kinds{tls_challenge};
  if (!settings.http_redirect_listen.empty()) kinds.insert(kinds.begin(), http_challenge);
  if (failures % 2 == 1) std::ranges::reverse(kinds);
  return kinds;
}

}  // namespace

Renewal::Renewal(const agentbox::Platform& platform, std::function<void()> reload)
    : platform_(platform),
      is_on_(!platform.settings.acme_directory.empty()),
      names_(is_on_ ? names_of(platform.settings) : std::vector<std::string>()),
      file_(certificate_file(platform.settings.data)),
      reload_(std::move(reload)),
      work_(platform.home, "certificate_renewal_ended") {
  if (!is_on_) return;
  agentbox::DataFolder(file_.parent_path()).prepare("folder of certificates");
  if (!platform.settings.acme_ca.empty())
    web::trust_only(destination_of(platform.settings.acme_directory), platform.settings.acme_ca);
  attempts_ = read_attempts(platform.settings);
  auto held = held_certificate(file_);
  if (!held || (held->is_self_signed && (!covers(held->facts, names_) || held->facts.expires_at < now()))) {
    write_self_signed(file_, names_);
    held = held_certificate(file_);
  }
  is_self_signed_ = held->is_self_signed;
  const bool is_wanted = is_self_signed_ || !covers(held->facts, names_);
  if (!is_wanted) due_ = renewal_time(held->facts);
  if (attempts_.failures > 0) due_ = std::max({due_, at(attempts_.last_at) + apart, at(attempts_.not_before)});
}

void Renewal::start() {
  if (!is_on_) return;
  if (is_self_signed_)
    web::log::warning("certificate_self_signed",
                      {{"names", boost::json::serialize(boost::json::value_from(names_))},
                       {"reason", "there is no certificate of the authority yet: browsers warn of the box's own"}});
  work_.spawn("renewal", run());
}

web::Task<> Renewal::stop() {
  if (is_on_) co_await work_.stop();
}

std::optional<Renewal::Status> Renewal::status() const {
  if (!is_on_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  return Status{.is_self_signed = is_self_signed_, .problem = attempts_.problem};
}

void Renewal::note(const Attempts& attempts) {
  {
    const std::scoped_lock lock(mutex_);
    attempts_ = attempts;
  }
  try {
    write_attempts(platform_.settings.data, attempts);
  } catch (const agentbox::UsageError& error) {  // only the next start misses it
    web::log::warning("certificate_attempt_not_noted", {{"reason", std::string(error.what())}});
  }
}

web::Task<crypto::CertifiedKey> Renewal::get_certificate() {
  const auto& settings = platform_.settings;
  Directory directory(settings.acme_directory, AccountKey::load(account_file(settings.data)));
  co_await directory.enter(settings.acme_email);
  Wanted wanted{.names = names_, .key = crypto::make_key(), .challenges = challenges_of(settings, attempts_.failures)};
  crypto::CertifiedKey made{.certificate = {}, .key = wanted.key};
  made.certificate = co_await obtain(directory, std::move(wanted));
  if (!covers(crypto::read_certificate(made.certificate), names_))
    throw Refused("the certificate authority certified other names than were asked for");
  co_return made;
}

web::Task<> Renewal::run() {
  web::Timer tick(platform_.home.get_executor());
  for (;;) {
    if (now() >= due_) co_await attempt();
    tick.expires_after(look_pause);
    co_await tick.async_wait(web::use_task);
  }
}

web::Task<> Renewal::attempt() {
  Attempts next = attempts_;
  next.last_at = count(now());
  next.not_before = 0;
  try {
    const auto made = co_await get_certificate();
    write_certificate(file_, made);
    const auto facts = crypto::read_certificate(made.certificate);
    next.failures = 0;
    next.problem.clear();
    due_ = renewal_time(facts);
    {
      const std::scoped_lock lock(mutex_);
      is_self_signed_ = false;
    }
    web::log::info("certificate_issued", {{"expires_in_seconds", count(facts.expires_at) - next.last_at},
                                          {"renewal_in_seconds", count(due_) - next.last_at}});
    reload_();
  } catch (const Refused& refused) {
    next.not_before = refused.retry_after > 0s ? count(now() + refused.retry_after) : 0;
    next.problem = refused.what();
  } catch (const boost::system::system_error& error) {
    if (error.code() == boost::asio::error::operation_aborted) throw;
    next.problem = std::string("the certificate was not renewed: ") + error.what();
  } catch (const std::exception& error) {
    next.problem = std::string("the certificate was not renewed: ") + error.what();
  }
  if (!next.problem.empty()) {
    due_ = std::max(now() + pause_after(++next.failures), at(next.not_before));
    web::log::error(
        "certificate_not_issued",
        {{"reason", next.problem}, {"failures", next.failures}, {"retry_in_seconds", count(due_) - count(now())}});
  }
  note(next);
}

}  // namespace acme
