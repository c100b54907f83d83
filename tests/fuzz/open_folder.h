// Opens a source whose folder holds an input.
#pragma once

#include "coterie/source.h"
#include "support/plugins.h"

namespace coterie::fuzz {

inline void open_folder(const std::string& source, const std::string& options, const std::string& folder) {
  const auto population = make_plugin<Source>(source, options)->open({.data_folder = folder});
  const Pool& pool = *population->pool();
  Vec row(population->shape().width);
  for (const Samples* part : {&pool.train, &pool.test}) {
    for (std::size_t i = 0; i < part->size(); ++i) {
      part->copy_row(i, row);
      const bool classes = population->shape().task == Task::classification;
      check(!classes || part->label(i) < population->shape().classes, "a label is a class");
    }
  }
  for (const std::uint32_t owner : pool.owners) check(owner < pool.owner_names.size(), "owners have names");
}

}  // namespace coterie::fuzz
