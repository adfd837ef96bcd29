#include "tests/fuzz/multipart_target.h"

#include <string>

#include "appliance/hosting/uploads/multipart.h"
#include "tests/fuzz/require.h"

namespace fuzz {

namespace {

// The parts, each as its names and content; then the error, if any.
struct Form {
  std::string parts, error;
  std::size_t size = 0, count = 0;  // bytes of content; parts
  bool operator==(const Form&) const = default;
};

Form read(std::string_view bytes, std::size_t piece) {
  Form form;
  bool in_part = false;
  const auto begin = [&](const uploads::PartHead& head) -> web::Result<void> {
    require(!in_part, "a part ends before the next one begins");
    in_part = true;
    ++form.count;
    form.parts += "part " + head.name + (head.filename ? " file " + *head.filename : "") + "\n";
    return {};
  };
  const auto data = [&](std::string_view content) -> web::Result<void> {
    require(in_part && !content.empty(), "content belongs to a part");
    form.parts += content;
    form.size += content.size();
    return {};
  };
  const auto end = [&]() -> web::Result<void> {
    require(std::exchange(in_part, false), "only a part ends");
    form.parts += "end\n";
    return {};
  };
  uploads::Multipart parser("XX", {.begin = begin, .data = data, .end = end});
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), piece))) {
    if (const auto taken = parser.take(bytes.substr(0, piece)); !taken) {
      form.error = taken.error().message;
      return form;
    }
  }
  if (const auto finished = parser.finish(); !finished) form.error = finished.error().message;
  return form;
}

}  // namespace

void multipart(std::string_view bytes) {
  (void)uploads::boundary_of(bytes.substr(0, bytes.find('\n')));
  const auto whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
  require(whole.size <= bytes.size() && whole.count <= uploads::MultipartLimits().parts, "no more than was sent");
  for (const std::size_t piece : {1u, 2u, 7u, 100u}) {
    const auto cut = read(bytes, piece);
    require(cut.error == whole.error, "the result does not depend on the cuts");
    if (whole.error.empty()) require(cut == whole, "nor do the parts");
  }
}

}  // namespace fuzz
