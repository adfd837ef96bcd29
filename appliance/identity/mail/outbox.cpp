#include "appliance/identity/mail/outbox.h"

#include <algorithm>

#include "store/erase_range.h"
#include "web/log.h"

namespace mail {

namespace {

using namespace std::chrono_literals;

constexpr auto first_pause = 1min;

}  // namespace

Outbox::Outbox(store::System system, Smtp smtp, boost::asio::io_context& home, boost::asio::thread_pool& blocking,
               Send send)
    : system_(std::move(system)),
      smtp_(std::move(smtp)),
      blocking_(blocking),
      send_(std::move(send)),
      worker_(home, "mail", 500ms, [this] { return work(); }) {}

web::Task<> Outbox::post(Letter letter) {
  auto change = system_.change();
  co_await add(change, std::move(letter));
  co_await change.commit();
}

web::Task<> Outbox::add(store::Change& change, Letter letter) {
  const auto now = store::now();
  Mail mail{.to = std::move(letter.to),
            .subject = std::move(letter.subject),
            .body = store::Sealed{std::move(letter.body)},
            .delivery = smtp_.url.empty() ? Delivery::kept : Delivery::pending,
            .problem = {},
            .created_at = now,
            .next_attempt_at = now};
  mail.id = co_await system_.next_id("mails");
  change.insert(mails, mail);
}

std::vector<Mail> Outbox::list(std::size_t limit) const {
  auto all = system_.find_range(mails, "created_at", store::Time{}, store::Time::max(), 100'000);
  std::ranges::reverse(all);
  if (all.size() > limit) all.resize(limit);
  return all;
}

web::Task<> Outbox::work() {
  const auto now = store::now();
  for (auto& mail : system_.find(mails, "delivery", Delivery::pending))
    if (mail.next_attempt_at <= now) co_await attempt(std::move(mail));
}

web::Task<> Outbox::attempt(Mail mail) {
  auto work = [this, letter = Letter{mail.to, mail.subject, mail.body.clear}] { return send_(smtp_, letter); };
  const auto problem = co_await web::offload(blocking_, std::move(work));
  if (problem) web::log::warning("mail_not_sent", {{"mail", std::to_string(mail.id)}, {"reason", *problem}});
  auto apply = [&](Mail& edited) {
    ++edited.attempts;
    edited.problem = problem.value_or("");
    edited.next_attempt_at = store::now() + first_pause * (1 << std::min<std::int64_t>(edited.attempts - 1, 10));
    if (!problem)
      edited.delivery = Delivery::sent;
    else if (edited.attempts >= max_attempts)
      edited.delivery = Delivery::failed;
  };
  co_await system_.modify(mails, mail.id, apply);
}

web::Task<> Outbox::sweep(store::Time now) {
  return store::erase_range(system_, mails, "created_at", store::Time{}, now - kept);
}

}  // namespace mail
