// Finds the row of a path: a trie over segments, built once. Literal segments win over ':name', which wins over
// ':name+'.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "web/routes/route.h"

namespace web {

class Router {
 public:
  enum class Kind { found, not_found, wrong_method, options };
  struct Match {
    Kind kind = Kind::not_found;
    std::size_t row = 0;     // of found: index into the table
    std::string_view allow;  // of wrong_method and options: value of the Allow header
  };

  // Throws std::logic_error naming the row for malformed patterns and for two rows with one method and shape. The table
  // must outlive the router.
  explicit Router(const std::vector<Route>& table);
  ~Router();

  // The paths followed by a ':name+' parameter ("/files/"): an encoded slash is accepted there.
  const std::vector<std::string>& deep_paths() const { return deep_paths_; }

  // Callable from every thread. HEAD finds GET's row. Fills in `params` for a found row.
  Match match(Method, std::string_view path, std::vector<std::pair<std::string_view, std::string>>& params) const;

 private:
  struct Node;
  const Node* find(const Node&, std::string_view rest) const;

  const std::vector<Route>& table_;
  std::unique_ptr<Node> root_;
  std::vector<std::string> deep_paths_;
};

}  // namespace web
