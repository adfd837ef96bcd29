#include "appliance/demo/fake_services/sign_in_link.h"

#include <boost/asio/ip/address.hpp>

#include "appliance/demo/fake_services/page.h"
#include "appliance/foundation/crypto/random.h"
#include "web/client/fetch.h"

namespace demo {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr auto link_lifetime = 30min;
constexpr std::string_view link_path = "/sign-in/";
constexpr std::size_t link_token_bytes = 24;

bool is_from_this_machine(const web::Request& request) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(request.client_address, error);
  return !error && address.is_loopback();
}

// The part of a URL between the scheme and the port or path.
std::string_view host_of(std::string_view url) {
  const auto begin = url.find("://") + 3;
  return url.substr(begin, url.find_first_of(":/", begin) - begin);
}

}  // namespace

std::string SignInLink::open(Account account, const std::string& outside) {
  const auto box = box_.get();
  const std::string host(host_of(box->site));
  if (!box->site.starts_with("http://") || (host != "localhost" && host != host_of(outside))) return {};
  account_ = std::move(account);
  token_ = crypto::random_token(link_token_bytes);
  ends_at_ = std::chrono::steady_clock::now() + link_lifetime;
  is_open_ = true;
  return "http://" + host + outside.substr(outside.rfind(':')) + std::string(link_path) + token_;
}

web::Answer SignInLink::follow(web::Request& request) {
  const bool is_current = is_open_ && is_from_this_machine(request) &&
                          crypto::constant_time_equal(request.param("token"), token_) &&
                          std::chrono::steady_clock::now() < ends_at_ && is_open_.exchange(false);
  const auto box = box_.get();
  if (!is_current || !box)
    co_return page("This link is used up",
                   "<p>It signs in once, within 30 minutes. Use the address and password that the demo has printed, or "
                   "start it again.</p>",
                   410);
  web::FetchRequest login{.url = box->web + "/api/auth/login", .method = "POST"};
  login.headers = {{"Content-Type", "application/json"}, {"User-Agent", std::string(request.header("User-Agent"))}};
  login.body = json::serialize(json::object{{"email", account_.email}, {"password", account_.password}});
  login.reach = web::Reach::own;
  const auto answer = co_await web::fetch(std::move(login));
  if (!answer) co_return answer.error();
  auto response = web::redirect(box->site + "/dashboard?tour=1");
  bool is_signed_in = false;
  for (const auto& [name, value] : answer->headers)
    if (name == "set-cookie") {
      response.set("Set-Cookie", value);
      is_signed_in = true;
    }
  if (!is_signed_in) co_return web::bad_gateway("The box did not accept the demo's account: its password was changed");
  co_return response;
}

std::vector<web::Route> SignInLink::routes() {
  return {row(
      web::GET, std::string(link_path) + ":token", [this](web::Request& request) { return follow(request); },
      "Sign in to the demo")};
}

}  // namespace demo
