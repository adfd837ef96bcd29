#include "appliance/files/explorer/git/push.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"
#include "appliance/files/explorer/git/history.h"
#include "appliance/files/explorer/git/remote_stream.h"
#include "appliance/files/explorer/git/shallow.h"
#include "appliance/files/explorer/git/ssh_transport.h"
#include "web/utf8.h"

namespace git {

namespace {

struct Progress {
  const PushRequest& request;
  const Deadline& deadline;
  std::optional<SshRequest> ssh;
  bool has_sent_credential = false;
  std::string refusal;    // why the box ended the push
  std::string rejection;  // what the remote rejected, and why

  // Ends the push once the deadline has passed.
  int go_on() const { return deadline.is_over() ? GIT_EUSER : 0; }

  int refuse(int code, std::string reason) {
    refusal = std::move(reason);
    git_error_set_str(GIT_ERROR_CALLBACK, refusal.c_str());
    return code;
  }
};

Progress& progress_of(void* payload) { return *static_cast<Progress*>(payload); }

int send_credential(git_credential** out, const char*, const char*, unsigned allowed, void* payload) {
  auto& progress = progress_of(payload);
  const auto& credential = progress.request.credential;
  if (!credential) {
    return progress.refuse(GIT_EAUTH,
                           "The remote asks for credentials, and the box has none for it: its administrator gives it "
                           "some with agentbox admin git-hosts set");
  }
  if (progress.has_sent_credential || !(allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT)) {
    return progress.refuse(GIT_EAUTH, "The remote refused the credentials that the box has for it");
  }
  progress.has_sent_credential = true;
  return git_credential_userpass_plaintext_new(out, credential->user.c_str(), credential->secret.c_str());
}

// mbedTLS 2.28 supports names in certificates, but not addresses.
bool is_address(const char* host) {
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  return !error;
}

int check_certificate(git_cert*, int is_valid, const char* host, void* payload) {
  if (is_valid) return 0;
  auto reason = "The certificate of " + std::string(host) + " is not valid for it";
  reason += is_address(host)
                ? ": addresses in certificates are not known to the box, so the remote's URL must give the host's name"
                : ", or not by an authority that the box trusts";
  return progress_of(payload).refuse(GIT_ECERTIFICATE, std::move(reason));
}

int note_rejection(const char* reference, const char* reason, void* payload) {
  if (reason) progress_of(payload).rejection = std::string(reference) + ": " + reason;
  return 0;
}

std::optional<SshRequest> ssh_request(const PushRequest& request, const Deadline& deadline) {
  if (!request.ssh_path) return std::nullopt;
  return SshRequest{.route = request.route.value(),
                    .deadline = deadline,
                    .credential = request.credential.value(),
                    .path = *request.ssh_path,
                    .refusal = {}};
}

int make_transport(git_transport** out, git_remote* owner, void* payload) {
  return make_ssh_transport(out, owner, progress_of(payload).ssh.value());
}

git_push_options options_of(Progress& progress) {
  git_push_options options = GIT_PUSH_OPTIONS_INIT;
  options.pb_parallelism = 1;
  options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
  options.proxy_opts.type = GIT_PROXY_NONE;
  options.callbacks.payload = &progress;
  options.callbacks.credentials = send_credential;
  options.callbacks.certificate_check = check_certificate;
  options.callbacks.push_update_reference = note_rejection;
  if (progress.ssh) options.callbacks.transport = make_transport;
  options.callbacks.pack_progress = [](int, std::uint32_t, std::uint32_t, void* payload) {
    return progress_of(payload).go_on();
  };
  options.callbacks.push_transfer_progress = [](unsigned, unsigned, std::size_t, void* payload) {
    return progress_of(payload).go_on();
  };
  return options;
}

// Not the configured remote: its configuration may have changed since the URL was checked.
RemoteHandle remote_of(git_repository* repository, const PushRequest& request) {
  const auto tracking = "+refs/heads/*:refs/remotes/" + request.remote + "/*";
  git_remote_create_options options = GIT_REMOTE_CREATE_OPTIONS_INIT;
  options.repository = repository;
  options.fetchspec = tracking.c_str();
  options.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF;
  return made<RemoteHandle>([&](auto** out) { return git_remote_create_with_opts(out, request.url.c_str(), &options); },
                            "use the remote");
}

// libgit2 quotes mbedTLS verbatim: "...SSL error: 0xffff8d80 - SSL - The connection indicated an EOF".
std::optional<std::string> tls_failure(std::string_view reason, const PushRequest& request) {
  constexpr std::string_view separator = " - ";
  if (reason.find("SSL error: ") == std::string_view::npos || !request.route) return std::nullopt;
  const auto last = reason.rfind(separator);
  const auto words = last == std::string_view::npos ? "unknown reason" : reason.substr(last + separator.size());
  return "No secure connection to " + request.route->host + " could be made: is it https that it speaks at port " +
         std::to_string(request.route->port) + "? (" + std::string(words) + ")";
}

// libgit2 reads five commits older than what the remote has. If it meets one that a shallow clone lacks it fails and
// leaks memory. Without a remote-tracking branch this cannot be predicted.
bool is_too_shallow(git_repository* repository, const PushRequest& request) {
  const Shallow shallow(repository);
  if (shallow.is_whole()) return false;
  const auto tracking = "refs/remotes/" + request.remote + "/" + request.branch;
  git_oid known;
  if (git_reference_name_to_id(&known, repository, tracking.c_str()) != 0) return false;
  History history(repository, head(repository));
  std::optional<git_time_t> known_time;
  for (int left = 6; left > 0;) {
    const auto commit = history.next();
    if (!commit || shallow.ends_at(*git_commit_id(commit.get()))) return true;
    const auto time = git_commit_time(commit.get());
    if (git_oid_equal(git_commit_id(commit.get()), &known) != 0) known_time = time;
    if (known_time && time < *known_time) --left;
  }
  return false;
}

// Text from another machine, made safe for use in a message.
std::string quotable(std::string_view text) {
  constexpr std::size_t most = 500;
  std::string quoted;
  while (!text.empty() && quoted.size() < most) {
    const auto length = std::max<std::size_t>(web::decode_utf8(text).length, 1);
    const bool is_plain = web::decode_utf8(text).length > 0 && static_cast<unsigned char>(text.front()) >= 0x20 &&
                          static_cast<unsigned char>(text.front()) != 0x7f;
    if (is_plain) {
      quoted += text.substr(0, length);
    } else if (!quoted.empty() && quoted.back() != ' ') {
      quoted += ' ';
    }
    text.remove_prefix(length);
  }
  while (quoted.ends_with(' ')) quoted.pop_back();
  return quoted;
}

}  // namespace

std::optional<std::string> push(git_repository* repository, const PushRequest& request, const Deadline& deadline) {
  Progress progress{
      .request = request, .deadline = deadline, .ssh = ssh_request(request, deadline), .refusal = {}, .rejection = {}};
  const auto options = options_of(progress);
  std::optional<OnRoute> on_route;
  if (request.route) on_route.emplace(*request.route, deadline);
  try {
    if (is_too_shallow(repository, request)) {
      return "The clone is too shallow for the box to push from: git fetch --unshallow fixes that";
    }
    const auto remote = remote_of(repository, request);
    auto reference = "refs/heads/" + request.branch;
    reference += ":" + reference;
    auto* text = reference.data();
    const git_strarray references{.strings = &text, .count = 1};
    check(git_remote_push(remote.get(), &references, &options), "push");
  } catch (const Failure& failure) {
    if (deadline.is_over()) return "The remote did not answer in time";
    if (!progress.refusal.empty()) return progress.refusal;
    if (const auto reason = tls_failure(failure.what(), request)) return quotable(*reason);
    const bool is_ssh_failure = progress.ssh && !progress.ssh->refusal.empty();
    return quotable(is_ssh_failure ? progress.ssh->refusal : failure.what());
  }
  if (!progress.rejection.empty()) return "The remote refused " + quotable(progress.rejection);
  return std::nullopt;
}

}  // namespace git
