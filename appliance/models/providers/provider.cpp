#include "appliance/models/providers/provider.h"

namespace models {

std::string_view to_string(Fault fault) { return boost::describe::enum_to_string(fault, "upstream_error"); }

web::Error to_error(const Failure& failure) {
  const auto kind = [&] {
    switch (failure.fault) {
      case Fault::rate_limited:
        return web::Kind::too_many;
      case Fault::overloaded:
      case Fault::unreachable:
        return web::Kind::unavailable;
      case Fault::context_too_long:
      case Fault::bad_request:
        return web::Kind::invalid;
      case Fault::model_not_available:
        return web::Kind::not_found;
      case Fault::timeout:
        return web::Kind::timeout;
      case Fault::cancelled:
        return web::Kind::abandoned;
      default:
        return web::Kind::bad_gateway;
    }
  }();
  web::Error error{.kind = kind, .message = failure.message, .code = std::string(to_string(failure.fault))};
  if (failure.retry_after) error.extra["retryAfter"] = failure.retry_after->count();
  return error;
}

web::Task<Outcome<PassedAnswer>> Provider::pass(PassedRequest, web::CallOrigin) const {
  co_return Failure{.fault = Fault::bad_request, .message = "The model provider has no audio and no images."};
}

web::Task<Outcome<std::string>> Provider::embeddings(std::string) const {
  co_return Failure{.fault = Fault::bad_request, .message = "The model provider has no embeddings."};
}

}  // namespace models
