// Reads zip archives by their central directory, as Python's zipfile does, and believes nothing that it says.
#include "data/formats/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "coterie/error.h"
#include "data/files.h"

namespace coterie {
namespace {

// Little-endian numbers at places of a text; throws where it ends too soon.
class Bits {
 public:
  Bits(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}
  std::uint64_t number(std::size_t at, std::size_t size) const {
    const std::string_view from = piece(at, size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(from[i]);
    return value;
  }
  std::string_view piece(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at)
      throw Error(file_ + ": the archive is damaged or cut short");
    return bytes_.substr(at, size);
  }

 private:
  std::string_view bytes_;
  const std::string& file_;
};

std::string inflated(std::string_view packed, std::uint64_t size, const std::string& where) {
  constexpr std::uint64_t kBest = 1032;  // deflate makes nothing smaller than a 1032nd
  if (size > kBest * packed.size() + 64) throw Error(where + ": claims more bytes than its archive can hold");
  std::string out(static_cast<std::size_t>(size), '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) throw Error(where + ": cannot be decompressed");
  constexpr std::size_t kStep = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::size_t taken = 0, made = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(std::min(kStep, packed.size() - taken));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(std::min(kStep, out.size() - made));
    const uInt in = stream.avail_in, room = stream.avail_out;
    state = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
    if (state == Z_OK && in == stream.avail_in && room == stream.avail_out) state = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || made != out.size()) throw Error(where + ": its compressed bytes are damaged");
  return out;
}

// A value of the dictionary that an array begins with: {'descr': '<f8', 'fortran_order': False, 'shape':
// (3,), }.
std::string_view entry(std::string_view header, std::string_view key, const std::string& where) {
  const std::string quoted = "'" + std::string(key) + "'";
  std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) throw Error(where + ": its header has no " + std::string(key));
  at = header.find_first_not_of(" :", at + quoted.size());
  if (at == std::string_view::npos) throw Error(where + ": its header is cut short");
  const char close = header[at] == '(' ? ')' : header[at] == '\'' ? '\'' : header[at] == '[' ? ']' : ',';
  const std::size_t end = header.find(close, at + 1);
  if (end == std::string_view::npos) throw Error(where + ": its header is cut short");
  return header.substr(at, end - at + (close == ',' ? 0 : 1));
}

void read_type(std::string_view text, NpyArray& array, const std::string& where) {
  const auto refuse = [&](const char* why) {
    throw Error(where + ": its items are of type " + in_quotes(text) + why);
  };
  if (text.size() < 4 || text.front() != '\'')
    refuse(": records cannot be read; save one array for each field");
  text = text.substr(1, text.size() - 2);
  if (text.find('O') != std::string_view::npos)
    refuse(": Python objects cannot be read; save text as array.astype(str), numbers as array.astype(float)");
  array.big_endian = text[0] == '>';
  if (text[0] == '<' || text[0] == '>' || text[0] == '|' || text[0] == '=') text.remove_prefix(1);
  array.kind = text.empty() ? '?' : text[0];
  std::size_t item = 0;
  for (const char c : text.substr(std::min<std::size_t>(1, text.size()))) {
    if (c < '0' || c > '9' || item > 100'000'000) refuse("; numbers, truth values and text can be read");
    item = item * 10 + static_cast<std::size_t>(c - '0');
  }
  const auto is = [&](char kind, std::initializer_list<std::size_t> sizes) {
    return array.kind == kind && std::find(sizes.begin(), sizes.end(), item) != sizes.end();
  };
  if (!is('f', {2, 4, 8}) && !is('i', {1, 2, 4, 8}) && !is('u', {1, 2, 4, 8}) && !is('b', {1}) &&
      !array.is_text()) {
    refuse(array.kind == 'M' || array.kind == 'm'
               ? "; make numbers of dates first, such as the days since one"
               : "; numbers, truth values and text can be read");
  }
  array.item = array.kind == 'U' ? 4 * item : item;
}

void read_shape(std::string_view text, NpyArray& array, const std::string& where) {
  if (text.empty() || text.front() != '(') throw Error(where + ": its header has no shape");
  std::optional<std::size_t> size;
  for (const char c : text.substr(1)) {
    if (c >= '0' && c <= '9') {
      if (size && *size > 1'000'000'000'000) throw Error(where + ": its header claims an impossible size");
      size = size.value_or(0) * 10 + static_cast<std::size_t>(c - '0');
    } else if (size && (c == ',' || c == ')')) {
      array.shape.push_back(*std::exchange(size, std::nullopt));
    }
  }
}

// From Fortran's order, first index fastest, to C's, last index fastest.
std::string in_c_order(const NpyArray& array) {
  const std::size_t count = array.size(), dimensions = array.shape.size();
  std::vector<std::size_t> stride(dimensions, 1), index(dimensions, 0);
  for (std::size_t d = 1; d < dimensions; ++d) stride[d] = stride[d - 1] * array.shape[d - 1];
  std::string out(array.bytes.size(), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t from = 0;
    for (std::size_t d = 0; d < dimensions; ++d) from += index[d] * stride[d];
    std::memcpy(out.data() + i * array.item, array.bytes.data() + from * array.item, array.item);
    for (std::size_t d = dimensions; d-- > 0;) {
      if (++index[d] < array.shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

double half(std::uint64_t bits) {
  const double sign = bits >> 15 ? -1 : 1;
  const auto exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

void append_utf8(std::uint32_t c, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c > 0x10FFFF) c = 0xFFFD;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::uint64_t bits_of_item(const char* from, std::size_t size, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<std::uint8_t>(from[big_endian ? i : size - 1 - i]);
  }
  return value;
}

}  // namespace

std::size_t NpyArray::size() const {
  std::size_t count = 1;
  for (std::size_t one : shape) count *= one;
  return count;
}

double NpyArray::number(std::size_t i) const {
  const std::uint64_t bits = bits_of_item(bytes.data() + i * item, item, big_endian);
  switch (kind) {
    case 'f':
      if (item == 2) return half(bits);
      return item == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                       : std::bit_cast<double>(bits);
    case 'i': {
      const int unused = 64 - 8 * static_cast<int>(item);
      return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    default:
      return kind == 'b' ? static_cast<double>(bits != 0) : static_cast<double>(bits);
  }
}

std::string NpyArray::text(std::size_t i) const {
  std::string out;
  const char* from = bytes.data() + i * item;
  if (kind == 'S') {
    out.assign(from, item);
    while (!out.empty() && out.back() == '\0') out.pop_back();
    return out;
  }
  if (kind == 'U') {
    std::size_t characters = item / 4;
    while (characters > 0 && bits_of_item(from + 4 * (characters - 1), 4, big_endian) == 0) --characters;
    for (std::size_t c = 0; c < characters; ++c)
      append_utf8(static_cast<std::uint32_t>(bits_of_item(from + 4 * c, 4, big_endian)), out);
    return out;
  }
  if (kind == 'i' && item == 8)
    return fmt::format("{}", static_cast<std::int64_t>(bits_of_item(from, item, big_endian)));
  if (kind == 'u') return fmt::format("{}", bits_of_item(from, item, big_endian));
  const double value = number(i);
  return std::abs(value) < 1e15 && value == std::floor(value) ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{}", value);
}

NpyArray parse_npy(std::string bytes, const std::string& where) {
  if (!bytes.starts_with("\x93NUMPY")) throw Error(where + ": is no numpy array");
  const Bits bits(bytes, where);
  const std::uint64_t version = bits.number(6, 1);
  if (version < 1 || version > 3)
    throw Error(fmt::format("{}: is of numpy's format {}; 1 to 3 are known", where, version));
  const std::size_t width = version == 1 ? 2 : 4;
  const auto length = static_cast<std::size_t>(bits.number(8, width));
  const std::string header(bits.piece(8 + width, length));
  NpyArray array;
  read_type(entry(header, "descr", where), array, where);
  read_shape(entry(header, "shape", where), array, where);
  const std::size_t begin = 8 + width + length, have = bytes.size() - begin;
  std::size_t need = array.item;
  for (std::size_t one : array.shape) {
    if (one != 0 && need > have / one) throw Error(where + ": its header claims more items than follow it");
    need *= one;
  }
  if (need > have) throw Error(where + ": its header claims more items than follow it");
  bytes.erase(0, begin);
  bytes.resize(need);
  array.bytes = std::move(bytes);
  if (entry(header, "fortran_order", where).starts_with("True") && array.shape.size() > 1)
    array.bytes = in_c_order(array);
  return array;
}

std::map<std::string, NpyArray> parse_npz(const std::string& bytes, const std::string& file) {
  const Bits bits(bytes, file);
  if (bytes.starts_with("\x93NUMPY"))
    throw Error(
        file + ": is a single array; save several by name, as in numpy.savez(file, X=X, y=y, client=client)");
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (!bytes.starts_with("PK") || end == std::string::npos)
    throw Error(file + ": is no archive that numpy.savez writes");
  constexpr std::size_t kEndRecord = 22;
  bits.piece(end, kEndRecord);
  const auto count = static_cast<std::size_t>(bits.number(end + 10, 2));
  auto at = static_cast<std::size_t>(bits.number(end + 16, 4));
  std::map<std::string, NpyArray> arrays;
  for (std::size_t k = 0; k < count; ++k) {
    if (bits.piece(at, 4) != "PK\x01\x02") throw Error(file + ": the directory of the archive is damaged");
    const std::uint64_t method = bits.number(at + 10, 2);
    std::uint64_t packed = bits.number(at + 20, 4), size = bits.number(at + 24, 4),
                  place = bits.number(at + 42, 4);
    const auto names = static_cast<std::size_t>(bits.number(at + 28, 2));
    const auto extra = static_cast<std::size_t>(bits.number(at + 30, 2));
    std::string name(bits.piece(at + 46, names));
    // Archives beyond 4 GB give such numbers in a field of their own, in this order.
    const std::size_t fields_end = at + 46 + names + extra;
    for (std::size_t f = at + 46 + names; f + 4 <= fields_end;) {
      const std::uint64_t id = bits.number(f, 2);
      std::size_t value = f + 4;
      f += 4 + static_cast<std::size_t>(bits.number(f + 2, 2));
      for (std::uint64_t* number : {&size, &packed, &place}) {
        if (id != 1 || *number != 0xFFFFFFFF || value + 8 > f) continue;
        *number = bits.number(value, 8);
        value += 8;
      }
    }
    at = fields_end + static_cast<std::size_t>(bits.number(at + 32, 2));
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    const std::string where = file + ": array " + in_quotes(name);
    const auto local = static_cast<std::size_t>(place);
    if (bits.piece(local, 4) != "PK\x03\x04") throw Error(where + ": is not where the archive says");
    const std::size_t data =
        local + 30 + static_cast<std::size_t>(bits.number(local + 26, 2) + bits.number(local + 28, 2));
    const std::string_view content = bits.piece(data, static_cast<std::size_t>(packed));
    if (method != 0 && method != 8) throw Error(where + ": is compressed in a way that is not known");
    NpyArray array = parse_npy(method == 0 ? std::string(content) : inflated(content, size, where), where);
    if (!arrays.emplace(name, std::move(array)).second) throw Error(where + ": is in the archive twice");
  }
  return arrays;
}

std::map<std::string, NpyArray> read_npz(const std::filesystem::path& path) {
  return parse_npz(DataFile(path).read_rest(), path.string());
}

}  // namespace coterie
