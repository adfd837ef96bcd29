#include "appliance/identity/audit/syslog.h"

#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <boost/url/parse.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

#include "appliance/foundation/crypto/c_library.h"
#include "appliance/foundation/descriptor.h"
#include "web/client/authorities.h"
#include "web/client/fetch.h"
#include "web/client/outbound.h"
#include "web/routes/reply.h"
#include "web/uri.h"

namespace audit {

namespace {

constexpr int notice = 5, warning = 4, log_audit = 13;
constexpr time_t io_seconds = 10, close_seconds = 5;
constexpr std::size_t max_datagram = 2'048;  // that every collector takes (RFC 5426)
constexpr std::uint16_t tls_port = 6514, tcp_port = 601, udp_port = 514;

// An entry as collectors see it: with its hash, so that it can be compared with the log.
struct StreamedEntry {
  std::int64_t id = 0;
  store::Time at;
  std::string act, outcome;
  std::optional<std::string> userId;
  std::string subject, address;
  std::optional<std::string> by, as;
  std::string hash;
};
BOOST_DESCRIBE_STRUCT(StreamedEntry, (), (id, at, act, outcome, userId, subject, address, by, as, hash))

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string json_of(const Entry& entry) {
  const StreamedEntry streamed{
      .id = entry.id,
      .at = entry.at,
      .act = entry.act,
      .outcome = entry.outcome,
      .userId = entry.user_id != 0 ? std::optional(std::to_string(entry.user_id)) : std::nullopt,
      .subject = entry.subject,
      .address = entry.address,
      .by = unless_empty(entry.by),
      .as = unless_empty(entry.acting_as),
      .hash = entry.hash};
  std::string text;
  web::write_json(text, streamed);
  return text;
}

// ' name="value"' of structured data (RFC 5424, section 6.3.3); nothing for an empty value.
std::string parameter(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  std::string text = " " + std::string(name) + "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == ']') text += '\\';
    text += static_cast<unsigned char>(c) < ' ' || c == 0x7F ? ' ' : c;
  }
  return text + '"';
}

// A host name of RFC 5424: visible ASCII, at most 255 characters.
std::string host_field(const std::string& host) {
  std::string field;
  for (const char c : host.substr(0, 255))
    if (c > ' ' && c < 0x7F) field += c;
  return field.empty() ? "-" : field;
}

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

struct Address {
  std::string scheme, host;  // IPv6 without brackets
  std::uint16_t port = 0;
};

Address address_of(const Collector& collector) {
  const auto url = web::parse_uri(collector.url).value();
  Address address{.scheme = std::string(url.scheme()), .host = std::string(url.host_address()), .port = 0};
  const auto usual = address.scheme == "syslog+tls" ? tls_port : address.scheme == "syslog+tcp" ? tcp_port : udp_port;
  address.port = url.has_port() ? url.port_number() : usual;
  return address;
}

web::Error failed(const std::string& what) { return web::bad_gateway("The collector " + what); }

std::string reason_of_system() { return std::strerror(errno); }

std::string reason_of_openssl(const SSL* ssl) {
  if (ssl && SSL_get_verify_result(ssl) != X509_V_OK)
    return std::string("its certificate is not valid: ") + X509_verify_cert_error_string(SSL_get_verify_result(ssl));
  const auto code = ERR_peek_last_error();
  ERR_clear_error();
  const char* text = code != 0 ? ERR_reason_error_string(code) : nullptr;
  return text ? text : "the connection ended";
}

void set_timeout(int socket, int option, time_t seconds) {
  const timeval time{.tv_sec = seconds, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, option, &time, sizeof time);
}

web::Result<files::Descriptor> connected(const Address& to, int type) {
  addrinfo hints{};
  hints.ai_socktype = type;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &list);
  if (error != 0) return failed("is not found: " + std::string(::gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(list, ::freeaddrinfo);
  std::string reason = "it has no address";
  for (const addrinfo* one = found.get(); one; one = one->ai_next) {
    files::Descriptor socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
    set_timeout(socket.get(), SO_SNDTIMEO, io_seconds);  // also of connect()
    set_timeout(socket.get(), SO_RCVTIMEO, io_seconds);
    if (socket && ::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0) return socket;
    reason = errno == EINPROGRESS ? "no answer" : reason_of_system();
  }
  return failed("cannot be reached: " + reason);
}

web::Result<void> send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return failed("took no more: " + reason_of_system());
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

// Octet counting: the length of each message before it.
std::string framed(const std::vector<Entry>& batch) {
  const std::string host = this_host();
  std::string frames;
  for (const Entry& entry : batch) {
    const auto message = syslog_message(entry, host);
    frames += std::to_string(message.size()) + " " + message;
  }
  return frames;
}

// A reset means that the collector has not read everything. One that does not close in time is believed.
web::Result<void> wait_for_end(int socket) {
  ::shutdown(socket, SHUT_WR);
  set_timeout(socket, SO_RCVTIMEO, close_seconds);
  std::array<char, 512> ignored;
  for (;;) {
    const auto got = ::recv(socket, ignored.data(), ignored.size(), 0);
    if (got == 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))) return {};
    if (got < 0 && errno != EINTR) return failed("closed the connection early: " + reason_of_system());
  }
}

web::Result<void> send_by_tcp(const Address& to, const std::vector<Entry>& batch) {
  const auto socket = connected(to, SOCK_STREAM);
  if (!socket) return socket.error();
  auto sent = send_all(socket->get(), framed(batch));
  return sent ? wait_for_end(socket->get()) : sent;
}

web::Result<void> send_by_udp(const Address& to, const std::vector<Entry>& batch) {
  const auto socket = connected(to, SOCK_DGRAM);
  if (!socket) return socket.error();
  const std::string host = this_host();
  for (const Entry& entry : batch) {
    const auto message = syslog_message(entry, host).substr(0, max_datagram);
    if (auto sent = send_all(socket->get(), message); !sent) return sent;
  }
  return {};
}

using Context = std::unique_ptr<SSL_CTX, crypto::Release<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, crypto::Release<SSL_free>>;

web::Result<Context> context_for(const Collector& collector) {
  Context context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (!collector.authority.empty()) {
    if (SSL_CTX_load_verify_file(context.get(), collector.authority.c_str()) != 1)
      return failed("cannot be checked: AUDIT_STREAM_CA: " + collector.authority + " is no readable PEM file");
    return context;
  }
  SSL_CTX_set_default_verify_paths(context.get());
  if (const char* file = web::extra_authorities()) SSL_CTX_load_verify_file(context.get(), file);
  return context;
}

// The certificate must be for the name or address of the URL.
void expect(SSL* ssl, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1) return;
  SSL_set1_host(ssl, host.c_str());
  SSL_set_tlsext_host_name(ssl, host.c_str());
}

web::Result<void> send_by_tls(const Collector& collector, const Address& to, const std::vector<Entry>& batch) {
  const auto context = context_for(collector);
  if (!context) return context.error();
  const auto socket = connected(to, SOCK_STREAM);
  if (!socket) return socket.error();
  const Connection ssl(SSL_new(context->get()));
  expect(ssl.get(), to.host);
  SSL_set_fd(ssl.get(), socket->get());
  if (SSL_connect(ssl.get()) != 1)
    return failed("refused TLS, or is not the right one: " + reason_of_openssl(ssl.get()));
  const auto bytes = framed(batch);
  if (SSL_write(ssl.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0)
    return failed("took no more: " + reason_of_openssl(nullptr));
  set_timeout(socket->get(), SO_RCVTIMEO, close_seconds);
  SSL_shutdown(ssl.get());
  std::array<char, 512> ignored;
  for (;;) {  // until the collector closes its side, too
    const int got = SSL_read(ssl.get(), ignored.data(), static_cast<int>(ignored.size()));
    if (got > 0) continue;
    const int error = SSL_get_error(ssl.get(), got);
    if (error == SSL_ERROR_SYSCALL && errno == ECONNRESET) return failed("closed the connection early");
    ERR_clear_error();
    return {};
  }
}

web::Result<void> post(const Collector& collector, const std::vector<Entry>& batch) {
  web::FetchRequest request{.url = collector.url, .method = "POST"};
  request.headers = {{"Content-Type", "application/x-ndjson"}};
  if (!collector.token.empty()) request.headers.emplace_back("Authorization", "Bearer " + collector.token);
  for (const Entry& entry : batch) request.body += json_line(entry);
  request.origin.part = "audit";
  request.timeout = std::chrono::seconds(30);
  const auto answer = web::fetch_blocking(std::move(request));
  if (!answer) return answer.error();
  if (answer->status < 200 || answer->status > 299) return failed("answered " + std::to_string(answer->status));
  return {};
}

}  // namespace

std::string json_line(const Entry& entry) { return json_of(entry) + "\n"; }

std::string syslog_message(const Entry& entry, const std::string& host) {
  const int severity = entry.outcome.starts_with("ok") ? notice : warning;
  std::string text = "<" + std::to_string(log_audit * 8 + severity) + ">1 " + web::iso8601(entry.at) + " " +
                     host_field(host) + " agentbox " + std::to_string(::getpid()) + " " + std::to_string(entry.id) +
                     " [audit@32473" + parameter("id", std::to_string(entry.id)) + parameter("act", entry.act) +
                     parameter("outcome", entry.outcome);
  if (entry.user_id != 0) text += parameter("user", std::to_string(entry.user_id));
  text += parameter("subject", entry.subject) + parameter("address", entry.address) + parameter("by", entry.by) +
          parameter("as", entry.acting_as) + "] ";
  return text + json_of(entry);
}

web::Result<void> send(const Collector& collector, const std::vector<Entry>& batch) {
  if (collector.url.starts_with("http")) return post(collector, batch);
  const auto to = address_of(collector);
  auto passage = web::outbound().admit({.part = "audit"}, to.host, to.port);
  if (!passage) return passage.error();
  if (to.scheme == "syslog+tls") return send_by_tls(collector, to, batch);
  return to.scheme == "syslog+udp" ? send_by_udp(to, batch) : send_by_tcp(to, batch);
}

}  // namespace audit
