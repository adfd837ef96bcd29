// What the fake services are made of: pages and rows that everybody may use.
#pragma once

#include <string>

#include "web/routes/endpoint.h"

namespace demo {

// `body` is HTML.
web::Response page(const std::string& title, const std::string& body, int status = 200);

web::Route row(web::Method, const std::string& path, web::Handler, std::string summary);

}  // namespace demo
