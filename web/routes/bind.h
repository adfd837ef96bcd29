// Binds the handlers of a route table to the services of its capability.
#pragma once

#include <optional>
#include <utility>

namespace web {

// Puts the services, and whatever else is given, in front of a handler's arguments. `Services` is a struct of
// references; each row holds a copy, so what they refer to must outlive the rows. Without services the rows can be
// listed and documented, but must not be called.
template <class Services>
class Bind {
 public:
  Bind() = default;
  Bind(const Services& services) { services_.emplace(services); }  // NOLINT: implicit, so that tables take services

  template <class Handler, class... First>
  auto operator()(Handler handler, First... first) const {
    return [services = services_, handler, ... first = std::move(first)](auto&&... arguments) {
      return handler(*services, first..., std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::optional<Services> services_;
};

}  // namespace web
