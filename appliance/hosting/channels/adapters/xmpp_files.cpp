// Files over XMPP: put at the server's place for them (XEP-0363), and said as addresses (XEP-0066).
#include <algorithm>

#include "appliance/hosting/channels/adapters/xmpp.h"
#include "web/ascii.h"

namespace channels {

namespace {

constexpr std::chrono::seconds xmpp_upload_time{120};
constexpr std::size_t max_services = 20;
constexpr auto xmlns_file = "jabber:x:oob", xmlns_upload = "urn:xmpp:http:upload:0",
               xmlns_items = "http://jabber.org/protocol/disco#items",
               xmlns_info = "http://jabber.org/protocol/disco#info";

}  // namespace

web::Task<web::Result<std::string>> Xmpp::find_upload_service() {
  if (upload_service_) co_return *upload_service_;
  const auto items = co_await ask(domain_, "get", "<query" + xml_attribute("xmlns", xmlns_items) + "/>");
  if (!items) co_return items.error();
  std::vector<std::string> services{domain_};
  if (const auto* query = items->child("query"))
    for (const auto& item : query->children)
      if (item.name == "item" && services.size() < max_services) services.push_back(item.attribute("jid"));
  for (const auto& service : services) {
    const auto info = co_await ask(service, "get", "<query" + xml_attribute("xmlns", xmlns_info) + "/>");
    const auto* query = info ? info->child("query") : nullptr;
    const bool takes_files = query && std::ranges::any_of(query->children, [](const XmlElement& one) {
                               return one.name == "feature" && one.attribute("var") == xmlns_upload;
                             });
    if (takes_files) upload_service_ = service;
    if (takes_files) co_return service;
  }
  co_return web::invalid("The XMPP server offers no place for files (XEP-0363).");
}

web::Task<SendResult> Xmpp::send_file(const Sending& sending) {
  const auto service = co_await find_upload_service();
  if (!service) co_return failure_of(service.error(), false);
  constexpr auto type = "application/octet-stream";
  const auto slot = co_await ask(
      *service, "get",
      "<request" + xml_attribute("xmlns", xmlns_upload) + xml_attribute("filename", xml_text(sending.file_name)) +
          xml_attribute("size", std::to_string(sending.content.size())) + xml_attribute("content-type", type) + "/>");
  if (!slot) co_return failure_of(slot.error(), false);
  const auto* given = slot->child("slot");
  const auto* put = given ? given->child("put") : nullptr;
  const auto* get = given ? given->child("get") : nullptr;
  if (!put || !get) co_return SendFailure{.reason = *service + " gave no place for the file."};
  web::FetchRequest upload;
  upload.url = put->attribute("url");
  upload.method = "PUT";
  upload.origin = origin_;
  upload.reach = reach_;
  upload.timeout = xmpp_upload_time;
  upload.headers = {{"Content-Type", type}};
  for (const auto& header : put->children) {
    const auto name = header.attribute("name");
    const bool is_allowed = web::equal_ignoring_case(name, "Authorization") ||
                            web::equal_ignoring_case(name, "Cookie") || web::equal_ignoring_case(name, "Expires");
    if (is_allowed && header.text.find_first_of("\r\n") == std::string::npos)
      upload.headers.emplace_back(name, header.text);
  }
  upload.body = sending.content;
  const auto answer = co_await web::fetch(std::move(upload));
  if (!answer) co_return failure_of(answer.error(), false);
  if (answer->status / 100 != 2)
    co_return failure_of(*answer,
                         "The place for the file answered with status " + std::to_string(answer->status) + ".");
  const auto url = get->attribute("url");
  co_return co_await deliver(sending, url,
                             "<x" + xml_attribute("xmlns", xmlns_file) + ">" + xml_element("url", url) + "</x>");
}

web::Task<web::Result<std::string>> Xmpp::download(FileReference file) {
  web::FetchRequest request;
  request.url = file.reference;
  request.origin = origin_;
  request.reach = reach_;
  request.max_redirects = 3;
  request.timeout = xmpp_upload_time;
  request.max_bytes = traits_.max_file_bytes;
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status != 200)
    co_return web::bad_gateway("The file's address answered with status " + std::to_string(answer->status) + ".");
  co_return std::move(answer->body);
}

}  // namespace channels
