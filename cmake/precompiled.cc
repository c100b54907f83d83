// Nothing: a target must have a source, and this one is there for its precompiled headers.
