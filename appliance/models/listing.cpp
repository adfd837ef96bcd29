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

ListedModel local_model(const ModelInfo& model) {
  return {.id = model.id,
          .name = model.id,
          .provider = "local",
          .description = "Served on the local network.",
          .tags = {"local"},
          .catalogue = nullptr,
          .context = model.context,
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
  const auto here = (co_await router_.listed_locally()).value_or(std::vector<ModelInfo>());
  for (const auto& model : here)
    if (!catalogue->find(model.id)) models.push_back(local_model(model));
  for (const auto& model : catalogue->models()) {
    const bool is_local = std::ranges::find(here, model.id, &ModelInfo::id) != here.end();
    models.push_back(listed(model, catalogue, is_local || router_.server_of(model, 0)));
  }
  for (const auto& server : providers_.servers()) {
    const auto listed_there = co_await server->models();
    if (!listed_there) continue;
    const std::string name(server->name());
    for (const auto& model : *listed_there)
      models.push_back({.id = name + "/" + model.id,
                        .name = model.id,
                        .provider = name,
                        .description = "Served by " + name + ".",
                        .tags = {},
                        .catalogue = nullptr,
                        .context = model.context,
                        .available = true});
  }
  if (providers_.find("builtin")) models.push_back(listed_builtin());
  co_return models;
}

web::Task<std::int64_t> ModelGateway::context_of(const ListedModel& model) {
  if (model.entry) co_return model.entry->context;
  if (model.context > 0 || model.provider == "builtin") co_return model.context;
  auto base_url = providers_.base_url(model.provider);
  if (base_url.empty()) co_return 0;
  auto name = model.name;
  const auto told = co_await contexts_.find(std::move(base_url), std::move(name));
  co_return told.value_or(0);
}

}  // namespace models
