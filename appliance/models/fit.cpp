#include "appliance/models/fit.h"

#include "appliance/models/least_tokens.h"

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

std::optional<web::Error> find_misfit(const Candidate& candidate, const ChatRequest& request) {
  if (candidate.model)
    if (auto misfit = find_misfit(*candidate.model, request)) return misfit;
  if (const auto problem = candidate.provider->cannot(request)) return web::invalid(*problem);
  return std::nullopt;
}

}  // namespace models
