#include "appliance/models/fit.h"

#include <algorithm>
#include <cstdlib>

#include "appliance/models/token_counts.h"

namespace models {

namespace {

std::optional<web::Error> find_misfit(const Model& model, const ChatRequest& request) {
  if (request.max_tokens && *request.max_tokens > model.max_output)
    return web::invalid("max_tokens must be at most " + std::to_string(model.max_output) + " for " + model.id);
  if (const auto least = least_tokens(request); least >= model.context) {
    return web::Error{.kind = web::Kind::invalid,
                      .message = "messages must fit in the context of " + model.id + ", which is " +
                                 std::to_string(model.context) + " tokens: these are " + std::to_string(least) +
                                 " or more",
                      .code = std::string(to_string(Fault::context_too_long))};
  }
  if (model.sees()) return std::nullopt;
  for (std::size_t i = 0; i < request.messages.size(); ++i)
    if (has_images(request.messages[i]))
      return web::invalid("messages[" + std::to_string(i) + "].content: " + model.id + " takes no images");
  return std::nullopt;
}

}  // namespace

void adapt(ChatRequest& request, const Model& model) {
  for (const auto& name : model.refused) {
    request.options.erase(name);
    if (name == "temperature") request.temperature.reset();
    if (name == "top_p") request.top_p.reset();
  }
  const auto* effort = request.options.if_contains("reasoning_effort");
  if (!effort || !effort->is_string() || !model.efforts) return;
  const auto level_of = [](std::string_view name) {
    return std::ranges::find(effort_levels, name) - effort_levels.begin();
  };
  const auto wanted = level_of(effort->get_string());
  const auto distance = [&](const std::string& name) { return std::abs(level_of(name) - wanted); };
  const auto nearest = std::ranges::min_element(*model.efforts, {}, distance);
  if (nearest == model.efforts->end()) {
    request.options.erase("reasoning_effort");
  } else {
    request.options["reasoning_effort"] = *nearest;
  }
}

std::optional<web::Error> find_misfit(const Candidate& candidate, const ChatRequest& request) {
  if (candidate.model)
    if (auto misfit = find_misfit(*candidate.model, request)) return misfit;
  if (const auto problem = candidate.provider->cannot(request)) return web::invalid(*problem);
  return std::nullopt;
}

}  // namespace models
