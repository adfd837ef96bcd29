// SHA-256 of a file's content, piece by piece.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace packing {

class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  std::string finish();  // in hex

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

// Of a file without holes: the SHA-256 of its bytes. A file with holes would take as long as its size says, so that its
// digest is that of its data blocks' bytes, and of a list of where they are: SHA-256 of the hex digits of the former,
// followed by " offset+length" for each block.
class ContentDigest {
 public:
  // In ascending order; pieces that touch are one block.
  void add(std::uint64_t offset, std::string_view bytes);
  std::string finish(std::uint64_t size);  // in hex

 private:
  void end_block();

  Sha256 data_;
  std::string blocks_;
  std::uint64_t begin_ = 0, end_ = 0;  // of the current block
};

}  // namespace packing
