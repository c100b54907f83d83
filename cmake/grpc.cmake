# The add-on `grpc`: messages made from proto/, and src/fleets/grpc.
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)

set(made ${CMAKE_CURRENT_BINARY_DIR}/proto)
file(MAKE_DIRECTORY ${made})
set(proto_files ${made}/coterie.pb.cc ${made}/coterie.pb.h ${made}/coterie.grpc.pb.cc ${made}/coterie.grpc.pb.h)
add_custom_command(
  OUTPUT ${proto_files}
  COMMAND protobuf::protoc --cpp_out=${made} --grpc_out=${made} -I ${PROJECT_SOURCE_DIR}/proto
          --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin> coterie.proto
  DEPENDS ${PROJECT_SOURCE_DIR}/proto/coterie.proto)
add_library(coterie_proto STATIC ${proto_files})
target_include_directories(coterie_proto SYSTEM PUBLIC ${made})
target_link_libraries(coterie_proto PUBLIC gRPC::grpc++ protobuf::libprotobuf)
target_compile_options(coterie_proto PRIVATE -w)
set_target_properties(coterie_proto PROPERTIES POSITION_INDEPENDENT_CODE ON)

coterie_add_on(grpc fleets/grpc coterie_proto gRPC::grpc++ protobuf::libprotobuf OpenSSL::SSL OpenSSL::Crypto)
