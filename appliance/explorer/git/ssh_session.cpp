#include "appliance/explorer/git/ssh_session.h"

#include <openssl/evp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "appliance/explorer/git/failure.h"

namespace git {

namespace {

constexpr std::size_t hash_bytes = 32;

// As ssh-keygen -l prints it; empty when there is no such hash.
std::string fingerprint_of(LIBSSH2_SESSION* session) {
  const auto* hash = libssh2_hostkey_hash(session, LIBSSH2_HOSTKEY_HASH_SHA256);
  if (!hash) return {};
  std::array<unsigned char, (hash_bytes + 2) / 3 * 4 + 1> text{};
  const int size = EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(hash), hash_bytes);
  std::string fingerprint(text.begin(), text.begin() + size);
  while (fingerprint.ends_with('=')) fingerprint.pop_back();
  return "SHA256:" + fingerprint;
}

std::string_view algorithm_of(LIBSSH2_SESSION* session) {
  std::size_t size = 0;
  int type = LIBSSH2_HOSTKEY_TYPE_UNKNOWN;
  libssh2_session_hostkey(session, &size, &type);
  switch (type) {
    case LIBSSH2_HOSTKEY_TYPE_RSA:
      return "ssh-rsa";
    case LIBSSH2_HOSTKEY_TYPE_ECDSA_256:
      return "ecdsa-sha2-nistp256";
    case LIBSSH2_HOSTKEY_TYPE_ECDSA_384:
      return "ecdsa-sha2-nistp384";
    case LIBSSH2_HOSTKEY_TYPE_ECDSA_521:
      return "ecdsa-sha2-nistp521";
    case LIBSSH2_HOSTKEY_TYPE_ED25519:
      return "ssh-ed25519";
    default:
      return "of an unknown kind";
  }
}

// What libssh2 calls return when they would have to wait: a code, a length, or a null pointer.
bool would_wait(ssize_t result, LIBSSH2_SESSION*) { return result == LIBSSH2_ERROR_EAGAIN; }
bool would_wait(const LIBSSH2_CHANNEL* result, LIBSSH2_SESSION* session) {
  return !result && libssh2_session_last_errno(session) == LIBSSH2_ERROR_EAGAIN;
}

}  // namespace

void SshSession::Free::operator()(LIBSSH2_SESSION* session) const { libssh2_session_free(session); }
void SshSession::Free::operator()(LIBSSH2_CHANNEL* channel) const { libssh2_channel_free(channel); }

template <class Call>
auto SshSession::patiently(Call call) {
  for (;;) {
    const auto result = call();
    if (!would_wait(result, session_.get())) return result;
    const int directions = libssh2_session_block_directions(session_.get());
    short events = 0;
    if (directions & LIBSSH2_SESSION_BLOCK_INBOUND) events |= POLLIN;
    if (directions & LIBSSH2_SESSION_BLOCK_OUTBOUND) events |= POLLOUT;
    if (connection_.wait_for(events) != 1) throw Failure("The remote did not answer in time");
  }
}

void SshSession::fail(const char* what) const {
  char* reason = nullptr;
  libssh2_session_last_error(session_.get(), &reason, nullptr, 0);
  throw Failure(std::string(what) + ": " + (reason && *reason ? reason : "no reason was given"));
}

SshSession::SshSession(const Route& route, const Patience& patience, const std::vector<std::string>& host_keys)
    : host_(route.host), connection_(route, patience) {
  static std::once_flag started;
  std::call_once(started, [] {
    if (libssh2_init(0) != 0) throw Failure("ssh cannot be started");
  });
  if (const int error = connection_.open(); error != 0) {
    throw Failure("The remote cannot be reached: " + std::string(std::strerror(error)));
  }
  session_.reset(libssh2_session_init());
  if (!session_) throw Failure("There is no memory for ssh");
  libssh2_session_set_blocking(session_.get(), 0);
  if (patiently([&] { return libssh2_session_handshake(session_.get(), connection_.fd()); }) != 0) {
    fail("The remote does not speak ssh as we do");
  }
  check_host(host_keys);
}

// A farewell that nobody waits for. The connection is shut before libssh2 lets go of it, for it would try to close the
// channel in good order and keep everything when that cannot be done at once.
SshSession::~SshSession() {
  libssh2_session_disconnect(session_.get(), "done");
  ::shutdown(connection_.fd(), SHUT_RDWR);
}

void SshSession::check_host(const std::vector<std::string>& known) const {
  const auto fingerprint = fingerprint_of(session_.get());
  if (!fingerprint.empty() && std::ranges::find(known, fingerprint) != known.end()) return;
  const auto shown = fingerprint + " (" + std::string(algorithm_of(session_.get())) + ")";
  const auto advice = "the box's administrator sets it with agentbox admin git-hosts set --host-key " + fingerprint;
  if (known.empty()) {
    throw Failure("The box does not know the host key of " + host_ + ", " + shown +
                  ": when the host's operator confirms it, " + advice);
  }
  throw Failure("The host key of " + host_ + " is " + shown +
                " and none of those the box knows it by: somebody may be in between. When the host's operator confirms "
                "the new one, " +
                advice);
}

void SshSession::authenticate(const std::string& user, const std::string& key) {
  const int code = patiently([&] {
    return libssh2_userauth_publickey_frommemory(session_.get(), user.data(), user.size(), nullptr, 0, key.data(),
                                                 key.size(), nullptr);
  });
  switch (code) {
    case 0:
      return;
    case LIBSSH2_ERROR_AUTHENTICATION_FAILED:
    case LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED:
      throw Failure("The remote refused the credentials that the box has for it");
    default:
      fail("The box's key for the remote cannot be used");
  }
}

void SshSession::run(const std::string& command) {
  channel_.reset(patiently([&] { return libssh2_channel_open_session(session_.get()); }));
  if (!channel_) fail("The remote opens no channel");
  if (patiently([&] { return libssh2_channel_exec(channel_.get(), command.c_str()); }) != 0) {
    fail("The remote does not run git");
  }
}

std::size_t SshSession::read(char* bytes, std::size_t size) {
  const auto got = patiently([&] { return libssh2_channel_read(channel_.get(), bytes, size); });
  if (got < 0) fail("The remote cut the connection");
  if (got > 0) has_answered_ = true;
  if (got > 0 || has_answered_) return static_cast<std::size_t>(got);
  std::array<char, 400> complaint{};
  const auto said =
      patiently([&] { return libssh2_channel_read_stderr(channel_.get(), complaint.data(), complaint.size()); });
  if (said <= 0) throw Failure("The remote ended without an answer");
  throw Failure("The remote said: " + std::string(complaint.data(), static_cast<std::size_t>(said)));
}

void SshSession::write(const char* bytes, std::size_t size) {
  while (size > 0) {
    const auto sent = patiently([&] { return libssh2_channel_write(channel_.get(), bytes, size); });
    if (sent < 0) fail("The remote cut the connection");
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '!') {
      quoted += "'\\";
      quoted += c;
      quoted += '\'';
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace git
