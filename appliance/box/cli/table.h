// Lists for people: columns as wide as what is in them.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace agentbox::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> titles) { rows_.push_back(std::move(titles)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // On standard output. The last column is not padded.
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Of JSON answers: a text as it is, "-" for null and the empty text, else the JSON.
std::string shown(const boost::json::value&);

}  // namespace agentbox::cli
