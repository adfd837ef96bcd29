// Live streams and generated videos: the services that its capabilities share, built in order, and the capabilities
// themselves.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "appliance/hosting/module.h"
#include "appliance/media/capabilities.h"
#include "appliance/media/local/local.h"
#include "appliance/media/stream_webhooks/assets.h"
#include "appliance/media/streams/streams.h"

namespace media {

class Module {
 public:
  // All of them must outlive this.
  explicit Module(hosting::Module&);

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start();
  web::Task<> stop() { return capabilities_.stop(); }

  // For hosting: see deployments::StreamSource.
  web::Task<std::optional<deployments::AgentStream>> stream_of(agents::Agent);
  // What this module keeps in files.
  std::filesystem::path folder() const { return platform.folder.path() / "media"; }

  const agentbox::Platform& platform;
  identity::Module& identity;
  billing::Module& billing;
  models::Module& models;
  hosting::Module& hosting;

  // At most one provider is configured: the box's own server, or a hosted one.
  const std::string rtmp_listen;  // of the box's own server, with the port that was picked; empty: there is none
  const std::unique_ptr<local::Local> local;

 private:
  const std::unique_ptr<streams::Provider> hosted_;

 public:
  streams::Streams streams;
  stream_webhooks::Assets assets;

 private:
  std::unique_ptr<local::Local> make_local() const;
  std::string rtmp_url() const;

  agentbox::RunningCapabilities capabilities_;
};

}  // namespace media
