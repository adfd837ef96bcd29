// Brings received mails to agents: attachments to their workspaces, the text as a message.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/uploads/uploads.h"
#include "appliance/network/email_in/mail.h"
#include "appliance/network/email_in/records.h"

namespace email_in {

struct Receipt {
  std::vector<std::string> delivered;  // ids of agents; their messages are stored
  std::vector<std::string> ignored;    // addresses of no agent
};

class Inbox {
 public:
  // `home` runs the deliveries. All arguments must outlive it.
  Inbox(store::System, chat::Chat&, uploads::Uploads&, boost::asio::io_context& home);

  void start();
  // Waits a moment for answers under way.
  web::Task<> stop();

  // Durable when it returns. A mail that was accepted before, by `event`, gives the same receipt and changes nothing.
  // Callable from every thread.
  web::Task<Receipt> accept(std::string event, Mail);
  // The messages that are due, and the end of those that are too old. On `home`.
  web::Task<> deliver(store::Time now);

 private:
  web::Task<std::string> store_attachments(const agents::Agent&, std::string folder, const std::vector<Attachment>&);
  web::Task<bool> store_attachment(store::UserId, std::string agent, std::string path, const std::string& content);
  web::Task<> insert(Message);
  web::Task<> deliver_one(Message, store::Time now);
  void await_answer(chat::Question);

  store::System system_;
  chat::Chat& chat_;
  uploads::Uploads& uploads_;
  boost::asio::io_context& home_;
  agentbox::Periodic rounds_;
  // Used on `home` only.
  std::size_t answers_under_way_ = 0;
  web::Timer all_answered_;
};

}  // namespace email_in
