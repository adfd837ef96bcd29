#include "appliance/hosting/channels/adapters/mail.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/hosting/channels/adapters/mail_trust.h"
#include "appliance/identity/mail/smtp.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/log.h"
#include "web/utf8.h"

namespace channels {

namespace {

constexpr std::array<std::uint16_t, 1> imap_secure{993}, imap_others{143}, smtp_secure{465};
constexpr std::array<std::uint16_t, 2> smtp_others{587, 2525};
constexpr ServerPorts imap_ports{993, imap_secure, imap_others}, smtp_ports{465, smtp_secure, smtp_others};
constexpr std::chrono::seconds mail_idle_time{55};
constexpr std::size_t mails_at_once = 20, max_mail_bytes = 28u << 20, partial_bytes = 256u << 10;
constexpr std::size_t max_references = 10, max_subject = 200, max_reference = 250;

std::string option_of(const Channel& channel, std::string_view name, std::string otherwise = {}) {
  auto given = web::string_member(channel.options, name);
  return given.empty() ? std::move(otherwise) : given;
}

ServerAddress known_server(std::string_view field, const Channel& channel, const ServerPorts& ports, web::Reach reach) {
  const auto server = server_address(field, option_of(channel, field), ports, reach);
  return server ? *server : ServerAddress();
}

bool has_controls(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

// "<a@b> <c@d>" without what is no message id.
std::vector<std::string> message_ids(std::string_view field) {
  std::vector<std::string> ids;
  while (true) {
    const auto begin = field.find('<');
    const auto end = begin == field.npos ? field.npos : field.find('>', begin);
    if (end == field.npos) return ids;
    const auto id = field.substr(begin, end - begin + 1);
    if (id.size() <= max_reference && id.find_first_of(web::white_space) == id.npos && id.find('<', 1) == id.npos)
      ids.emplace_back(id);
    field.remove_prefix(end + 1);
  }
}

// Where an answer goes: the address, and the thread that it belongs to, as "ada@example.org <1@a> <2@a> Subject: Hi".
struct MailThread {
  std::string address, subject;
  std::vector<std::string> references;

  std::string chat() const {
    auto text = address;
    for (const auto& reference : references) text += " " + reference;
    return subject.empty() ? text : text + " Subject: " + subject;
  }
  static MailThread of(std::string_view chat) {
    MailThread thread;
    constexpr std::string_view mark = " Subject: ";
    const auto subject = chat.find(mark);
    if (subject != chat.npos) thread.subject = chat.substr(subject + mark.size());
    chat = chat.substr(0, subject);
    thread.address = chat.substr(0, chat.find(' '));
    thread.references = message_ids(chat);
    return thread;
  }
};

// The first reference begins the thread, the last ones are next to the answer.
std::vector<std::string> shortened(std::vector<std::string> references) {
  if (references.size() > max_references)
    references.erase(references.begin() + 1, references.end() - std::ptrdiff_t(max_references) + 1);
  return references;
}

std::string domain_of_mail(std::string_view address) { return std::string(address.substr(address.find('@') + 1)); }

// "uidvalidity/uid/section/encoding"
struct PartReference {
  std::uint32_t validity = 0, uid = 0;
  std::string section, encoding;
};
std::optional<PartReference> part_reference(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (auto& part : parts) {
    part = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  PartReference reference{.section = std::string(parts[2]), .encoding = std::string(parts[3])};
  const auto read = [](std::string_view digits, std::uint32_t& number) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc();
  };
  if (!read(parts[0], reference.validity) || !read(parts[1], reference.uid)) return std::nullopt;
  if (reference.section.empty() || reference.section.find_first_not_of("0123456789.") != std::string::npos)
    return std::nullopt;
  return reference;
}

}  // namespace

web::Result<void> MailBox::check(const Channel& channel, const AdapterSettings& settings) {
  const auto address = option_of(channel, "address");
  if (!agentbox::normalised_email(address)) return web::invalid("address must be the mailbox's e-mail address");
  if (has_controls(secret_of(channel, "token"))) return web::invalid("token must be the mailbox's password, one line");
  for (const auto* field : {"user", "folder", "name"})
    if (has_controls(option_of(channel, field))) return web::invalid(std::string(field) + " must be one line");
  const auto authserv = option_of(channel, "authserv");
  if (authserv.empty() || authserv.find_first_of(" ;()\"\t\r\n") != std::string::npos)
    return web::invalid(
        "authserv must name the server whose Authentication-Results are trusted, such as mx.example.org");
  const auto imap = server_address("imap", option_of(channel, "imap"), imap_ports, settings.user_reach);
  if (!imap) return imap.error();
  const auto smtp = server_address("smtp", option_of(channel, "smtp"), smtp_ports, settings.user_reach);
  if (!smtp) return smtp.error();
  return {};
}

MailBox::MailBox(const Channel& channel, const AdapterSettings& settings)
    : channel_(channel.id),
      address_(web::lower_case(option_of(channel, "address"))),
      authserv_(option_of(channel, "authserv")),
      folder_(option_of(channel, "folder", "INBOX")),
      name_(option_of(channel, "name")),
      user_(option_of(channel, "user", option_of(channel, "address"))),
      password_(secret_of(channel, "token")),
      imap_(known_server("imap", channel, imap_ports, settings.user_reach)),
      smtp_(known_server("smtp", channel, smtp_ports, settings.user_reach)),
      origin_(origin_of(channel)),
      reach_(settings.user_reach),
      since_(channel.created_at),
      traits_{.format = Format::matrix_html,
              .text = {.length = 100'000},
              .max_file_bytes = 15u << 20,  // some 20 MB when it is encoded, which most servers take
              .pace = std::chrono::milliseconds(200)} {}

web::Task<web::Result<std::unique_ptr<Imap>>> MailBox::open_mailbox() const {
  ImapAccount account{.server = imap_, .user = user_, .password = password_, .folder = folder_};
  auto origin = origin_;
  return Imap::open(std::move(origin), std::move(account), reach_);
}

web::Task<web::Result<std::string>> MailBox::sign_in() {
  auto mailbox = co_await open_mailbox();
  if (!mailbox) co_return mailbox.error();
  mailbox_ = std::move(*mailbox);
  SubmissionAccount account{.server = smtp_, .user = user_, .password = password_};
  auto origin = origin_;
  const auto submission = co_await check_submission(std::move(origin), std::move(account), reach_);
  if (!submission) co_return submission.error();
  co_return address_;
}

web::Task<web::Result<std::vector<Received>>> MailBox::receive() {
  if (!taken_.empty()) {
    auto taken = std::move(taken_);
    taken_.clear();
    const auto marked = co_await mailbox_->mark_seen(std::move(taken));
    if (!marked) co_return marked.error();
  }
  auto uids = co_await mailbox_->unseen(since_);
  if (uids && uids->empty()) {
    const auto waited = co_await mailbox_->wait(mail_idle_time);
    if (!waited) co_return waited.error();
    uids = co_await mailbox_->unseen(since_);
  }
  if (!uids) co_return uids.error();
  std::vector<Received> received;
  for (const auto uid : *uids) {
    if (taken_.size() >= mails_at_once) break;
    auto one = co_await read(uid);
    // A mail that is gone, or that the server does not show, must not hold up the others.
    const bool is_skipped =
        !one && (one.error().kind == web::Kind::not_found || one.error().kind == web::Kind::conflict);
    if (!one && !is_skipped) co_return one.error();
    taken_.push_back(uid);
    if (one && *one) received.push_back(std::move(**one));
  }
  co_return received;
}

web::Task<web::Result<std::optional<Received>>> MailBox::read(std::uint32_t uid) {
  const auto size = co_await mailbox_->size(uid);
  if (!size) co_return size.error();
  if (size->arrived && *size->arrived < std::chrono::floor<std::chrono::seconds>(since_))
    co_return std::optional<Received>();
  const bool is_large = size->bytes > max_mail_bytes;
  const auto most = is_large ? partial_bytes : max_mail_bytes;
  const auto bytes = co_await mailbox_->message(uid, most);
  if (!bytes) co_return bytes.error();
  auto mail = read_mail(*bytes);
  if (is_large) mail.attachments.clear();
  auto received = received_of(mail, uid);
  if (received && is_large) received->text += "\n(The mail is larger than 28 MB: its files were left out.)";
  co_return received;
}

std::optional<Received> MailBox::received_of(const ReadMail& mail, std::uint32_t uid) const {
  const auto from = mail_address(mail.headers.first("from"));
  const auto ignore = [&](const char* reason) {
    web::log::info("channel_mail_ignored", {{"channel", channel_}, {"reason", std::string(reason)}});
    return std::nullopt;
  };
  if (from.address.empty() || mail.headers.all("from").size() != 1) return ignore("It has no single sender.");
  if (from.address == address_) return ignore("It comes from the mailbox itself.");
  if (is_automatic(mail.headers, from.address)) return ignore("A program or a list has sent it.");
  if (!is_authenticated(mail.headers, authserv_, from.address))
    return ignore("The receiving server does not say that the sender is authentic.");
  const auto place = std::to_string(mailbox_ ? mailbox_->validity() : 0) + "/" + std::to_string(uid);
  const auto ids = message_ids(mail.headers.first("message-id"));
  MailThread thread{
      .address = from.address, .subject = {}, .references = message_ids(mail.headers.first("references"))};
  if (thread.references.empty()) thread.references = message_ids(mail.headers.first("in-reply-to"));
  const bool is_reply = !thread.references.empty();
  if (!ids.empty()) thread.references.push_back(ids.front());
  thread.references = shortened(std::move(thread.references));
  auto subject = decode_words(mail.headers.first("subject"));
  std::ranges::replace_if(
      subject, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  thread.subject = web::utf8_prefix(subject, max_subject);
  Received received;
  received.event = from.address + " " + (ids.empty() ? place : ids.front());
  received.sender = from.address;
  received.sender_name = from.name;
  received.sender_handle = from.address;
  received.chat = thread.chat();
  if (!ids.empty()) received.message = ids.front();
  received.text = without_quote(mail.text);
  received.language = mail.headers.first("content-language").substr(0, 5);
  constexpr std::size_t code_length = 24;  // of an invitation
  const auto words = web::trim(received.text, web::white_space);
  const bool is_alone = words.starts_with('/') || words.starts_with("ask:") || words.size() == code_length;
  if (words.empty())
    received.text = thread.subject;
  else if (!is_reply && !is_alone && !thread.subject.empty())
    received.text = "Subject: " + thread.subject + "\n\n" + received.text;
  read_answer(received);
  for (const auto& file : mail.attachments)
    received.files.push_back({.name = file.name,
                              .reference = place + "/" + file.section + "/" + file.encoding,
                              .size = std::int64_t(file.size)});
  if (received.text.empty() && received.files.empty() && received.button.empty()) return std::nullopt;
  return received;
}

web::Task<SendResult> MailBox::send(Sending sending) {
  const auto thread = MailThread::of(sending.chat);
  NewMail mail;
  mail.from = address_;
  mail.from_name = name_;
  mail.to = thread.address;
  mail.references = thread.references;
  const auto subject = thread.subject.empty() ? std::string("Message") : thread.subject;
  const bool is_again = web::starts_ignoring_case(subject, "re:");
  mail.subject = thread.references.empty() || is_again ? subject : "Re: " + subject;
  mail.date = mail::mail_date(std::chrono::floor<std::chrono::seconds>(store::now()));
  // The same when it is sent again, so that mail programs show it once.
  mail.id = (sending.key.empty() ? crypto::random_id(24) : sending.key) + "@" + domain_of_mail(address_);
  mail.text = with_answers(std::move(sending.text), sending.buttons);
  mail.file_name = std::move(sending.file_name);
  mail.content = std::move(sending.content);
  SubmissionAccount account{.server = smtp_, .user = user_, .password = password_};
  auto origin = origin_;
  Envelope envelope{.from = address_, .to = thread.address, .id = mail.id};
  auto message = write_mail(mail);
  co_return co_await submit(std::move(origin), std::move(account), reach_, std::move(envelope), std::move(message));
}

// Over a connection of its own: the other one waits for mails.
web::Task<web::Result<std::string>> MailBox::download(FileReference file) {
  auto reference = part_reference(file.reference);
  if (!reference) co_return web::bad_gateway("The mail has no such file.");
  auto mailbox = co_await open_mailbox();
  if (!mailbox) co_return mailbox.error();
  if ((*mailbox)->validity() != reference->validity)
    co_return web::bad_gateway("The mail is no longer in the mailbox.");
  auto section = reference->section;
  const auto body = co_await (*mailbox)->part(reference->uid, std::move(section));
  if (!body) co_return body.error();
  co_return decode_body(*body, reference->encoding);
}

std::string MailBox::invitation_url(std::string_view secret) const {
  return "mailto:" + address_ + "?subject=Hello&body=" + std::string(secret);
}

}  // namespace channels
