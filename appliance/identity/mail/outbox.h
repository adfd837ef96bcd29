// Mail from the box: stored first, then sent in the background. Without a mail server it is kept for the administrator.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/identity/mail/records.h"
#include "appliance/identity/mail/smtp.h"
#include "web/task.h"

namespace mail {

inline constexpr std::chrono::days kept{7};
inline constexpr int max_attempts = 8;  // over two hours, with exponential back-off

// post() is callable from every thread; must not outlive the store.
class Outbox {
 public:
  using Send = std::function<std::optional<std::string>(const Smtp&, const Letter&)>;
  Outbox(store::System, Smtp, boost::asio::io_context& home, boost::asio::thread_pool& blocking, Send = send);

  // Whether mails are sent; without a mail server the administrator reads them.
  bool is_sending() const { return !smtp_.url.empty(); }
  // Durable once this returns.
  web::Task<> post(Letter);
  // Adds it to a change. The letter is sent after its commit.
  web::Task<> add(store::Change&, Letter);
  // Newest first. Blocks.
  std::vector<Mail> list(std::size_t limit) const;
  // Sends the mails that are due.
  web::Task<> work();
  // Removes mails older than `kept`.
  web::Task<> sweep(store::Time now);

  void start() { worker_.start(); }
  web::Task<> stop() { return worker_.stop(); }

 private:
  web::Task<> attempt(Mail);

  store::System system_;
  const Smtp smtp_;
  boost::asio::thread_pool& blocking_;
  const Send send_;
  agentbox::Periodic worker_;
};

}  // namespace mail
