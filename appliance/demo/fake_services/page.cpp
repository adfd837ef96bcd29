#include "appliance/demo/fake_services/page.h"

#include "web/markup.h"

namespace demo {

namespace {

const web::Guard& everybody() {
  static const web::Guard guard{.name = "none",
                                .scheme = "",
                                .admit = [](const web::Request&) -> web::Result<web::Caller> { return web::Caller{}; }};
  return guard;
}

}  // namespace

web::Response page(const std::string& title, const std::string& body, int status) {
  const auto name = web::escape_markup(title);
  return web::text("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + name +
                       "</title></head><body><main><h1>" + name + "</h1>" + body + "</main></body></html>",
                   "text/html; charset=utf-8", status);
}

web::Route row(web::Method method, const std::string& path, web::Handler handler, std::string summary) {
  return {method, path, everybody(), nullptr, web::plain(std::move(handler)), std::move(summary)};
}

}  // namespace demo
