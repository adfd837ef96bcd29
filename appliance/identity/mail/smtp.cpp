#include "appliance/identity/mail/smtp.h"

#include <curl/curl.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <cstring>
#include <memory>

#include "appliance/foundation/crypto/random.h"
#include "store/clock.h"
#include "web/client/authorities.h"
#include "web/client/outbound.h"
#include "web/uri.h"

namespace mail {

namespace {

constexpr long total_seconds = 30, connect_seconds = 10;

struct Unread {
  std::string_view text;
};

std::size_t read_some(char* buffer, std::size_t size, std::size_t count, void* source) {
  auto& unread = *static_cast<Unread*>(source);
  const std::size_t taken = std::min(size * count, unread.text.size());
  std::memcpy(buffer, unread.text.data(), taken);
  unread.text.remove_prefix(taken);
  return taken;
}

// A header field must be one line: a line end in it would let an attacker add fields.
std::string one_line(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
  return text;
}

struct Server {
  std::string host;  // IPv6 in brackets
  std::uint16_t port = 0;
};

// Nothing for a URL that is not one.
std::optional<Server> server_of(const std::string& url) {
  const auto parsed = web::parse_uri(url);
  if (!parsed || parsed->host().empty()) return std::nullopt;
  const std::uint16_t usual = parsed->scheme() == "smtps" ? 465 : 25;
  return Server{.host = parsed->host(), .port = parsed->has_port() ? parsed->port_number() : usual};
}

bool is_this_machine(std::string_view host) { return host == "127.0.0.1" || host == "localhost"; }

void count_bytes(CURL* easy, web::Outbound::Passage& passage) {
  curl_off_t uploaded = 0;
  long commands = 0, answers = 0;
  curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &uploaded);
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &commands);
  curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &answers);
  passage.add_bytes(commands + uploaded, answers);
}

std::string domain_of(std::string_view address) { return std::string(address.substr(address.find('@') + 1)); }

}  // namespace

std::string mail_date(std::chrono::sys_seconds time) {
  // Not by strftime: the names of a mail's date are English in every locale.
  constexpr std::string_view days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  const auto two = [](auto number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return std::string(days[std::chrono::weekday(day).c_encoding()]) + ", " + two(unsigned(date.day())) + " " +
         std::string(months[unsigned(date.month()) - 1]) + " " + std::to_string(int(date.year())) + " " +
         two(clock.hours().count()) + ":" + two(clock.minutes().count()) + ":" + two(clock.seconds().count()) +
         " +0000";
}

std::string message_text(const Letter& letter, const std::string& from, const std::string& date,
                         const std::string& message_id) {
  std::string text = "Date: " + date + "\r\nFrom: " + one_line(from) + "\r\nTo: " + one_line(letter.to) +
                     "\r\nSubject: " + one_line(letter.subject) + "\r\nMessage-ID: <" + message_id +
                     ">\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                     "Content-Transfer-Encoding: 8bit\r\nAuto-Submitted: auto-generated\r\n\r\n";
  for (const char c : letter.body) {
    if (c == '\r') continue;
    if (c == '\n') text += '\r';
    text += c;
  }
  return text;
}

std::optional<std::string> send(const Smtp& smtp, const Letter& letter) {
  const auto server = server_of(smtp.url);
  if (!server) return "the mail server's URL is not valid";
  const web::CallOrigin origin{.part = "mail"};
  auto passage = web::outbound().admit(origin, server->host, server->port);
  if (!passage) return passage.error().message;
  const auto now = std::chrono::floor<std::chrono::seconds>(store::now());
  const std::string text =
      message_text(letter, smtp.from, mail_date(now), crypto::random_id(24) + "@" + domain_of(smtp.from));
  Unread unread{text};
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(), curl_easy_cleanup);
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> recipients(
      curl_slist_append(nullptr, ("<" + letter.to + ">").c_str()), curl_slist_free_all);
  char problem[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, problem);
  curl_easy_setopt(easy.get(), CURLOPT_URL, smtp.url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_USE_SSL,
                   static_cast<long>(is_this_machine(server->host) ? CURLUSESSL_TRY : CURLUSESSL_ALL));
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT, total_seconds);
  curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT, connect_seconds);
  if (const char* file = web::extra_authorities()) curl_easy_setopt(easy.get(), CURLOPT_CAINFO, file);
  curl_easy_setopt(easy.get(), CURLOPT_MAIL_FROM, ("<" + smtp.from + ">").c_str());
  curl_easy_setopt(easy.get(), CURLOPT_MAIL_RCPT, recipients.get());
  curl_easy_setopt(easy.get(), CURLOPT_READFUNCTION, read_some);
  curl_easy_setopt(easy.get(), CURLOPT_READDATA, &unread);
  curl_easy_setopt(easy.get(), CURLOPT_UPLOAD, 1L);
  const CURLcode code = curl_easy_perform(easy.get());
  count_bytes(easy.get(), *passage);
  if (code == CURLE_OK) return std::nullopt;
  return std::string(problem[0] != '\0' ? problem : curl_easy_strerror(code));
}

}  // namespace mail
