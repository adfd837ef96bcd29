#include "appliance/media/videos/order.h"

#include <boost/json.hpp>

#include "web/ascii.h"
#include "web/routes/fields.h"

namespace videos {

namespace json = boost::json;

namespace {

using web::Result;

using Name = web::Text<1, 100>;
using Paragraph = web::Prose<1, 1'000>;
using Point = web::Prose<1, 300>;
using Points = web::List<Point, 1, 10>;

struct Common {
  std::optional<web::Integer<10, 60>> duration;
  std::optional<bool> narration;
  std::optional<web::Text<2, 12>> language;
};
BOOST_DESCRIBE_STRUCT(Common, (), (duration, narration, language))

struct TypeOnly {
  Kind type;
};
BOOST_DESCRIBE_STRUCT(TypeOnly, (), (type))

struct Demo {
  Name agentName;
  Paragraph agentDescription;
};
BOOST_DESCRIBE_STRUCT(Demo, (), (agentName, agentDescription))

struct Marketing {
  Name productName;
  Points features;
};
BOOST_DESCRIBE_STRUCT(Marketing, (), (productName, features))

struct Screenshot {
  web::Text<1, 2'000> imageUrl;
  Paragraph description;
};
BOOST_DESCRIBE_STRUCT(Screenshot, (), (imageUrl, description))

struct Tutorial {
  Name topic;
  Points steps;
};
BOOST_DESCRIBE_STRUCT(Tutorial, (), (topic, steps))

// A list may be given as one text with a line for each item.
json::object with_lists(json::object body) {
  for (const std::string_view name : {"features", "steps"}) {
    auto* given = body.if_contains(name);
    if (!given || !given->is_string()) continue;
    json::array items;
    std::string_view rest = given->get_string();
    while (!rest.empty()) {
      const auto line = web::first_line(rest);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) items.emplace_back(line);
    }
    if (!items.empty()) *given = std::move(items);
  }
  return body;
}

bool is_language(std::string_view text) {
  const auto is_allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return std::ranges::all_of(text, is_allowed) && text.front() != '-';
}

template <class T>
std::vector<std::string> texts(const T& list) {
  return {list.begin(), list.end()};
}

Result<Order> read_contents(Kind kind, const json::value& body) {
  Order order{.kind = kind};
  switch (kind) {
    case Kind::demo: {
      auto demo = web::parse_value<Demo>(body);
      if (!demo) return demo.error();
      order.title = std::move(demo->agentName);
      order.text = std::move(demo->agentDescription);
      break;
    }
    case Kind::marketing: {
      auto marketing = web::parse_value<Marketing>(body);
      if (!marketing) return marketing.error();
      order.title = std::move(marketing->productName);
      order.points = texts(marketing->features);
      break;
    }
    case Kind::screenshot: {
      auto screenshot = web::parse_value<Screenshot>(body);
      if (!screenshot) return screenshot.error();
      order.image_url = std::move(screenshot->imageUrl);
      if (!order.image_url.starts_with("https://") && !order.image_url.starts_with("http://"))
        return web::invalid("imageUrl must be an http or https URL");
      order.text = std::move(screenshot->description);
      break;
    }
    case Kind::tutorial: {
      auto tutorial = web::parse_value<Tutorial>(body);
      if (!tutorial) return tutorial.error();
      order.title = std::move(tutorial->topic);
      order.points = texts(tutorial->steps);
      break;
    }
  }
  return order;
}

}  // namespace

Result<Order> parse_order(const json::object& given) {
  const json::value body = with_lists(given);
  const auto type = web::parse_value<TypeOnly>(body);
  if (!type) return type.error();
  if (const auto members = web::parse_value<VideoRequest>(body); !members) return members.error();
  auto order = read_contents(type->type, body);
  if (!order) return order.error();
  auto common = web::parse_value<Common>(body);
  if (!common) return common.error();
  if (common->duration) order->seconds = static_cast<unsigned>(common->duration->value);
  order->is_narrated = common->narration.value_or(true);
  if (common->language) {
    if (!is_language(*common->language)) return web::invalid("language must be a tag such as en or pt-br");
    order->language = std::move(*common->language);
  }
  return order;
}

}  // namespace videos
