#include "appliance/network/email_in/inbox.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/random.h"
#include "web/log.h"
#include "web/utf8.h"

namespace email_in {

namespace {

using namespace std::chrono_literals;

constexpr auto round_pause = 500ms, stop_grace = 2'000ms;
constexpr std::chrono::seconds first_pause{10}, longest_pause{std::chrono::hours(1)};
constexpr std::chrono::hours given_up_after{24};
constexpr std::chrono::days kept{7};
constexpr std::size_t max_text_bytes = 100'000, id_digits = 32;

// "scout+news@agents.example.org" is for the agent "scout".
std::string subdomain_of(const std::string& address) {
  const auto local = address.substr(0, address.find('@'));
  return local.substr(0, local.find('+'));
}

std::string event_id(const std::string& event) { return crypto::sha256_hex(event).substr(0, id_digits); }

// A name that no workspace misreads: the last part of a path, without control characters, not hidden.
std::string file_name(std::string_view given, std::size_t number) {
  if (const auto slash = given.find_last_of("/\\"); slash != std::string_view::npos) given.remove_prefix(slash + 1);
  std::string name;
  for (const char c : given)
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) name += c;
  name = std::string(web::utf8_prefix(name, 120));
  while (name.starts_with('.')) name.erase(0, 1);
  return name.empty() ? "attachment-" + std::to_string(number) : std::to_string(number) + "-" + name;
}

std::string message_text(const Mail& mail, const std::string& attachments) {
  std::string text =
      "E-mail from " + mail.from + "\nSubject: " + (mail.subject.empty() ? "(none)" : mail.subject) + "\n\n";
  text += mail.text.empty() ? "(The mail has no text part.)" : std::string(web::utf8_prefix(mail.text, max_text_bytes));
  if (mail.text.size() > max_text_bytes) text += "\n(The rest of the mail was cut off.)";
  return text + attachments;
}

std::chrono::seconds pause_after(std::int64_t attempts) {
  return std::min(longest_pause, first_pause * (std::int64_t{1} << std::min<std::int64_t>(attempts, 10)));
}

}  // namespace

Inbox::Inbox(store::System system, chat::Chat& chat, uploads::Uploads& uploads, boost::asio::io_context& home)
    : system_(std::move(system)),
      chat_(chat),
      uploads_(uploads),
      home_(home),
      rounds_(home, "received e-mail", round_pause, [this] { return deliver(store::now()); }),
      all_answered_(home.get_executor()) {}

void Inbox::start() { rounds_.start(); }

web::Task<> Inbox::stop() {
  co_await rounds_.stop();
  if (answers_under_way_ == 0) co_return;
  all_answered_.expires_after(stop_grace);
  boost::system::error_code woken;
  co_await all_answered_.async_wait(boost::asio::redirect_error(web::use_task, woken));
}

web::Task<Receipt> Inbox::accept(std::string event, Mail mail) {
  Receipt receipt;
  const auto id = event_id(event);
  for (const auto& address : mail.to) {
    const auto row = system_.find_unique(agents::records, "subdomain", subdomain_of(address));
    if (!row || row->value.desired == agents::desired::removed) {
      receipt.ignored.push_back(address);
      continue;
    }
    const auto& agent = row->value;
    if (std::ranges::count(receipt.delivered, agent.id) > 0) continue;
    receipt.delivered.push_back(agent.id);
    Message message{.owner = agent.owner, .id = id + "-" + agent.id, .agent = agent.id, .received_at = store::now()};
    if (system_.get(messages, message.owner, message.id)) continue;
    const auto attachments = co_await store_attachments(agent, "email/" + id, mail.attachments);
    message.from = mail.from;
    message.text = message_text(mail, attachments);
    message.next_at = message.received_at;
    co_await insert(std::move(message));
  }
  co_return receipt;
}

// A concurrent repeat of the event may have been first.
web::Task<> Inbox::insert(Message message) {
  auto change = system_.change();
  change.insert(messages, message);
  const auto outcome = co_await change.commit();
  if (!outcome.ok() && !outcome.duplicate("id")) throw std::logic_error("emails_in: unexpected conflict");
}

// What the message says about them. The names are the same for a repeat of the event, which replaces the files.
web::Task<std::string> Inbox::store_attachments(const agents::Agent& agent, std::string folder,
                                                const std::vector<Attachment>& attachments) {
  std::string said;
  for (std::size_t at = 0; at < attachments.size(); ++at) {
    const auto& attachment = attachments[at];
    const auto path = folder + "/" + file_name(attachment.name, at + 1);
    if (!attachment.content) {
      said += "\nAttachment \"" + attachment.name + "\": not included by the mail service.";
    } else {
      const bool is_stored = co_await store_attachment(agent.owner, agent.id, path, *attachment.content);
      said += is_stored ? "\nAttachment: " + path
                        : "\nAttachment \"" + attachment.name + "\": not stored, the workspace has no room for it.";
    }
  }
  co_return said.empty() ? said : "\n" + said;
}

web::Task<bool> Inbox::store_attachment(store::UserId owner, std::string agent, std::string path,
                                        const std::string& content) {
  const auto receive = [&]() -> web::Result<uploads::Incoming> {
    auto incoming = uploads_.receive(owner, agent);
    if (!incoming) return incoming.error();
    if (auto appended = incoming->content.append(content); !appended) return appended.error();
    incoming->files.push_back({.path = path, .offset = 0, .size = content.size()});
    return incoming;
  };
  auto incoming = co_await web::offload(uploads_.receiving(), receive);
  if (!incoming) co_return false;
  const auto stored = co_await uploads_.put(std::move(*incoming));
  co_return stored.has_value();
}

web::Task<> Inbox::deliver(store::Time now) {
  for (auto& message : system_.find_range(messages, "next", store::Time(), now + 1ms))
    co_await deliver_one(std::move(message), now);
  for (const auto& old : system_.find_range(messages, "received", store::Time(), now - kept)) {
    const auto row = system_.get(messages, old.owner, old.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(messages, *row);
    co_await change.commit(store::Durability::relaxed);
  }
}

// An agent that does not run, or whose owner is disabled, gets the mail when that has changed, within a day.
web::Task<> Inbox::deliver_one(Message message, store::Time now) {
  // Addresses can be forged, so a mail is a peer's even if it bears the owner's. Its sender reads no answer.
  auto sender = chat::Sender::of_peer(chat::Channel::mail, "mail:" + message.from, std::nullopt);
  web::Result<chat::Question> asked = web::forbidden("The account of the agent's owner is disabled");
  const auto owner = system_.get(accounts::users, message.owner);
  if (message.owner == 0 || (owner && !owner->value.is_disabled))
    asked = co_await chat_.ask(message.owner, message.agent, message.text, sender);
  const bool is_final =
      asked || asked.error().kind == web::Kind::not_found || now > message.received_at + given_up_after;
  auto record = [&](Message& stored) {
    if (asked) {
      stored.delivery = Delivery::delivered;
      stored.failure.clear();
    } else {
      if (is_final) stored.delivery = Delivery::failed;
      stored.failure = asked.error().message;
    }
    if (is_final) {
      stored.text.clear();
      stored.next_at.reset();
    } else {
      stored.next_at = now + pause_after(stored.attempts++);
    }
  };
  co_await system_.modify(messages, message.owner, message.id, record);
  if (asked) await_answer(std::move(*asked));
}

// The answer is part of the agent's conversation, where its owner reads it.
void Inbox::await_answer(chat::Question question) {
  ++answers_under_way_;
  boost::asio::co_spawn(home_, chat_.answer(std::move(question)),
                        [this](std::exception_ptr failure, web::Result<chat::Answer> answer) {
                          if (failure)
                            web::log::warning("email_not_answered", {{"reason", std::string("the exchange failed")}});
                          else if (!answer)
                            web::log::info("email_not_answered", {{"reason", answer.error().message}});
                          if (--answers_under_way_ == 0) all_answered_.cancel();
                        });
}

}  // namespace email_in
