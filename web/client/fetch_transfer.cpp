#include "web/client/fetch_transfer.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <climits>
#include <cstring>
#include <system_error>

#include "web/ascii.h"
#include "web/client/address.h"
#include "web/client/authorities.h"

namespace web {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_head_bytes = 256 * 1024;
constexpr std::array<std::uint16_t, 4> public_ports{80, 443, 8080, 8443};

// libcurl's limit for times; 0 means none there too.
long as_curl_time(milliseconds time) { return long(std::clamp<milliseconds::rep>(time.count(), 0, INT_MAX)); }

std::string duration_text(milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s" : std::to_string(time.count()) + " ms";
}

std::string spoken_bytes(std::size_t bytes) {
  constexpr std::size_t mega = 1u << 20;
  return bytes >= mega && bytes % mega == 0 ? std::to_string(bytes / mega) + " MB" : std::to_string(bytes) + " bytes";
}

// "Connection refused" -> "connection refused"; "SSL ..." stays.
std::string as_clause(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.pop_back();
  if (text.size() > 1 && to_lower(text[1]) == text[1]) text[0] = to_lower(text[0]);
  return text;
}

// True if the address is public and the port is one of the web's.
bool may_be_reached(const sockaddr& address) {
  const auto is_web_port = [](in_port_t port) { return std::ranges::count(public_ports, ntohs(port)) > 0; };
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return is_web_port(v4.sin_port) && is_public_address(boost::asio::ip::address_v4(ntohl(v4.sin_addr.s_addr)));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    boost::asio::ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return is_web_port(v6.sin6_port) && is_public_address(boost::asio::ip::address_v6(bytes));
  }
  return false;
}

// The receive buffer of streams (libcurl adds one byte): their pieces are small, and there are many streams.
constexpr long streamed_bytes = 2 * 1024 - 1;

long number(CURL* easy, CURLINFO what) {
  long value = 0;
  curl_easy_getinfo(easy, what, &value);
  return value;
}

}  // namespace

Transfer::Transfer(EasyHandles::Handle easy_handle, const FetchRequest& request, const FetchUrl& url,
                   milliseconds time_left, Outbound::Passage passage)
    : request_(request),
      url_(url),
      peer_(request.unix_socket.empty() ? url.authority() : request.unix_socket),
      time_left_(time_left),
      connect_time_(time_left.count() > 0 ? std::min(time_left, request.connect_timeout) : request.connect_timeout),
      header_list_(nullptr, curl_slist_free_all),
      easy_(std::move(easy_handle)),
      passage_(std::move(passage)) {
  set_option(easy(), CURLOPT_URL, url_.text.c_str());
  set_option(easy(), CURLOPT_CURLU, url_.parsed.get());  // takes precedence over the text and needs no parsing
  if (request_.sink) set_option(easy(), CURLOPT_BUFFERSIZE, streamed_bytes);
  set_option(easy(), CURLOPT_TIMEOUT_MS, as_curl_time(time_left_));
  set_option(easy(), CURLOPT_CONNECTTIMEOUT_MS, as_curl_time(connect_time_));
  set_option(easy(), CURLOPT_UNIX_SOCKET_PATH, request_.unix_socket.empty() ? nullptr : request_.unix_socket.c_str());
  if (const auto file = only_authorities_of(url_.authority())) {
    set_option(easy(), CURLOPT_CAINFO, file->c_str());
    set_option(easy(), CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  set_option(easy(), CURLOPT_PRIVATE, static_cast<void*>(this));
  set_option(easy(), CURLOPT_PREREQFUNCTION, &Transfer::on_request);
  set_option(easy(), CURLOPT_PREREQDATA, static_cast<void*>(this));
  set_option(easy(), CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open_socket);
  set_option(easy(), CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set_option(easy(), CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set_option(easy(), CURLOPT_HEADERDATA, static_cast<void*>(this));
  set_option(easy(), CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set_option(easy(), CURLOPT_WRITEDATA, static_cast<void*>(this));
  set_method_and_body();
  set_headers();
}

Transfer::~Transfer() {
  count_bytes();
  easy_.get_deleter().needs_reset =
      !finished_ || code_ != CURLE_OK || tries_ != 1 || only_authorities_of(url_.authority());
}

// Heads and bodies; without what TLS and TCP add.
void Transfer::count_bytes() {
  curl_off_t uploaded = 0, downloaded = 0;
  curl_easy_getinfo(easy(), CURLINFO_SIZE_UPLOAD_T, &uploaded);
  curl_easy_getinfo(easy(), CURLINFO_SIZE_DOWNLOAD_T, &downloaded);
  passage_.add_bytes(number(easy(), CURLINFO_REQUEST_SIZE) + uploaded,
                     number(easy(), CURLINFO_HEADER_SIZE) + downloaded);
}

// Each of these options may still have its value of the handle's last exchange.
void Transfer::set_method_and_body() {
  const std::string& method = request_.method;
  const bool writes = method == "POST" || method == "PUT" || method == "PATCH";
  const bool has_body = method != "HEAD" && (writes || !request_.body.empty());
  set_option(easy(), CURLOPT_NOBODY, 0L);
  set_option(easy(), CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request_.body.size()));
  set_option(easy(), CURLOPT_POSTFIELDS, has_body ? request_.body.c_str() : nullptr);
  if (!has_body) set_option(easy(), method == "HEAD" ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1L);
  set_option(easy(), CURLOPT_CUSTOMREQUEST, method == "HEAD" ? nullptr : method.c_str());
}

void Transfer::set_headers() {
  const auto append = [this](const std::string& line) {
    auto* longer = curl_slist_append(header_list_.get(), line.c_str());
    if (!longer) throw std::bad_alloc();
    if (!header_list_) header_list_.reset(longer);
  };
  // "Name;" is libcurl's spelling of a header without a value, "Name:" of a header that it must not add.
  for (const auto& [name, value] : request_.headers) append(value.empty() ? name + ";" : name + ": " + value);
  if (!gives("Expect")) append("Expect:");
  if (!gives("Content-Type")) append("Content-Type:");
  // Not CURLOPT_ACCEPT_ENCODING: libcurl accepts a compressed body that ends early as complete.
  if (!gives("Accept-Encoding")) append("Accept-Encoding: " + std::string(BodyDecoder::codings));
  set_option(easy(), CURLOPT_HTTPHEADER, header_list_.get());
}

bool Transfer::gives(std::string_view header) const {
  return std::ranges::any_of(request_.headers,
                             [header](const auto& given) { return equal_ignoring_case(given.first, header); });
}

// If a reused connection breaks before a response, libcurl resends the request on another one, and no option disables
// that. It calls this before it opens a connection and before it writes a request.
bool Transfer::would_repeat() {
  const bool once = request_.method == "POST" || request_.method == "PATCH";
  if (once && number(easy(), CURLINFO_REQUEST_SIZE) > 0) broken_ = true;
  return broken_;
}

int Transfer::on_request(void* self, char*, char*, int, int) {
  auto& transfer = *static_cast<Transfer*>(self);
  ++transfer.tries_;
  if (transfer.would_repeat()) return CURL_PREREQFUNC_ABORT;
  try {
    if (transfer.request_.on_sending) transfer.request_.on_sending();
    return CURL_PREREQFUNC_OK;
  } catch (...) {
    transfer.thrown_ = std::current_exception();
    return CURL_PREREQFUNC_ABORT;
  }
}

curl_socket_t Transfer::on_open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (transfer.would_repeat()) return CURL_SOCKET_BAD;
  if (transfer.request_.reach == Reach::public_only && !may_be_reached(address->addr)) {
    transfer.refused_ = true;
    return CURL_SOCKET_BAD;
  }
  const auto opened = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (opened != CURL_SOCKET_BAD && transfer.opened_) transfer.opened_->insert(opened);
  return opened;
}

std::size_t Transfer::on_header(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  try {
    return transfer.header_line({data, size}) ? size : ~size;
  } catch (...) {
    transfer.thrown_ = std::current_exception();
    return ~size;
  }
}

std::size_t Transfer::on_body(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  try {
    return transfer.body_bytes({data, size}) ? size : ~size & ~std::size_t{CURL_WRITEFUNC_PAUSE};
  } catch (...) {
    transfer.thrown_ = std::current_exception();
    return ~size & ~std::size_t{CURL_WRITEFUNC_PAUSE};
  }
}

bool Transfer::header_line(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > max_head_bytes)
    return reject(bad_gateway(peer_ + " sent more than " + spoken_bytes(max_head_bytes) + " of headers"));
  if (head_complete_) return true;  // trailers
  if (line.starts_with("HTTP/")) {
    response_.headers.clear();
    const auto status = line.substr(std::min(line.find(' '), line.size() - 1) + 1);
    std::from_chars(status.data(), status.data() + status.size(), response_.status);
    return true;
  }
  if (trim(line, " \t\r\n").empty()) return response_.status < 200 || head_complete();
  const auto colon = line.find(':');
  if (colon == line.npos) return true;
  response_.headers.emplace_back(lower_case(trim(line.substr(0, colon), " \t\r\n")),
                                 trim(line.substr(colon + 1), " \t\r\n"));
  return true;
}

bool Transfer::head_complete() {
  head_complete_ = true;
  if (is_redirect()) return true;
  std::size_t announced = 0;
  const std::string length = response_.header("content-length");
  std::from_chars(length.data(), length.data() + length.size(), announced);
  if (announced > request_.max_bytes && request_.method != "HEAD" && response_.status != 304)
    return reject_as_too_large();
  if (request_.on_head && !request_.on_head(response_.status, response_.headers)) {
    stopped_ = true;
    return false;
  }
  return true;
}

// Not with the head: a response without a body may name codings, too.
bool Transfer::begin_body() {
  auto decoder = BodyDecoder::of(content_encoding(), request_.max_bytes);
  if (!decoder) return reject(bad_gateway(peer_ + " " + decoder.error().message));
  decoder_ = std::move(*decoder);
  return true;
}

bool Transfer::body_bytes(std::string_view bytes) {
  if (!decoder_ && !begin_body()) return false;
  const auto decoding = decoder_->write(bytes, [this](std::string_view decoded) {
    if (is_redirect()) return true;
    if (request_.sink) return request_.sink(decoded);
    response_.body.append(decoded);
    return true;
  });
  if (decoding == Decoding::too_large) return reject_as_too_large();
  if (decoding == Decoding::broken)
    return reject(bad_gateway(peer_ + " sent a compressed body that cannot be decompressed"));
  stopped_ = decoding == Decoding::stopped;
  return !stopped_;
}

// Empty if the body is not to be decoded: the body of a redirect is not read, and a caller that sends Accept-Encoding
// decodes it.
std::string Transfer::content_encoding() const {
  std::string all;
  if (is_redirect() || gives("Accept-Encoding")) return all;
  for (const auto& [name, value] : response_.headers) {
    if (name == "content-encoding") all += value + ",";
  }
  return all;
}

bool Transfer::reject(Error error) {
  rejected_ = std::move(error);
  return false;
}

bool Transfer::reject_as_too_large() {
  const std::string message = "the answer of " + peer_ + " is larger than " + spoken_bytes(request_.max_bytes);
  return reject({.kind = Kind::too_large, .message = message});
}

bool Transfer::is_redirect() const {
  const int status = response_.status;
  const bool redirects = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  return request_.max_redirects > 0 && redirects && !response_.header("location").empty();
}

void Transfer::finish(CURLcode code) {
  code_ = code;
  finished_ = true;
}

std::string Transfer::redirect_url() const {
  const char* url = nullptr;
  curl_easy_getinfo(easy(), CURLINFO_REDIRECT_URL, &url);
  return url ? url : "";
}

Result<FetchResponse> Transfer::take_result() {
  if (thrown_) std::rethrow_exception(thrown_);
  if (code_ != CURLE_OK && !stopped_) return failure();
  if (!stopped_ && decoder_ && !decoder_->is_complete())
    return bad_gateway(peer_ + " sent a compressed body that ends early");
  response_.final_url = url_.text;
  return std::move(response_);
}

Error Transfer::failure() const {
  if (rejected_) return *rejected_;
  if (broken_) return bad_gateway("the connection to " + peer_ + " broke before there was an answer");
  const std::string cause = as_clause(curl_easy_strerror(code_));
  const long os_error = number(easy(), CURLINFO_OS_ERRNO);
  switch (code_) {
    case CURLE_COULDNT_CONNECT:
      if (refused_) return invalid(url_.authority() + " is not a public address with a web port");
      return bad_gateway("could not connect to " + peer_ + ": " +
                         as_clause(os_error ? std::generic_category().message(int(os_error)) : cause));
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t connected = 0;
      curl_easy_getinfo(easy(), CURLINFO_PRETRANSFER_TIME_T, &connected);
      const std::string message = connected == 0
                                      ? "could not connect to " + peer_ + " within " + duration_text(connect_time_)
                                      : peer_ + " gave no complete answer within " + duration_text(request_.timeout);
      return {.kind = Kind::timeout, .message = message};
    }
    case CURLE_COULDNT_RESOLVE_HOST:
      return bad_gateway("could not find the address of " + url_.host);
    case CURLE_GOT_NOTHING:
      return bad_gateway(peer_ + " closed the connection without an answer");
    case CURLE_PARTIAL_FILE:
      return bad_gateway(peer_ + " closed the connection before the answer was complete");
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return bad_gateway("the connection to " + peer_ +
                         " broke: " + as_clause(os_error ? std::generic_category().message(int(os_error)) : cause));
    case CURLE_OUT_OF_MEMORY:
      // libcurl's message for a header line over its limit.
      if (!head_complete_) return bad_gateway(peer_ + " sent a header that is too long");
      return bad_gateway("the exchange with " + peer_ + " failed: " + cause);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_HTTP2:
      return bad_gateway(peer_ + " did not answer in HTTP/1.1");
    case CURLE_PEER_FAILED_VERIFICATION:
      return bad_gateway("the certificate of " + peer_ + " is not valid");
    case CURLE_SSL_CONNECT_ERROR:
      return bad_gateway("no secure connection to " + peer_ + " could be made");
    default:
      return bad_gateway("the exchange with " + peer_ + " failed: " + cause);
  }
}

}  // namespace web
