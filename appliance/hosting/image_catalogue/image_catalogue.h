// The catalogue of images: what the box ships and what the administrator adds, and agents that are made of them.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/agents/agent_provisioning.h"
#include "appliance/hosting/image_catalogue/records.h"
#include "web/result.h"

namespace image_catalogue {

// The content of shipped.json.
std::string_view shipped_json();

// The labels by which the engine runs the image; none for images that are not in the catalogue.
boost::json::object labels_of(const store::System&, std::string_view image);

struct NewImageAgent {
  std::string name;
  std::string tier;  // empty: the largest that the subscription includes
  boost::json::object config;
};

// Callable from every thread. The arguments must outlive it.
class ImageCatalogue {
 public:
  struct EngineFacts {
    bool has_images;   // else agents are processes of the box's own program
    std::string host;  // DOCKER_HOST
  };
  ImageCatalogue(store::System system, agents::AgentProvisioning& provisioning,
                 const billing::Subscriptions& subscriptions, EngineFacts engine)
      : system_(std::move(system)),
        provisioning_(provisioning),
        subscriptions_(subscriptions),
        engine_(std::move(engine)) {}

  bool has_images() const { return engine_.has_images; }
  // By title; those that are switched off for administrators only.
  std::vector<CatalogueImage> list(bool with_disabled) const;
  std::optional<CatalogueImage> find(std::string_view name) const;
  // Why no agent can be made of it now, such as that the image is not on this box; empty: one can.
  web::Task<std::string> problem_of(CatalogueImage) const;

  // invalid, naming the field; conflict: another entry has the image; too_many: there are 100.
  web::Task<web::Result<CatalogueImage>> set(CatalogueImage);
  // not_found; a shipped one is as it was shipped then.
  web::Task<web::Result<void>> remove(std::string name);

  // not_found; conflict with IMAGE_MISSING: the image is not on this box, or agents are no containers here; conflict
  // with PLAN_TOO_SMALL: the tier's agents have less memory than the image needs. See AgentProvisioning::provision.
  web::Task<web::Result<agents::Agent>> make_agent(web::Caller, std::string name, NewImageAgent) const;

 private:
  store::System system_;
  agents::AgentProvisioning& provisioning_;
  const billing::Subscriptions& subscriptions_;
  const EngineFacts engine_;
};

}  // namespace image_catalogue
