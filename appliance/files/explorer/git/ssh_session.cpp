#include "appliance/files/explorer/git/ssh_session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "appliance/files/explorer/git/failure.h"
#include "appliance/files/explorer/git/ssh_key.h"

namespace git {

namespace {

using PublicKey = SshKey;  // libssh has one type for both

PublicKey key_of_host(ssh_session session) {
  ssh_key key = nullptr;
  ssh_get_server_publickey(session, &key);
  return PublicKey(key);
}

// As ssh-keygen -l prints it; empty on failure.
std::string fingerprint_of(const PublicKey& key) {
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  if (ssh_get_publickey_hash(key.get(), SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != SSH_OK) return {};
  char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  std::string fingerprint = text ? text : "";
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  return fingerprint;
}

std::uint32_t chunk_size(std::size_t size) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

template <class Call>
int SshSession::retry_until_ready(int again, Call call) {
  for (;;) {
    const int result = call();
    if (result != again) return result;
    const bool has_more_to_send = ssh_get_poll_flags(session_.get()) & SSH_WRITE_PENDING;
    const short events = has_more_to_send ? POLLIN | POLLOUT : POLLIN;
    if (connection_.wait_for(events) != 1) throw Failure("The remote did not answer in time");
  }
}

void SshSession::fail(const char* what) const {
  const std::string_view reason = ssh_get_error(session_.get());
  throw Failure(std::string(what) + ": " + std::string(reason.empty() ? "no reason was given" : reason));
}

SshSession::SshSession(const Route& route, const Deadline& deadline, const Credential& credential)
    : host_(route.host), connection_(route, deadline) {
  start_ssh();
  if (const int error = connection_.open(); error != 0) {
    throw Failure("The remote cannot be reached: " + std::string(std::strerror(error)));
  }
  session_.reset(ssh_new());
  if (!session_) throw Failure("libssh: out of memory");
  configure(credential.user);
  if (retry_until_ready(SSH_AGAIN, [&] { return ssh_connect(session_.get()); }) != SSH_OK) {
    fail("The remote does not speak ssh as we do");
  }
  check_host(credential.host_keys);
  authenticate(credential.secret);
}

// Uses neither ssh configuration nor known_hosts of the machine or of a user.
void SshSession::configure(const std::string& user) {
  const auto set = [&](ssh_options_e option, const void* value) {
    if (ssh_options_set(session_.get(), option, value) != SSH_OK) fail("ssh cannot be set up");
  };
  const bool read_configuration = false;
  set(SSH_OPTIONS_PROCESS_CONFIG, &read_configuration);
  set(SSH_OPTIONS_SSH_DIR, "/dev/null");
  set(SSH_OPTIONS_KNOWNHOSTS, "/dev/null");
  set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
  set(SSH_OPTIONS_HOST, host_.c_str());
  set(SSH_OPTIONS_USER, user.c_str());
  // A duplicate: libssh closes its descriptor as soon as the peer disconnects.
  const int fd = ::dup(connection_.fd());
  if (fd < 0) throw Failure("There are too many open files for ssh");
  set(SSH_OPTIONS_FD, &fd);
  ssh_set_blocking(session_.get(), 0);
}

void SshSession::check_host(const std::vector<std::string>& known) const {
  const auto key = key_of_host(session_.get());
  const auto fingerprint = fingerprint_of(key);
  if (!fingerprint.empty() && std::ranges::find(known, fingerprint) != known.end()) return;
  const auto shown = fingerprint + " (" + ssh_key_type_to_char(ssh_key_type(key.get())) + ")";
  const auto advice = "the box's administrator sets it with agentbox admin git-hosts set --host-key " + fingerprint;
  if (known.empty()) {
    throw Failure("The box does not know the host key of " + host_ + ", " + shown +
                  ": when the host's operator confirms it, " + advice);
  }
  throw Failure(
      "The host key of " + host_ + " is " + shown +
      " and none of those the box knows it by: the connection may be intercepted. When the host's operator confirms "
      "the new one, " +
      advice);
}

void SshSession::authenticate(const std::string& text) {
  const auto key = read_ssh_key(text);
  if (!key) throw Failure("The box's key for the remote cannot be read");
  switch (
      retry_until_ready(SSH_AUTH_AGAIN, [&] { return ssh_userauth_publickey(session_.get(), nullptr, key.get()); })) {
    case SSH_AUTH_SUCCESS:
      return;
    case SSH_AUTH_DENIED:
      throw Failure("The remote refused the credentials that the box has for it");
    case SSH_AUTH_PARTIAL:
      throw Failure("The remote wants more than a key, which is all that the box has for it");
    default:
      fail("The box's key for the remote cannot be used");
  }
}

void SshSession::run(const std::string& command) {
  channel_.reset(ssh_channel_new(session_.get()));
  if (!channel_) throw Failure("libssh: out of memory");
  if (retry_until_ready(SSH_AGAIN, [&] { return ssh_channel_open_session(channel_.get()); }) != SSH_OK) {
    fail("The remote opens no channel");
  }
  if (retry_until_ready(SSH_AGAIN, [&] { return ssh_channel_request_exec(channel_.get(), command.c_str()); }) !=
      SSH_OK) {
    fail("The remote does not run git");
  }
}

std::size_t SshSession::read(char* bytes, std::size_t size) {
  constexpr int of_output = 0, of_complaints = 1, nothing_yet = 0;
  const int got = retry_until_ready(
      nothing_yet, [&] { return ssh_channel_read_nonblocking(channel_.get(), bytes, chunk_size(size), of_output); });
  if (got > 0) {
    has_answered_ = true;
    return static_cast<std::size_t>(got);
  }
  if (got != SSH_EOF) fail("The remote cut the connection");
  if (has_answered_) return 0;
  std::array<char, 400> complaint{};
  const int said = ssh_channel_read_nonblocking(channel_.get(), complaint.data(), complaint.size(), of_complaints);
  if (said <= 0) throw Failure("The remote ended without an answer");
  throw Failure("The remote said: " + std::string(complaint.data(), static_cast<std::size_t>(said)));
}

void SshSession::write(const char* bytes, std::size_t size) {
  constexpr int nothing_yet = 0;
  while (size > 0) {
    const int sent =
        retry_until_ready(nothing_yet, [&] { return ssh_channel_write(channel_.get(), bytes, chunk_size(size)); });
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
