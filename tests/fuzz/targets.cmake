# The targets by name, and the files of their functions.
set(fuzz_targets checkpoints cifar configs csv idx introductions leaf npz orders pictures programs replies
                 safetensors states)
list(TRANSFORM fuzz_targets APPEND .cc OUTPUT_VARIABLE fuzz_sources)
list(APPEND fuzz_sources small_world.cc targets.cc)
list(TRANSFORM fuzz_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
