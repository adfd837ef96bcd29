// Filters of SCIM (RFC 7644, section 3.4.2.2): userName eq "ada@example.org" and active eq true.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "web/result.h"

namespace scim {

class Filter {
 public:
  struct Node;

  // invalid, invalidFilter: the text is none, or nested too deeply.
  static web::Result<Filter> parse(std::string_view text);

  bool matches(const boost::json::value& resource) const;
  // The text that this attribute must have for a match, which an index can find: that of `attribute eq "text"`, alone
  // or as a part of a conjunction.
  std::optional<std::string> required(std::string_view attribute) const;

 private:
  explicit Filter(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace scim
