// Requests and responses of the routes, and their handlers.
#pragma once

#include <optional>
#include <string>

#include "summarizer/answers.h"
#include "summarizer/markdown.h"
#include "summarizer/routes.h"
#include "web/routes/fields.h"

namespace summarizer {

using Answer = web::Task<web::Result<web::Response>>;

BOOST_DESCRIBE_ENUM(Style, markdown, text)

struct Target {
  std::optional<web::Text<0, 8'192>> url;
};
BOOST_DESCRIBE_STRUCT(Target, (), (url))

// The same for the OpenAPI document. Target accepts a missing or empty url because the contract defines its own message
// for it.
struct DescribedTarget {
  web::Text<1, 8'192> url;
};
BOOST_DESCRIBE_STRUCT(DescribedTarget, (), (url))

struct PageQuery {
  std::optional<Style> format;  // of the main article; without it the article is omitted
};
BOOST_DESCRIBE_STRUCT(PageQuery, (), (format))

struct Health {
  std::string status, service, version;
};
BOOST_DESCRIBE_STRUCT(Health, (), (status, service, version))

struct Payment {
  std::string network, currency;
  std::optional<std::string> payTo;
  std::string note;
};
BOOST_DESCRIBE_STRUCT(Payment, (), (network, currency, payTo, note))

struct About {
  std::string service, description;
  boost::json::object endpoints;
  Payment payment;
};
BOOST_DESCRIBE_STRUCT(About, (), (service, description, endpoints, payment))

Answer describe_service(const Services&);
Answer health();
// `target` is fetched; its summary, or with `format` also its main article, is extracted on the parsers.
Answer summarize_page(const Services&, const web::Request&, Target target);
Answer extract_page(const Services&, const web::Request&, Target);

}  // namespace summarizer
