// How the numbers of a table become features once server and clients have agreed: gaps filled, columns
// brought to mean 0 and deviation 1. A client tells moments of its own training rows; a server merges them
// and settles the schema; every client applies it to all of its rows.
#pragma once

#include <vector>

#include "coterie/source.h"
#include "data/moments.h"

namespace coterie {

// (x - mean) / deviation, also where the difference has no place in a number.
double scaled(double x, double mean, double deviation);

// Of each column of numbers in the order of features, then of the target of a regression. `raw` has NaN where
// a number is missing.
std::vector<ColumnMoments> table_moments(const TableSchema& schema, const Samples& raw);
// How many there are.
std::size_t moment_count(const TableSchema& schema, Task task);

// Writes fills, means and deviations into a draft, by the moments of so many rows in all; it is none any
// more.
void settle_schema(TableSchema& draft, const std::vector<ColumnMoments>& all, double rows);
// What a client does with rows that are scaled by its own (scaling = "each"): the schema with fills, means
// and deviations of its features taken from these. The target's stay.
TableSchema own_schema(const TableSchema& agreed, const Samples& raw_train);

// Raw rows become features, as floats if asked. Throws Error when a number has no place in a float.
void apply_schema(const TableSchema& schema, Samples& rows, bool floats);

// All of it as if the pool were one client: for tables that are used without a server.
void settle_alone(Pool& pool, bool floats);

}  // namespace coterie
