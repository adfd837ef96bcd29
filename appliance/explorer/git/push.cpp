#include "appliance/explorer/git/push.h"

#include "appliance/explorer/git/handles.h"

namespace git {

namespace {

struct Progress {
  const PushOrder& order;
  const Patience& patience;
  bool has_offered = false;
  std::string rejection;

  // Ends the push once patience is over.
  int go_on() const { return patience.is_over() ? GIT_EUSER : 0; }
};

Progress& progress_of(void* payload) { return *static_cast<Progress*>(payload); }

int offer_credential(git_credential** out, const char*, const char*, unsigned allowed, void* payload) {
  auto& progress = progress_of(payload);
  const auto& credential = progress.order.credential;
  if (!credential || progress.has_offered || !(allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT)) {
    git_error_set_str(GIT_ERROR_HTTP, progress.has_offered ? "the remote refused the credentials"
                                                           : "the remote asks for credentials, and none are set");
    return GIT_EAUTH;
  }
  progress.has_offered = true;
  return git_credential_userpass_plaintext_new(out, credential->user.c_str(), credential->password.c_str());
}

int note_rejection(const char* reference, const char* reason, void* payload) {
  if (reason) progress_of(payload).rejection = std::string(reference) + ": " + reason;
  return 0;
}

git_push_options options_of(Progress& progress) {
  git_push_options options = GIT_PUSH_OPTIONS_INIT;
  options.pb_parallelism = 1;
  options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
  options.proxy_opts.type = GIT_PROXY_NONE;
  options.callbacks.payload = &progress;
  options.callbacks.credentials = offer_credential;
  options.callbacks.push_update_reference = note_rejection;
  options.callbacks.pack_progress = [](int, std::uint32_t, std::uint32_t, void* payload) {
    return progress_of(payload).go_on();
  };
  options.callbacks.push_transfer_progress = [](unsigned, unsigned, std::size_t, void* payload) {
    return progress_of(payload).go_on();
  };
  return options;
}

// Not the configured remote itself: its configuration may have changed since the URL was judged.
RemoteHandle remote_of(git_repository* repository, const PushOrder& order) {
  const auto tracking = "+refs/heads/*:refs/remotes/" + order.remote + "/*";
  git_remote_create_options options = GIT_REMOTE_CREATE_OPTIONS_INIT;
  options.repository = repository;
  options.fetchspec = tracking.c_str();
  options.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF;
  return made<RemoteHandle>([&](auto** out) { return git_remote_create_with_opts(out, order.url.c_str(), &options); },
                            "use the remote");
}

}  // namespace

std::optional<std::string> push(git_repository* repository, const PushOrder& order, const Patience& patience) {
  Progress progress{.order = order, .patience = patience, .rejection = {}};
  const auto options = options_of(progress);
  std::optional<OnRoute> on_route;
  if (order.route) on_route.emplace(*order.route, patience);
  try {
    const auto remote = remote_of(repository, order);
    auto reference = "refs/heads/" + order.branch;
    reference += ":" + reference;
    auto* text = reference.data();
    const git_strarray references{.strings = &text, .count = 1};
    check(git_remote_push(remote.get(), &references, &options), "push");
  } catch (const Failure& failure) {
    return patience.is_over() ? "The remote did not answer in time" : failure.what();
  }
  if (!progress.rejection.empty()) return "The remote refused " + progress.rejection;
  return std::nullopt;
}

}  // namespace git
