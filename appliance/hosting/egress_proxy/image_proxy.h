// The way out of programs of foreign images, which run in containers of their own: one listener for all of them, on the
// gateway of the containers' network. Its authority and its port are kept in the store, so that a container that runs
// on while the box is restarted finds and trusts it afterwards.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "appliance/hosting/egress_proxy/proxy.h"
#include "appliance/runtime/docker/docker_engine.h"
#include "store/store.h"

namespace egress_proxy {

struct KeptProxy {
  std::string id;  // image_proxy_id: there is one
  std::string certificate;
  store::Sealed key;  // of the certificate; both in PEM
  std::int64_t port = 0;
};
BOOST_DESCRIBE_STRUCT(KeptProxy, (), (id, certificate, key, port))

inline const store::Global<KeptProxy> kept_proxies{{.family = "image_proxy", .number = 206}, &KeptProxy::id, {}};
inline constexpr auto image_proxy_id = "images";

// By which a program of the agent signs in to the proxy. It ends with the agent's token for the box.
std::string proxy_password(const agents::Agent&);

// Used on one thread.
class ImageProxyListener {
 public:
  // All of them must outlive it. `used`: see Proxy::when_used.
  ImageProxyListener(store::System, const agents::AgentDirectory&, credentials::Credentials&, web::IoPool&,
                     bool may_be_private, std::function<void(const std::string& agent)> used);
  ~ImageProxyListener();  // after stop(), or with the pool stopped

  // See runtime::DockerOptions::open_proxy.
  web::Task<web::Result<std::optional<runtime::ImageProxy>>> open(std::string gateway, bool is_needed);
  // Ends all connections and waits for them.
  web::Task<> stop();

 private:
  web::Task<web::Result<void>> open_once(const std::string& gateway, KeptProxy wanted);

  const store::System system_;
  const agents::AgentDirectory& agents_;
  credentials::Credentials& credentials_;
  web::IoPool& pool_;
  const bool may_be_private_;
  const std::function<void(const std::string&)> used_;
  bool is_opening_ = false;
  std::optional<Proxy> proxy_;
  std::shared_ptr<void> serving_;
  std::string gateway_;
  std::optional<runtime::ImageProxy> opened_;
};

}  // namespace egress_proxy
