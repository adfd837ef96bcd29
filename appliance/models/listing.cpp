// ModelGateway::models.
#include "appliance/models/listing.h"

#include <algorithm>

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/model_gateway.h"

namespace models {

namespace {

ListedModel listed(const Model& model, std::shared_ptr<const Catalogue> catalogue, bool available) {
  return {.id = model.id,
          .name = model.name,
          .provider = model.provider,
          .description = model.description,
          .tags = model.tags,
          .catalogue = std::move(catalogue),
          .entry = &model,
          .available = available};
}

ListedModel local_model(const std::string& id) {
  return {.id = id,
          .name = id,
          .provider = "local",
          .description = "Served on the local network.",
          .tags = {"local"},
          .catalogue = nullptr,
          .available = true};
}

ListedModel listed_builtin() {
  return {.id = std::string(builtin_model),
          .name = "Builtin",
          .provider = "builtin",
          .description =
              "An extractive text model inside agentbox: it picks sentences from what it is "
              "given and makes nothing up.",
          .tags = {"offline"},
          .catalogue = nullptr,
          .available = true};
}

}  // namespace

web::Task<std::vector<ListedModel>> ModelGateway::models() {
  const auto catalogue = catalogues_.current();
  std::vector<ListedModel> models;
  for (const auto& model : catalogue->models())
    models.push_back(listed(model, catalogue, router_.server_of(model, 0).has_value()));
  if (providers_.local()) {
    const auto local_models = co_await router_.listed_locally();
    for (const auto& model : local_models.value_or(std::vector<ModelInfo>())) {
      if (catalogue->find(model.id)) {
        std::ranges::find(models, model.id, &ListedModel::id)->available = true;
      } else {
        models.push_back(local_model(model.id));
      }
    }
  }
  if (providers_.find("builtin")) models.push_back(listed_builtin());
  co_return models;
}

}  // namespace models
