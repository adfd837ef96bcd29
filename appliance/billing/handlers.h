// What the handlers of this module and of models share. A handler is a free function: it parses, validates, calls one
// service and replies. routes.cpp binds it to the services of its capability.
#pragma once

#include <utility>

#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace billing {

using Answer = web::Task<web::Result<web::Response>>;

// Puts a copy of `services` in front of the handler's arguments. The result must outlive the handler's tasks; a row of
// a route table does.
template <class Services, class... Inputs>
auto bind(const Services& services, Answer (*handler)(const Services&, const web::Request&, Inputs...)) {
  return [services, handler](const web::Request& request, Inputs... inputs) {
    return handler(services, request, std::move(inputs)...);
  };
}

}  // namespace billing
