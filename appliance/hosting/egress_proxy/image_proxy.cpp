#include "appliance/hosting/egress_proxy/image_proxy.h"

#include <fcntl.h>

#include <charconv>
#include <stdexcept>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "web/log.h"
#include "web/server/listening_socket.h"

namespace egress_proxy {

namespace {

constexpr std::chrono::days kept_authority_lifetime{3'650}, renewed_before{365};
constexpr std::chrono::milliseconds opening_pause{10};

KeptProxy make_kept_proxy() {
  auto made = crypto::make_authority("agentbox images", kept_authority_lifetime);
  return {.id = image_proxy_id, .certificate = std::move(made.certificate), .key = {std::move(made.key)}, .port = 0};
}

bool is_to_be_renewed(const KeptProxy& kept) {
  return crypto::read_certificate(kept.certificate).expires_at < store::now() + renewed_before;
}

// On the port that containers know, if it is free.
std::unique_ptr<web::ListeningSocket> listen_on(const std::string& gateway, std::int64_t port) {
  try {
    return std::make_unique<web::ListeningSocket>(gateway + ":" + std::to_string(port));
  } catch (const std::runtime_error& taken) {
    if (port == 0) throw;
    web::log::info("image_proxy_port_taken", {{"reason", std::string(taken.what())}});
    return std::make_unique<web::ListeningSocket>(gateway + ":0");
  }
}

std::int64_t port_in(std::string_view url) {
  const auto digits = url.substr(url.rfind(':') + 1);
  std::int64_t port = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

}  // namespace

std::string proxy_password(const agents::Agent& agent) {
  return crypto::hex(crypto::hmac_sha256(agent.box_token.clear, "the proxy for images"));
}

ImageProxyListener::ImageProxyListener(store::System system, const agents::AgentDirectory& agents,
                                       credentials::Credentials& credentials, web::IoPool& pool, bool may_be_private,
                                       std::function<void(const std::string& agent)> used)
    : system_(std::move(system)),
      agents_(agents),
      credentials_(credentials),
      pool_(pool),
      may_be_private_(may_be_private),
      used_(std::move(used)) {}

ImageProxyListener::~ImageProxyListener() = default;

web::Task<web::Result<std::optional<runtime::ImageProxy>>> ImageProxyListener::open(std::string gateway,
                                                                                    bool is_needed) {
  while (is_opening_) co_await web::sleep_for(opening_pause);
  if (opened_ && gateway == gateway_) co_return opened_;
  const auto kept = system_.get(kept_proxies, std::string(image_proxy_id));
  if (!kept && !is_needed) co_return std::optional<runtime::ImageProxy>();
  auto wanted = kept && !is_to_be_renewed(kept->value) ? kept->value : make_kept_proxy();
  is_opening_ = true;
  // Also if it throws: those that wait for this attempt make one of their own.
  const std::unique_ptr<bool, void (*)(bool*)> opening(&is_opening_, [](bool* flag) { *flag = false; });
  const auto opened = co_await open_once(gateway, std::move(wanted));
  if (!opened) co_return web::internal("The proxy for images cannot be opened: " + opened.error().message);
  gateway_ = std::move(gateway);
  co_return opened_;
}

web::Task<web::Result<void>> ImageProxyListener::open_once(const std::string& gateway, KeptProxy wanted) {
  std::unique_ptr<web::ListeningSocket> socket;
  std::string failure;
  try {
    socket = listen_on(gateway, wanted.port);
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  if (!socket) co_return web::internal(failure);
  wanted.port = port_in(socket->url());
  const auto kept = system_.get(kept_proxies, wanted.id);
  if (!kept || kept->value.port != wanted.port || kept->value.certificate != wanted.certificate) {
    auto change = system_.change();
    if (kept) {
      auto row = *kept;
      row.value = wanted;
      change.update(kept_proxies, row);
    } else {
      change.insert(kept_proxies, wanted);
    }
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) co_return web::unavailable("its authority could not be stored");
  }
  if (proxy_) co_await proxy_->stop();
  proxy_.emplace(system_, agents_, &credentials_, pool_,
                 Proxy::Options{.part = "images",
                                .may_be_private = may_be_private_,
                                .authority = crypto::CertifiedKey{wanted.certificate, wanted.key.clear},
                                .password_of = proxy_password});
  proxy_->when_used(used_);
  serving_ = proxy_->serve_all(files::Descriptor(::fcntl(socket->descriptor(), F_DUPFD_CLOEXEC, 0)));
  opened_ = {.address = gateway + ":" + std::to_string(wanted.port), .authority = wanted.certificate};
  co_return web::Result<void>();
}

web::Task<> ImageProxyListener::stop() {
  serving_.reset();
  if (proxy_) co_await proxy_->stop();
}

}  // namespace egress_proxy
