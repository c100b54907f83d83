// What a column of a user's table looks like, so that mistakes get a message that says what to set.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/columns.h"
#include "data/formats/sheet.h"

namespace coterie {

// Nearly all of the texts that are there are dates or times of day: "2020-01-31", "31.1.2020 14:05",
// "14:05:59". The first of them.
std::optional<std::string> looks_like_dates(const Sheet& sheet, std::size_t column,
                                            const MissingTokens& missing);
// "2024-05-31", "2024/5", "2024.05.31 14:00": four digits, and a mark.
bool begins_with_year(std::string_view text);
// Whether such texts, none of which is longer than `longest`, are in order of time as they are in order of
// text: the same marks stand at the same places, and a text that is shorter ends where a number ends.
bool written_alike(std::string_view text, std::string_view longest);
// Nearly all are numbers with a comma before the fraction: "3,5".
std::optional<std::string> looks_like_decimal_commas(const Sheet& sheet, std::size_t column,
                                                     const MissingTokens& missing);
// Nearly all are numbers with one and the same unit, or with marks of thousands: "12 %", "1.234,56 EUR". The
// first of them; nothing where there are only a few different ones.
std::optional<std::string> looks_like_measures(const Sheet& sheet, std::size_t column,
                                               const MissingTokens& missing);
// Text that differs in nearly every row; whole numbers of which three in four differ under a name such as id
// or patient_id, or all under a name such as row or number.
bool looks_like_ids(const std::string& name, std::size_t distinct, std::size_t present, bool whole_numbers);
// Columns that could say which client a row belongs to: a few different values, each in several rows.
std::vector<std::string> possible_clients(const Sheet& sheet, const std::string& target,
                                          const MissingTokens& missing);

}  // namespace coterie
