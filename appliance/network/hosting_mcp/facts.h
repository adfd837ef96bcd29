// What the box knows about its hosting provider's public tool server. All of it is in render.json.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <vector>

namespace hosting_mcp {

struct QuickStart {
  std::string step_1, step_2, step_3;
};
BOOST_DESCRIBE_STRUCT(QuickStart, (), (step_1, step_2, step_3))

struct Setup {
  std::string title, recommended_approach;
  QuickStart quick_start;
  boost::json::object docker_config_example, documentation_links;
};
BOOST_DESCRIBE_STRUCT(Setup, (), (title, recommended_approach, quick_start, docker_config_example, documentation_links))

struct ToolCategories {
  std::vector<std::string> workspaces, services, deployments, logs, metrics, postgres, key_value;
};
BOOST_DESCRIBE_STRUCT(ToolCategories, (), (workspaces, services, deployments, logs, metrics, postgres, key_value))

struct Tools {
  std::string source;
  ToolCategories tool_categories;
  std::string complete_reference;
};
BOOST_DESCRIBE_STRUCT(Tools, (), (source, tool_categories, complete_reference))

struct Examples {
  std::string description;
  boost::json::object examples;
};
BOOST_DESCRIBE_STRUCT(Examples, (), (description, examples))

struct Facts {
  std::string name, version, description, maintained_by, repository, docker_image, documentation, setup_guide;
  std::string endpoint, api_key_prefix, api_key_page;
  std::vector<std::string> features;
  Setup setup;
  Tools tools;
  Examples examples;
};
BOOST_DESCRIBE_STRUCT(Facts, (),
                      (name, version, description, maintained_by, repository, docker_image, documentation, setup_guide,
                       endpoint, api_key_prefix, api_key_page, features, setup, tools, examples))

// Read once. Throws std::logic_error if the file does not have this form.
const Facts& facts();

}  // namespace hosting_mcp
